import type { CachedClient } from '@pintle/client';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { VolumeAttributesClass } from '@pintle/kinds/storage/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Controller, Manager, NamespacedRequest } from '@pintle/operator';
import { claimsOf } from './sync-claim.ts';

/** A claim stays while a pod that has a node uses it. */
export function addPersistentVolumeClaimProtection(manager: Manager): Controller {
  return manager
    .controller(PersistentVolumeClaim, 'persistentvolumeclaim-protection')
    .watches(Pod, claimRequestsOf)
    .reconcile(async (claim, { client }) => {
      await protect(client, PersistentVolumeClaim, claim, 'kubernetes.io/pvc-protection', async () => {
        const { namespace } = claim.metadata;
        if ((await client.list(Pod, { namespace })).some((pod) => uses(pod, claim))) return true;
        // The cache may not know the newest pod yet, and what is let go here cannot be had back.
        return (await client.live.list(Pod, { namespace })).items.some((pod) => uses(pod, claim));
      });
    });
}

/** A volume stays while a claim is bound to it. */
export function addPersistentVolumeProtection(manager: Manager): Controller {
  return manager.controller(PersistentVolume, 'persistentvolume-protection').reconcile(async (volume, { client }) => {
    const isUsed = async (): Promise<boolean> => volume.status?.phase === 'Bound';
    await protect(client, PersistentVolume, volume, 'kubernetes.io/pv-protection', isUsed);
  });
}

/** A class of attributes stays while a volume or claim has it, or is to get it. */
export function addVolumeAttributesClassProtection(manager: Manager): Controller {
  return manager
    .controller(VolumeAttributesClass, 'volumeattributesclass-protection')
    .watches(PersistentVolume, (volume) => classesOfVolume(volume).map((name) => ({ name })))
    .watches(PersistentVolumeClaim, (claim) => classesOfClaim(claim).map((name) => ({ name })))
    .reconcile(async (attributes, { client }) => {
      const { name = '' } = attributes.metadata;
      await protect(client, VolumeAttributesClass, attributes, 'kubernetes.io/vac-protection', async () => {
        if ((await client.list(PersistentVolume)).some((volume) => classesOfVolume(volume).includes(name))) return true;
        return (await client.list(PersistentVolumeClaim)).some((claim) => classesOfClaim(claim).includes(name));
      });
    });
}

/** Puts the finalizer on what is to stay, and takes it from what is to go once nobody uses it. */
async function protect<T extends KubernetesObject>(
  client: CachedClient,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
  isUsed: () => Promise<boolean>,
): Promise<void> {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  const isProtected = finalizers.includes(finalizer);
  const isLeaving = deletionTimestamp !== undefined;
  if (isProtected !== isLeaving || (isLeaving && (await isUsed()))) return;
  const next = isLeaving ? finalizers.filter((other) => other !== finalizer) : [...finalizers, finalizer];
  await client.update(type, { ...object, metadata: { ...object.metadata, finalizers: next } });
}

/** A pod that runs, or is about to, changes nothing about what it uses; but it may end, or go. */
function* claimRequestsOf(pod: Pod): Iterable<NamespacedRequest> {
  for (const name of claimsOf(pod)) yield { namespace: pod.metadata.namespace ?? '', name };
}

function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false;
  const isShutDown = pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionGracePeriodSeconds === 0;
  const isOwner = claim.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid);
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName === claim.metadata.name) return true;
    return ephemeral && !isShutDown && isOwner && `${pod.metadata.name}-${name}` === claim.metadata.name;
  });
}

function classesOfVolume({ spec }: PersistentVolume): string[] {
  return spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
}

function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.filter((name): name is string => name !== undefined && name !== '');
}

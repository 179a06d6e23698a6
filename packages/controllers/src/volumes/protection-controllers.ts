import { type CachedClient, defineIndex } from '@pintle/client';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { VolumeAttributesClass } from '@pintle/kinds/storage/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Controller, Manager, NamespacedRequest } from '@pintle/operator';
import { LiveClaimUsers } from './live-claim-users.ts';
import { claimsOf } from './sync-claim.ts';

const PODS_BY_CLAIM = defineIndex(Pod, (pod) => claimsOf(pod).map((name) => `${pod.metadata.namespace}/${name}`));

/** Claims that are looked at together: those that leave one namespace at a time share a list of its pods. */
const CLAIMS_AT_A_TIME = 32;

/** Keeps a claim while a scheduled pod uses it. */
export function addPersistentVolumeClaimProtection(manager: Manager): Controller {
  const live = new LiveClaimUsers(manager.client.live, uses);
  return manager
    .controller(PersistentVolumeClaim, 'persistentvolumeclaim-protection')
    .watches(Pod, claimRequestsOf, { indexes: [PODS_BY_CLAIM] })
    .options({ concurrency: CLAIMS_AT_A_TIME })
    .reconcile(async (claim, { client }) => {
      await protect(client, PersistentVolumeClaim, claim, 'kubernetes.io/pvc-protection', async () => {
        const { namespace } = claim.metadata;
        const index = PODS_BY_CLAIM.is(`${namespace}/${claim.metadata.name}`);
        if ((await client.list(Pod, { namespace, index })).some((pod) => uses(pod, claim))) return true;
        // The cache may lack the newest pod, and the removal of a finalizer cannot be undone.
        return await live.isUsed(claim);
      });
    });
}

/** Keeps a volume while a claim is bound to it. */
export function addPersistentVolumeProtection(manager: Manager): Controller {
  return manager.controller(PersistentVolume, 'persistentvolume-protection').reconcile(async (volume, { client }) => {
    const isUsed = async (): Promise<boolean> => volume.status?.phase === 'Bound';
    await protect(client, PersistentVolume, volume, 'kubernetes.io/pv-protection', isUsed);
  });
}

/** Keeps a VolumeAttributesClass while a volume or claim has it or requests it. */
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

/** Adds the finalizer, and removes it from an object that is being deleted when it is not used any more. */
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

/** Claims of a pod that has ended or is being deleted. Other changes of pods release no claims. */
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

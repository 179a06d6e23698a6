import { PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { StorageClass } from '@pintle/kinds/storage/v1';
import type { Manager, NamespacedRequest, Request } from '@pintle/operator';
import { eventRecorder } from '../common/record-event.ts';
import { BIND_COMPLETED, classOf, isBoundTo, isMarked } from './storage-names.ts';
import { claimsOf, syncClaim } from './sync-claim.ts';
import { syncVolume } from './sync-volume.ts';

/** Binds claims to volumes, and keeps both sides of a binding in sync. */
export function addPersistentVolumeBinder(manager: Manager): void {
  const record = eventRecorder(manager, 'persistentvolume-controller');
  /** Claims with changes of their own. Events are recorded for these only, not for syncs that other objects trigger. */
  const changedClaims = new Set<string>();
  manager
    .controller(PersistentVolumeClaim, 'persistentvolume-binder-claims')
    .filter(({ type, object }) => {
      if (type === 'deleted') changedClaims.delete(keyOf(requestOf(object)));
      else changedClaims.add(keyOf(requestOf(object)));
      return true;
    })
    .watches(PersistentVolume, (volume) => affectedClaims(manager, volume))
    .watches(StorageClass, () => pendingClaims(manager))
    .watches(
      Pod,
      (pod) => {
        const awaiting = [...pendingClaimsOf(manager, pod)];
        for (const claim of awaiting) changedClaims.add(keyOf(claim));
        return awaiting;
      },
      ({ type }) => type === 'added',
    )
    .reconcile(async (claim, { client }) => {
      const isOwnChange = changedClaims.delete(keyOf(requestOf(claim)));
      await syncClaim(client, claim, isOwnChange || hasRequestedVolume(claim) ? record : () => undefined);
    });
  manager
    .controller(PersistentVolume, 'persistentvolume-binder-volumes')
    .watches(PersistentVolumeClaim, (claim) => affectedVolumes(manager, claim))
    .reconcile(async (volume, { client }) => await syncVolume(client, volume, record));
}

/** Claims that are bound to the volume or request it; for a free volume, all pending ones. */
function* affectedClaims(manager: Manager, volume: PersistentVolume): Iterable<NamespacedRequest> {
  const { claimRef } = volume.spec ?? {};
  if (claimRef?.name) yield { namespace: claimRef.namespace ?? '', name: claimRef.name };
  for (const claim of cachedClaims(manager)) {
    if ((!claimRef && isPending(claim)) || claim.spec?.volumeName === volume.metadata.name) yield requestOf(claim);
  }
}

function* pendingClaims(manager: Manager): Iterable<NamespacedRequest> {
  for (const claim of cachedClaims(manager)) if (isPending(claim)) yield requestOf(claim);
}

/** Pending claims of a pod without a node that wait for a pod: their events name it. */
function* pendingClaimsOf(manager: Manager, pod: Pod): Iterable<NamespacedRequest> {
  if (pod.spec?.nodeName) return;
  const used = claimsOf(pod);
  if (used.length === 0) return;
  for (const claim of cachedClaims(manager, pod.metadata.namespace))
    if (used.includes(claim.metadata.name ?? '') && isPending(claim) && waitsForPods(manager, claim))
      yield requestOf(claim);
}

/** A volume that a claim requests by name triggers its claim. */
function hasRequestedVolume({ spec }: PersistentVolumeClaim): boolean {
  return !!spec?.volumeName;
}

function isPending(claim: PersistentVolumeClaim): boolean {
  return !isMarked(claim, BIND_COMPLETED) && !claim.spec?.volumeName;
}

function waitsForPods({ informers }: Manager, claim: PersistentVolumeClaim): boolean {
  const storage = informers.find(StorageClass)?.cache.get({ name: classOf(claim) });
  return storage?.volumeBindingMode === 'WaitForFirstConsumer';
}

function* affectedVolumes(manager: Manager, claim: PersistentVolumeClaim): Iterable<Request> {
  const chosen = claim.spec?.volumeName;
  if (chosen) yield { name: chosen };
  for (const volume of manager.informers.find(PersistentVolume)?.cache.list() ?? [])
    if (isBoundTo(volume, claim)) yield { name: volume.metadata.name ?? '' };
}

function cachedClaims(manager: Manager, namespace?: string): readonly PersistentVolumeClaim[] {
  return manager.informers.find(PersistentVolumeClaim)?.cache.list(namespace ? { namespace } : {}) ?? [];
}

function requestOf({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): NamespacedRequest {
  return { namespace, name };
}

function keyOf({ namespace, name }: NamespacedRequest): string {
  return `${namespace}/${name}`;
}

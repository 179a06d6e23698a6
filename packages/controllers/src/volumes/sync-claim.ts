import type { CachedClient } from '@pintle/client';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { StorageClass } from '@pintle/kinds/storage/v1';
import { isTerminal } from '../common/pods.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { bind, setUnbound } from './binding.ts';
import { findVolume, mismatchOf } from './find-volume.ts';
import { provision } from './provision.ts';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOf,
  hasClass,
  isBoundTo,
  isMarked,
  SELECTED_NODE,
} from './storage-names.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

/**
 *     unbound ──► requests no volume: bind the best free one, or have one provisioned
 *        │        requests one: bind it when it exists and is free
 *        ▼
 *      bound  ──► stays, or is lost with its volume
 */
export async function syncClaim(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  record: RecordEvent,
): Promise<void> {
  const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    record(PersistentVolumeClaim, claim, { type, reason, message });
  if (isMarked(claim, BIND_COMPLETED)) await syncBound(client, claim, recordEvent);
  else if (claim.spec?.volumeName) await syncRequested(client, claim, claim.spec.volumeName, recordEvent);
  else await syncPending(client, claim, recordEvent);
}

export type RecordClaimEvent = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

async function syncBound(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  recordEvent: RecordClaimEvent,
): Promise<void> {
  const name = claim.spec?.volumeName;
  const volume = name ? await client.find(PersistentVolume, { name }) : undefined;
  const owner = volume?.spec?.claimRef?.uid;
  if (volume !== undefined && (volume.spec?.claimRef === undefined || owner === claim.metadata.uid))
    return await bind(client, volume, claim);
  if (claim.status?.phase === 'Lost' || !(await setUnbound(client, claim, 'Lost'))) return;
  if (volume !== undefined)
    recordEvent('Warning', 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
  else
    recordEvent(
      'Warning',
      'ClaimLost',
      `Bound claim has lost ${name ? 'its' : 'reference to'} PersistentVolume. Data on the volume is lost!`,
    );
}

async function syncRequested(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  name: string,
  recordEvent: RecordClaimEvent,
): Promise<void> {
  const volume = await client.find(PersistentVolume, { name });
  const isFree = volume !== undefined && volume.spec?.claimRef === undefined;
  const why = isFree ? mismatchOf(volume, claim) : undefined;
  if (volume !== undefined && ((isFree && why === undefined) || isBoundTo(volume, claim)))
    return await bind(client, volume, claim);
  if (why !== undefined) recordEvent('Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`);
  else if (volume !== undefined)
    recordEvent('Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`);
  if (volume === undefined || isFree || !isMarked(claim, BOUND_BY_CONTROLLER))
    await setUnbound(client, claim, 'Pending');
}

async function syncPending(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  recordEvent: RecordClaimEvent,
): Promise<void> {
  const name = classOf(claim);
  const storage = name === '' ? undefined : await client.find(StorageClass, { name });
  const isDelayed = storage?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(claim, await client.list(PersistentVolume), { isDelayed });
  if (volume !== undefined) return await bind(client, volume, claim);
  if (await chooseDefaultClass(client, claim)) return;
  if (isDelayed && !isMarked(claim, SELECTED_NODE)) recordWaitForPod(await waitingPods(client, claim), recordEvent);
  else if (name !== '') return await provision(client, claim, storage, recordEvent);
  else
    recordEvent(
      'Normal',
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    );
  await setUnbound(client, claim, 'Pending');
}

/** Sets the default class on a claim that was created before there was one. */
async function chooseDefaultClass(client: CachedClient, claim: PersistentVolumeClaim): Promise<boolean> {
  if (hasClass(claim)) return false;
  const defaults = (await client.list(StorageClass)).filter(({ metadata }) =>
    DEFAULT_CLASS.some((annotation) => metadata.annotations?.[annotation] === 'true'),
  );
  const created = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? '';
  const [newest] = defaults.sort(
    (a, b) => compare(created(b), created(a)) || compare(a.metadata.name ?? '', b.metadata.name ?? ''),
  );
  if (newest === undefined) return false;
  const spec = { ...claim.spec, storageClassName: newest.metadata.name ?? '' };
  await client.update(PersistentVolumeClaim, { ...claim, spec });
  return true;
}

async function waitingPods(client: CachedClient, { metadata }: PersistentVolumeClaim): Promise<string[]> {
  const pods = await client.list(Pod, { namespace: metadata.namespace });
  return pods
    .filter((pod) => !isTerminal(pod) && !pod.spec?.nodeName && claimsOf(pod).includes(metadata.name ?? ''))
    .map((pod) => pod.metadata.name ?? '');
}

/** Returns the claims of a pod, including those of ephemeral volumes. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
}

function recordWaitForPod(pods: readonly string[], recordEvent: RecordClaimEvent): void {
  if (pods.length === 0)
    recordEvent('Normal', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
  else
    recordEvent(
      'Normal',
      'WaitForPodScheduled',
      `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`,
    );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

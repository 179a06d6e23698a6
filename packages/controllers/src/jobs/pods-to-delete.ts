import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { inDeletionOrder } from '../replica-sets/deletion-order.ts';
import { hasValidIndex, type JobSnapshot } from './job-snapshot.ts';
import { completionIndexOf, isTracked, TRACKING } from './tracked-pod.ts';

/**
 * Returns at least `atLeast` active pods to delete: those with an invalid or duplicate index first, then the least
 * advanced.
 */
export function podsToDelete(
  { isIndexed, active, completions = 0 }: JobSnapshot,
  atLeast: number,
  nowMs: number,
): Pod[] {
  if (!isIndexed) return leastAdvanced(active, atLeast, nowMs);
  const deleted: Pod[] = active.filter((pod) => !hasValidIndex(pod, completions));
  const kept: Pod[] = [];
  for (const sharing of byIndex(active.filter((pod) => hasValidIndex(pod, completions)))) {
    const others = leastAdvanced(sharing, sharing.length - 1, nowMs);
    for (const pod of others) deleted.push(pod);
    kept.push(sharing.find((pod) => !others.includes(pod))!);
  }
  const more = Math.max(0, atLeast - deleted.length);
  return [...deleted, ...leastAdvanced(kept, more, nowMs)];
}

function byIndex(pods: readonly Pod[]): Iterable<Pod[]> {
  const groups = new Map<number | undefined, Pod[]>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [pod]);
    else group.push(pod);
  }
  return groups.values();
}

function leastAdvanced(pods: readonly Pod[], count: number, nowMs: number): Pod[] {
  return count === 0 ? [] : inDeletionOrder(pods, [], nowMs).slice(0, count);
}

/** Removes the tracking finalizer. Ignores that the pod is gone. */
export async function removeTrackingFinalizer(client: CachedClient, pod: Pod): Promise<void> {
  if (isTracked(pod)) await untrack(client, pod, {}).catch(ignoring(isNotFound));
}

/**
 * Removes the tracking finalizer unless the pod has changed since it was read: then it may have ended, and count. Returns the
 * pod without it, or `undefined` when it is gone. Rejects with Conflict when it has changed.
 */
export async function stopTracking(client: CachedClient, pod: Pod): Promise<Pod | undefined> {
  if (!isTracked(pod)) return pod;
  const { resourceVersion = '' } = pod.metadata;
  return await untrack(client, pod, { resourceVersion }).catch(ignoring(isNotFound));
}

async function untrack(client: CachedClient, { metadata }: Pod, condition: { resourceVersion?: string }): Promise<Pod> {
  const { namespace, name = '' } = metadata;
  const body = { metadata: { ...condition, '$deleteFromPrimitiveList/finalizers': [TRACKING] } };
  return await client.patch(Pod, { namespace, name }, { type: 'strategic', body });
}

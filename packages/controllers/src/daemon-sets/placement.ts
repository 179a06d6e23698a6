import type { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isAvailable, isReady } from '../common/pods.ts';
import { isUpdated } from './daemon-pod.ts';
import type { DaemonSetSnapshot, PodChanges } from './daemon-set-snapshot.ts';

/** Returns how long to wait before a failed pod on the node is deleted; `undefined`: delete it now. */
type BackoffOf = (node: string) => number | undefined;

interface Placement extends PodChanges {
  /** Pods that have ended, among those to delete. */
  readonly ended: { readonly pod: Pod; readonly node: string }[];
  /** Time until the next sync. */
  readonly retryMs: number | undefined;
}

/** Plans one pod for every eligible node, and none elsewhere. */
export function planPlacement(snapshot: DaemonSetSnapshot, backoffOf: BackoffOf): Placement {
  const { eligibilityByNode, podsByNode } = snapshot;
  const changes: Mutable = { podsToDelete: [], nodesNeedingPods: [], ended: [], retryMs: undefined };
  for (const [name, { shouldRun, shouldContinueRunning }] of eligibilityByNode) {
    const pods = podsByNode.get(name) ?? [];
    if (shouldRun && pods.length === 0) changes.nodesNeedingPods.push(name);
    else if (!shouldContinueRunning) appendAll(changes.podsToDelete, pods.filter(isNotTerminating));
    else keepOldest(snapshot, name, pods, changes, backoffOf);
  }
  for (const [name, pods] of podsByNode)
    if (!eligibilityByNode.has(name))
      appendAll(
        changes.podsToDelete,
        pods.filter((pod) => isNotTerminating(pod) && !pod.spec?.nodeName),
      );
  return changes;
}

type Mutable = { -readonly [K in keyof Placement]: Placement[K] };

/** Keeps the oldest pod of a node; during a surge, the oldest of each template. */
function keepOldest(
  snapshot: DaemonSetSnapshot,
  node: string,
  pods: readonly Pod[],
  changes: Mutable,
  backoffOf: BackoffOf,
): void {
  const running: Pod[] = [];
  for (const pod of pods.filter(isNotTerminating)) {
    const { phase } = pod.status ?? {};
    if (phase === 'Failed' || phase === 'Succeeded') {
      const waitMs = phase === 'Failed' ? backoffOf(node) : undefined;
      if (waitMs !== undefined) changes.retryMs = Math.min(changes.retryMs ?? waitMs, waitMs);
      else {
        changes.podsToDelete.push(pod);
        changes.ended.push({ pod, node });
      }
    } else running.push(pod);
  }
  if (!allowsSurge(snapshot.set)) appendAll(changes.podsToDelete, running.slice(1));
  else appendAll(changes.podsToDelete, excessPods(snapshot, running));
}

function excessPods({ set, hash, nowMs }: DaemonSetSnapshot, running: readonly Pod[]): Pod[] {
  const [eldestNew, ...otherNew] = running.filter((pod) => isUpdated(pod, set, hash));
  const [eldestOld, ...otherOld] = running.filter((pod) => !isUpdated(pod, set, hash));
  const beyond = [...otherNew, ...otherOld];
  if (eldestNew === undefined || eldestOld === undefined) return beyond;
  const isReplaced = !isReady(eldestOld) || isAvailable(eldestNew, set.spec?.minReadySeconds ?? 0, nowMs);
  return isReplaced ? [...beyond, eldestOld] : beyond;
}

function allowsSurge({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const { maxSurge } = rollingUpdate ?? {};
  return type === 'RollingUpdate' && maxSurge !== undefined && maxSurge !== 0 && maxSurge !== '0%';
}

function isNotTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Like `push`, for more items than a call takes arguments. */
function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

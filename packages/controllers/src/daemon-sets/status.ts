import type { DaemonSetStatus } from '@pintle/kinds/apps/v1';
import { smallest } from '../common/extremes.ts';
import { availableAtMs, isAvailable, isReady } from '../common/pods.ts';
import { isUpdated } from './daemon-pod.ts';
import type { DaemonSetSnapshot } from './daemon-set-snapshot.ts';

/** Counts nodes and their pods. The oldest pod of a node counts. */
export function daemonStatus(
  { set, hash, eligibilityByNode, podsByNode, nowMs }: DaemonSetSnapshot,
  collisionCount: number,
): DaemonSetStatus {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const [node, { shouldRun }] of eligibilityByNode) {
    const [pod] = podsByNode.get(node) ?? [];
    if (!shouldRun) {
      if (pod !== undefined) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (pod === undefined) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, minReadySeconds, nowMs)) counts.available++;
    if (isUpdated(pod, set, hash)) counts.updated++;
  }
  const { conditions } = set.status ?? {};
  const unavailable = counts.desired - counts.available;
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...(counts.updated > 0 && { updatedNumberScheduled: counts.updated }),
    ...(counts.available > 0 && { numberAvailable: counts.available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...((collisionCount > 0 || set.status?.collisionCount !== undefined) && { collisionCount }),
    ...(conditions && { conditions }),
  };
}

/** Returns the time until the next ready pod becomes available. */
export function untilAvailableMs({ set, podsByNode, nowMs }: DaemonSetSnapshot): number | undefined {
  const times = [...podsByNode.values()]
    .flat()
    .map((pod) => (availableAtMs(pod, set.spec?.minReadySeconds ?? 0) ?? 0) - nowMs)
    .filter((ms) => ms > 0);
  return smallest(times);
}

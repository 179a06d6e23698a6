import type { StatefulSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { scaledValue } from '@pintle/machinery/quantity';
import { revisionOf, sizeOf } from './identity.ts';
import { isRunningAndAvailable, isTerminating } from './status.ts';

/**
 * Returns the pods to delete next, so that they are created with the new template: from the last down to the partition,
 * within `maxUnavailable`. A pod with the old template need not be available before it is deleted, because it might
 * never be.
 */
export function outdatedPods(set: StatefulSet, replicas: readonly Pod[], updateRevision: string, nowMs: number): Pod[] {
  const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const allowed = Math.max(1, scaledValue(maxUnavailable, sizeOf(set), { roundUp: false }));
  const outdated: Pod[] = [];
  let underway = 0;
  for (const pod of replicas.slice(partition).reverse()) {
    const isOld = revisionOf(pod) !== updateRevision && !isTerminating(pod);
    if (isOld) outdated.push(pod);
    if (isOld || !isRunningAndAvailable(set, pod, nowMs)) underway++;
    if (underway >= allowed) break;
  }
  return outdated;
}

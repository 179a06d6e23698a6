import type { Pod, Taint } from '@pintle/kinds/core/v1';
import { tolerates } from '../common/tolerations.ts';

/** It is too late to wait for anything. */
export const AT_ONCE = 0;

/**
 * When a pod has to leave a node that has these taints: `AT_ONCE` unless it tolerates all of them, never (`undefined`)
 * when it tolerates them for as long as they last. Time counts from when the taint and the pod are both there;
 * `seenMs` stands in for taints that do not say since when.
 */
export function evictionTimeMs(taints: readonly Taint[], pod: Pod, seenMs: number): number | undefined {
  const { tolerations = [] } = pod.spec ?? {};
  const startMs = Date.parse(pod.status?.startTime ?? pod.metadata.creationTimestamp ?? '') || 0;
  const deadlines: number[] = [];
  for (const taint of taints.filter(({ effect }) => effect === 'NoExecute')) {
    const toleration = tolerations.find((candidate) => tolerates(candidate, taint));
    if (toleration === undefined) return AT_ONCE;
    if (toleration.tolerationSeconds === undefined) continue;
    const sinceMs = Math.max(startMs, Date.parse(taint.timeAdded ?? '') || seenMs);
    deadlines.push(sinceMs + Math.max(0, Number(toleration.tolerationSeconds)) * 1_000);
  }
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

import type { Pod } from '@pintle/kinds/core/v1';
import { table } from '@pintle/machinery/table';
import { isReady, readyCondition, restartsOf } from '../common/pods.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = table({ Pending: 0, Unknown: 1, Running: 2 });

/**
 * Sorts pods by the order in which excess ones are deleted: those without a node, not running, not ready, with a low
 * deletion cost, on a node with many pods, ready for the shortest time, with most restarts, and youngest come first.
 */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], nowMs: number): Pod[] {
  const perNode = new Map<string, number>();
  for (const { spec, status } of related) {
    const node = spec?.nodeName ?? '';
    if (status?.phase === 'Running' || node !== '') perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const ranks = (pod: Pod): readonly number[] => [
    pod.spec?.nodeName ? 1 : 0,
    PHASES[pod.status?.phase ?? 'Pending'] ?? 1,
    isReady(pod) ? 1 : 0,
    costOf(pod),
    -(perNode.get(pod.spec?.nodeName ?? '') ?? 0),
    isReady(pod) ? logarithmicAge(readyCondition(pod)?.lastTransitionTime, nowMs) : 0,
    -restartsOf(pod),
    logarithmicAge(pod.metadata.creationTimestamp, nowMs),
  ];
  return pods
    .map((pod) => ({ pod, rank: ranks(pod) }))
    .sort((a, b) => compare(a.rank, b.rank) || ((a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1))
    .map(({ pod }) => pod);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) if (rank !== b[index]) return rank - b[index]!;
  return 0;
}

function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[COST] ?? '0';
  return /^-?\d{1,10}$/.test(text) ? Number(text) : 0;
}

/**
 * Returns the logarithm of the age. Ages that differ by less than a factor of two count as equal, which makes the
 * choice hard to predict.
 */
function logarithmicAge(time: string | null | undefined, nowMs: number): number {
  const ageMs = nowMs - Date.parse(time ?? '');
  return ageMs > 0 ? Math.floor(Math.log2(ageMs / 1_000 + 1)) : 0;
}

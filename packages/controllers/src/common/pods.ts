import type { Pod, PodCondition } from '@pintle/kinds/core/v1';

/** It runs or will run, and nobody has asked it to stop. */
export function isActive({ metadata, status }: Pod): boolean {
  return !isEnded({ metadata, status } as Pod) && metadata.deletionTimestamp === undefined;
}

export function isEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** When it has been ready for `minReadySeconds`; `undefined` while it is not ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isNaN(since) ? undefined : since + minReadySeconds * 1_000;
}

export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds);
  return atMs !== undefined && atMs <= nowMs;
}

/** How often its containers were started again, at most. */
export function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));
}

import type { Pod, PodCondition } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';

/** Sets a condition; its transition time changes only with its status. */
export function setPodCondition(pod: Pod, condition: PodCondition, nowMs: number): void {
  pod.status ??= {};
  const conditions = [...(pod.status.conditions ?? [])];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[at];
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime ? before.lastTransitionTime : formatTime(nowMs);
  const next = { lastProbeTime: null, lastTransitionTime, ...condition } as PodCondition;
  if (at === -1) conditions.push(next);
  else conditions[at] = next;
  pod.status.conditions = conditions;
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

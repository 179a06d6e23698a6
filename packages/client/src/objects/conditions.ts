import type { Condition } from '@pintle/kinds/meta/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';

/** A condition as its owner sees it; when it last changed follows from what was there. */
export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word for programs; the API wants one. */
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** The conditions with this one in its place, or at the end. Its transition time changes only with its status. */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: NewCondition,
  { nowMs }: { readonly nowMs: number },
): Condition[] {
  const before = findCondition(conditions, condition.type);
  const hasChanged = before?.status !== condition.status;
  const lastTransitionTime = hasChanged ? formatTime(nowMs) : before.lastTransitionTime;
  const after: Condition = { ...before, message: '', ...condition, lastTransitionTime };
  if (before === undefined) return [...(conditions ?? []), after];
  return conditions!.map((existing) => (existing === before ? after : existing));
}

export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Whether an object says so about its newest state: a condition, or a status, of an earlier generation does not count. */
export function hasCondition(type: string, status = 'True'): (object: KubernetesObject | undefined) => boolean {
  return (object) => {
    const { conditions, observedGeneration } = (object as WithConditions | undefined)?.status ?? {};
    const condition = findCondition(conditions, type);
    const seen = condition?.observedGeneration ?? observedGeneration;
    const isCurrent = seen === undefined || seen >= (object?.metadata.generation ?? 0);
    return condition?.status === status && isCurrent;
  };
}

interface WithConditions extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly observedGeneration?: number;
    }[];
  };
}

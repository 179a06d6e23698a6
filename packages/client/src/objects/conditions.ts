import type { Condition } from '@pintle/kinds/meta/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';

/** Condition to set; its transition time follows from the previous condition. */
export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** Machine-readable reason in CamelCase; required by the API. */
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** Returns the conditions with this one replaced or appended. Its transition time changes only with its status. */
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

/** Returns a check for a condition of the object's current generation; conditions of earlier generations do not count. */
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

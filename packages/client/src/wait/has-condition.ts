import type { KubernetesObject } from '@pintle/machinery';
import { findCondition } from '../objects/conditions.ts';

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

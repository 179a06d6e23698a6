import type { GroupKind } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { genericRules } from './generic-rules.ts';
import { platformRules } from './platform/index.ts';
import { workloadRules } from './workloads/index.ts';

export { toCoreEvent, toNewEvent } from './platform/core/event-conversion.ts';
export {
  type AnyAutoscaler,
  type BindingTarget,
  bindingRefusal,
  type LogOptions,
  toVersion1,
  toVersion2,
  validateBinding,
  validateLogOptions,
} from './workloads/index.ts';

/**
 * The rules of a built-in kind. A kind without rules of its own gets the generic ones, which follow from its shape:
 * whether it has a status subresource.
 */
export function rulesOf(kind: GroupKind, shape: { readonly hasStatus: boolean }): ResourceRules {
  return workloadRules[kind.group]?.[kind.kind] ?? platformRules[kind.group]?.[kind.kind] ?? genericRules(shape);
}

import type { GroupKind } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { genericRules } from './generic-rules.ts';
import { platformRules } from './platform/index.ts';
import { workloadRules } from './workloads/index.ts';

export { columnDescriptions } from './column-descriptions.ts';
export { nameAndCreation } from './common/printers.ts';
export { toCoreEvent, toNewEvent } from './platform/core/event-conversion.ts';
export { type Approval, type ApprovalState, approvalOf, isProtectedGroup } from './platform/extensions/api-approval.ts';
export { type AnyAutoscaler, toVersion1, toVersion2 } from './workloads/horizontal-pod-autoscaler/convert.ts';
export { toStoredAutoscaler } from './workloads/horizontal-pod-autoscaler/defaults.ts';
export {
  type BindingTarget,
  bindingRefusal,
  type LogOptions,
  validateBinding,
  validateLogOptions,
} from './workloads/pod/subresources.ts';

/**
 * Loads the rules of a built-in kind; the same ones at every call. A kind without rules gets the generic ones, which
 * depend only on whether it has a status subresource.
 */
export async function loadRules(kind: GroupKind, shape: { readonly hasStatus: boolean }): Promise<ResourceRules> {
  const load = workloadRules[kind.group]?.[kind.kind] ?? platformRules[kind.group]?.[kind.kind];
  return load === undefined ? genericRules(shape) : ((await load()) as ResourceRules);
}

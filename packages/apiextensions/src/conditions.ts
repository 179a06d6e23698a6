import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@pintle/kinds/apiextensions/v1';

export type ConditionType = 'NamesAccepted' | 'Established' | 'Terminating' | 'KubernetesAPIApprovalPolicyConformant';

/** A condition without its transition time. */
export interface ConditionChange {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(definition: CustomResourceDefinition, type: ConditionType) {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(definition: CustomResourceDefinition, type: ConditionType): boolean {
  return conditionOf(definition, type)?.status === 'True';
}

/** Returns the conditions with one of them set; its transition time changes only with its status. */
export function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  condition: ConditionChange,
  now: string,
): CustomResourceDefinitionCondition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.status === condition.status && before.lastTransitionTime;
  const lastTransitionTime = isSame ? before.lastTransitionTime! : now;
  const next = { lastTransitionTime, ...condition };
  return before === undefined
    ? [...conditions, next]
    : conditions.map((item) => (item.type === condition.type ? next : item));
}

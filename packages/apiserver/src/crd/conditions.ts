import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@pintle/kinds/apiextensions/v1';

type ConditionType = 'NamesAccepted' | 'Established' | 'Terminating';

export function conditionOf(definition: CustomResourceDefinition, type: ConditionType) {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(definition: CustomResourceDefinition, type: ConditionType): boolean {
  return conditionOf(definition, type)?.status === 'True';
}

/** The conditions with one of them set; its transition time moves only when its status does. */
export function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  condition: Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'> & { readonly type: ConditionType },
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

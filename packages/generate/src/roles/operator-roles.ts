import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { OperatorFacts } from '../operator/load-operator.ts';
import type { RoleUse } from './rules.ts';
import { isAllowed, rulesOf, usesOf } from './rules.ts';

/** What an operator is allowed, and where. */
export interface OperatorRoles {
  /** Everywhere. */
  readonly cluster: readonly PolicyRule[];
  /** In the namespace of the operator: its lease and its certificates, and all else when that is all it looks after. */
  readonly own: readonly PolicyRule[];
  /** Seen and nowhere declared; allowed nevertheless. */
  readonly undeclared: readonly RoleUse[];
}

const EVENTS = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['create', 'get', 'patch', 'update', 'watch'],
};

/** From what its code declares, what its resources need anyway, and what it was seen to do. */
export function operatorRoles(facts: OperatorFacts, { namespaced }: { readonly namespaced: boolean }): OperatorRoles {
  const declared = [...facts.definitions.flatMap(ownRules), EVENTS, ...facts.rules];
  const own = [LEASES, ...facts.ownRules];
  const undeclared = facts.observed.filter((use) => !isDefinition(use) && !isAllowed(use, [...declared, ...own]));
  const wide = [...usesOf(declared), ...undeclared];
  const isLocal = (use: RoleUse): boolean => namespaced && isInNamespaces(use, facts.definitions);
  return {
    cluster: rulesOf(wide.filter((use) => !isLocal(use))),
    own: rulesOf([...usesOf(own), ...wide.filter(isLocal)]),
    undeclared,
  };
}

/** What a controller does with its own objects besides looking: finalizers, status, and blocking the deletion of children. */
function ownRules({ spec: { group, names } }: CustomResourceDefinition): PolicyRule[] {
  const { plural } = names;
  const apiGroups = [group];
  return [
    { apiGroups, resources: [plural], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
    { apiGroups, resources: [`${plural}/status`], verbs: ['get', 'patch', 'update'] },
    { apiGroups, resources: [`${plural}/finalizers`], verbs: ['update'] },
  ];
}

/** While it is developed, an operator installs definitions that are missing. On a cluster, whoever deploys it has done so. */
function isDefinition({ group, resource }: RoleUse): boolean {
  return group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
}

/** Of what nobody knows, namespaces are assumed: that allows less. */
function isInNamespaces({ group, resource }: RoleUse, definitions: readonly CustomResourceDefinition[]): boolean {
  const plural = resource.split('/')[0];
  const defined = definitions.find(({ spec }) => spec.group === group && spec.names.plural === plural);
  if (defined !== undefined) return defined.spec.scope === 'Namespaced';
  const known = builtinGroups
    .filter((each) => each.group === group)
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .find((each) => each.resource === plural);
  return known?.scope !== 'Cluster';
}

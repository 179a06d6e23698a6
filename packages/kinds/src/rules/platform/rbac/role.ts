import { FieldPath, invalid, required } from '@pintle/machinery/errors';
import { pathSegmentName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { ClusterRole, PolicyRule, Role } from '../../../generated/rbac/v1.ts';
import { type Check, collect } from '../../common/checks.ts';
import { nameAndCreation } from '../../common/printers.ts';

export const roleRules: ResourceRules<Role> = {
  validateName: pathSegmentName,
  createOnUpdate: true,
  validate: ({ rules }) => collect(checkRules(rules ?? [], true)),
  validateUpdate: ({ rules }) => ['create', ...checkRules(rules ?? [], true), 'update'],
  printer: nameAndCreation,
};

export const clusterRoleRules: ResourceRules<ClusterRole> = {
  validateName: pathSegmentName,
  createOnUpdate: true,
  validate: (role) => collect(checkRules(role.rules ?? [], false), checkAggregation(role)),
  validateUpdate: (next) => ['create', ...checkRules(next.rules ?? [], false), ...checkAggregation(next), 'update'],
  printer: nameAndCreation,
};

function* checkRules(rules: readonly PolicyRule[], isNamespaced: boolean): Check {
  for (const [index, rule] of rules.entries()) yield* checkRule(rule, isNamespaced, FieldPath.of('rules').index(index));
}

/** A rule has resources or non-resource URLs, not both. */
function* checkRule(rule: PolicyRule, isNamespaced: boolean, path: FieldPath): Check {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs?.length) yield required(path.child('verbs'), 'verbs must contain at least one value');
  if (nonResourceURLs.length > 0) {
    const at = path.child('nonResourceURLs');
    if (isNamespaced) yield invalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      yield invalid(at, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs');
    return;
  }
  if (apiGroups.length === 0)
    yield required(path.child('apiGroups'), 'resource rules must supply at least one api group');
  if (resources.length === 0)
    yield required(path.child('resources'), 'resource rules must supply at least one resource');
}

function* checkAggregation({ aggregationRule }: ClusterRole): Check {
  if (aggregationRule === undefined) return;
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    yield required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  for (const [index, selector] of selectors.entries()) {
    const errors = validateLabelSelector(selector, path.index(index));
    yield* errors;
    if (errors.length > 0) yield invalid(path.index(index), null, 'invalid label selector.');
  }
}

import type { ClusterRole, PolicyRule } from '@pintle/kinds/rbac/v1';
import { deepEqual } from '@pintle/machinery/json';
import { compileLabelSelector } from '@pintle/machinery/selectors';

/**
 * The rules of a role that is made of others: those of every role that one of its selectors picks, in the order of the
 * roles' names, each rule once.
 */
export function aggregatedRules(whole: ClusterRole, roles: Iterable<ClusterRole>): PolicyRule[] {
  const others = [...roles].filter((role) => nameOf(role) !== nameOf(whole));
  others.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of whole.aggregationRule?.clusterRoleSelectors ?? []) {
    const compiled = compileLabelSelector(selector);
    for (const role of others) {
      if (!compiled.matches(role.metadata.labels ?? {})) continue;
      for (const rule of role.rules ?? []) if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

function nameOf({ metadata }: ClusterRole): string {
  return metadata.name ?? '';
}

import type { Turns } from '@pintle/async';
import type { ClusterRole, PolicyRule } from '@pintle/kinds/rbac/v1';
import { selectorOf } from '../common/selectors.ts';

/**
 * Returns the rules of an aggregated role: those of every role that one of its selectors matches, ordered by role name,
 * each rule once.
 */
export async function aggregatedRules(
  aggregate: ClusterRole,
  roles: Iterable<ClusterRole>,
  turns: Turns,
): Promise<PolicyRule[]> {
  const others = [...roles].filter((role) => nameOf(role) !== nameOf(aggregate));
  others.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of aggregate.aggregationRule?.clusterRoleSelectors ?? []) {
    const compiled = selectorOf(selector);
    for (const role of others) {
      if (!compiled.matches(role.metadata.labels ?? {})) continue;
      for (const rule of role.rules ?? []) {
        const text = textOf(rule);
        if (!rules.has(text)) rules.set(text, rule);
      }
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
  return [...rules.values()];
}

/** True when the aggregated role includes the rules of `part`. */
export function isPartOf(part: ClusterRole, { aggregationRule, metadata }: ClusterRole): boolean {
  if (metadata.name === part.metadata.name) return false;
  const { labels = {} } = part.metadata;
  return (aggregationRule?.clusterRoleSelectors ?? []).some((selector) => selectorOf(selector).matches(labels));
}

/** Returns the same text for equal rules. An absent list equals an empty one. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}

function nameOf({ metadata }: ClusterRole): string {
  return metadata.name ?? '';
}

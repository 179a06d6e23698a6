import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { quote } from '@pintle/machinery/errors';
import type { Steps } from '@pintle/machinery/rules';
import { finish } from '@pintle/machinery/rules';
import type { SinglePermission } from './held-rules.ts';
import { HeldRules } from './held-rules.ts';

/** Permissions that a list of rules may expand to; longer lists are not compared. */
export const MAX_COMBINATIONS = 100_000;

/** Rules, list members and permissions that one comparison may visit before it is given up. */
export const MAX_COMPARISONS = 1_000_000;
/** Comparisons between two pauses. */
const PAUSE_COMPARISONS = 1_000;

/** Reads absent and null lists as empty: rules are compared before they are validated. */
function listsOf(rule: PolicyRule): Required<PolicyRule> {
  return {
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}

/** Returns the number of single permissions in a list of rules. */
export function combinationsOf(rules: readonly PolicyRule[]): number {
  return rules.reduce((sum, rule) => {
    const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = listsOf(rule);
    const ofResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length);
    return sum + verbs.length * (ofResources + nonResourceURLs.length);
  }, 0);
}

/**
 * Yields pauses, and returns the permissions in `wanted` that `held` does not cover, as rules of one resource or path
 * each. A star is only covered by a star: holding every verb there is today is not holding all verbs. Returns
 * `undefined` when it took too many comparisons.
 */
export function* missingInSteps(
  held: Iterable<PolicyRule>,
  wanted: readonly PolicyRule[],
  maxComparisons: number,
): Steps<PolicyRule[] | undefined> {
  const resources = new Set(wanted.flatMap((rule) => rule.resources ?? []));
  const holding = new HeldRules(resources);
  const missing = new Map<string, PolicyRule>();
  let pauseAt = PAUSE_COMPARISONS;
  for (const item of workOf(held, wanted)) {
    if ('held' in item) holding.add(item.held);
    else if (!holding.covers(item)) add(missing, item);
    if (holding.comparisons > maxComparisons) return undefined;
    if (holding.comparisons < pauseAt) continue;
    pauseAt = holding.comparisons + PAUSE_COMPARISONS;
    yield;
  }
  return [...missing.values()];
}

/** Like `missingInSteps`, without pauses or limit: for built-in rules. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return finish(missingInSteps(held, wanted, Number.POSITIVE_INFINITY)) ?? [];
}

/** Yields every held rule, then every wanted permission. */
function* workOf(
  held: Iterable<PolicyRule>,
  wanted: readonly PolicyRule[],
): Generator<{ held: PolicyRule } | SinglePermission> {
  for (const rule of held) yield { held: rule };
  for (const rule of wanted) yield* permissionsOf(rule);
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts.flatMap(([name, list]) => (list?.length ? [`${name}:${quoteList(list)}`] : [])).join(', ')}}`;
}

/** `["a" "b"]` */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}

function* permissionsOf(rule: PolicyRule): Generator<SinglePermission> {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = listsOf(rule);
  // The loops end at once when the innermost has nothing to do, however long the outer ones are.
  if (verbs.length === 0) return;
  for (const group of resources.length === 0 ? [] : apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        if (resourceNames.length === 0) yield { verb, group, resource };
        for (const name of resourceNames) yield { verb, group, resource, name };
      }
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { verb, path };
}

/** Merges permissions on the same resource into one rule with their verbs, repeated as requested. */
function add(missing: Map<string, PolicyRule>, { verb, group, resource, name, path }: SinglePermission): void {
  if (path !== undefined) {
    missing.set(JSON.stringify([path, verb]), { verbs: [verb], nonResourceURLs: [path] });
    return;
  }
  const key = JSON.stringify([group, resource, name ?? null]);
  const known = missing.get(key);
  if (known === undefined) {
    const names = name === undefined ? {} : { resourceNames: [name] };
    missing.set(key, { verbs: [verb], apiGroups: [group!], resources: [resource!], ...names });
  } else known.verbs.push(verb);
}

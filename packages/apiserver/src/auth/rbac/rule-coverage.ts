import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { quote } from '@pintle/machinery/errors';
import { pathCovers } from './policy-rule.ts';

/** Rules that name more combinations than this cannot be compared. */
export const MAX_COMBINATIONS = 100_000;

/** One verb on one resource of one group, perhaps of one name; or one verb on one path. */
interface Atom {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

/** A rule is looked at before it is validated: what it does not say, or says to be null, is empty. */
function listsOf(rule: PolicyRule): Required<PolicyRule> {
  return {
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}

/** How many single permissions a list of rules stands for. */
export function combinationsOf(rules: readonly PolicyRule[]): number {
  return rules.reduce((sum, rule) => {
    const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = listsOf(rule);
    const ofResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length);
    return sum + verbs.length * (ofResources + nonResourceURLs.length);
  }, 0);
}

/**
 * What `wanted` allows and `held` does not, as rules of one resource or path each. A star is held only by who holds a
 * star: to have every verb there is today is not to have every verb.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing = new Map<string, PolicyRule>();
  for (const rule of wanted) {
    for (const atom of atomsOf(rule)) {
      if (held.some((owner) => covers(owner, atom))) continue;
      add(missing, atom);
    }
  }
  return [...missing.values()];
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

function* atomsOf(rule: PolicyRule): Generator<Atom> {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = listsOf(rule);
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        if (resourceNames.length === 0) yield { verb, group, resource };
        for (const name of resourceNames) yield { verb, group, resource, name };
      }
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { verb, path };
}

function covers(owner: PolicyRule, { verb, group, resource, name, path }: Atom): boolean {
  if (!has(owner.verbs, verb)) return false;
  if (path !== undefined) return (owner.nonResourceURLs ?? []).some((pattern) => pathCovers(pattern, path));
  return has(owner.apiGroups, group!) && coversResource(owner.resources, resource!) && coversName(owner, name);
}

function has(list: readonly string[] = [], text: string): boolean {
  return list.includes('*') || list.includes(text);
}

function coversResource(list: readonly string[] = [], resource: string): boolean {
  if (has(list, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && list.includes(`*${resource.slice(slash)}`);
}

function coversName({ resourceNames = [] }: PolicyRule, name: string | undefined): boolean {
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

/** Permissions on the same thing become one rule with their verbs, each as often as it was asked for. */
function add(missing: Map<string, PolicyRule>, { verb, group, resource, name, path }: Atom): void {
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

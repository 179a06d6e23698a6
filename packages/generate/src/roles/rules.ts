import type { PolicyRule } from '@pintle/kinds/rbac/v1';

/** One verb on one resource, as in RBAC. */
export interface RoleUse {
  readonly group: string;
  /** Plural name with its subresource: `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
  /** Name of the only object. Default: all objects. */
  readonly name?: string;
}

/** Returns all uses that rules allow. */
export function usesOf(rules: readonly PolicyRule[]): RoleUse[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [] }) =>
    apiGroups
      .flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))))
      .flatMap((use) => (resourceNames.length === 0 ? [use] : resourceNames.map((name) => ({ ...use, name })))),
  );
}

/** Returns the fewest rules that allow all uses, in an order that depends on their content only. */
export function rulesOf(uses: readonly RoleUse[]): PolicyRule[] {
  const wide = new Set(uses.filter(({ name }) => name === undefined).map(keyOf));
  const needed = uses.filter((use) => use.name === undefined || !wide.has(keyOf(use)));
  const byResource = groupBy(needed, ({ group, resource, name = '' }) => `${group}/${resource} ${name}`);
  const entries = byResource.map((same) => ({ ...same[0]!, verbs: unique(same.map(({ verb }) => verb)) }));
  entries.sort(
    (a, b) => compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.name ?? '', b.name ?? ''),
  );
  const named = groupBy(entries, ({ group, resource, verbs, name }) => `${group}/${resource} ${verbs} ${name && '*'}`);
  const resources = named.map((same) => ({ ...same[0]!, names: unique(same.flatMap(({ name }) => name ?? [])) }));
  return groupBy(resources, ({ group, verbs, names }) => `${group} ${verbs} ${names}`).map((alike) => ({
    apiGroups: [alike[0]!.group],
    resources: alike.map(({ resource }) => resource),
    verbs: alike[0]!.verbs,
    ...(alike[0]!.names.length > 0 && { resourceNames: alike[0]!.names }),
  }));
}

function keyOf({ group, resource, verb }: RoleUse): string {
  return `${group}/${resource} ${verb}`;
}

/** True when a rule names the group, resource, verb and object; `*` matches anything. */
export function isAllowed({ group, resource, verb, name }: RoleUse, rules: readonly PolicyRule[]): boolean {
  return rules.some(
    ({ apiGroups = [], resources = [], verbs, resourceNames = [] }) =>
      (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))) &&
      hasAny(verbs, ['*', verb]) &&
      hasAny(apiGroups, ['*', group]) &&
      hasAny(resources, ['*', resource]),
  );
}

function hasAny(listed: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((word) => listed.includes(word));
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

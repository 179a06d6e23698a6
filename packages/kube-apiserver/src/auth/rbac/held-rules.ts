import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { TextTest } from './policy-rule.ts';
import { oneOf, withoutStars } from './policy-rule.ts';

/** One verb on one resource of one group, optionally of one name; or one verb on one path. */
export interface SinglePermission {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
}

interface ResourceGrant {
  readonly verb: TextTest;
  readonly group: TextTest;
  /** `undefined` means objects of every name. */
  readonly names: ReadonlySet<string> | undefined;
}

interface PathGrant {
  readonly verb: TextTest;
  readonly patterns: readonly string[];
}

/** The paths that one verb is held for. */
interface HeldPaths {
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** Names of the objects that a permission covers. */
type HeldNames = ReadonlySet<string> | 'every';

interface Answered {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly names: HeldNames;
}

/**
 * The rules of a user, arranged by resource, to compare many permissions with. Keeps only rules for the given
 * resources, and counts its work, so that callers can pause and stop.
 */
export class HeldRules {
  /** Number of rules, list members and permissions that were compared. */
  comparisons = 0;
  readonly #grants = new Map<string, ResourceGrant[]>();
  readonly #paths: PathGrant[] = [];
  readonly #pathsByVerb = new Map<string, HeldPaths>();
  #last: Answered | undefined;

  /** `resources`: those of the permissions to check. */
  constructor(resources: Iterable<string>) {
    for (const resource of resources) for (const key of keysOf(resource)) this.#grants.set(key, []);
  }

  add({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): void {
    this.comparisons += 1 + resources.length;
    const wanted = new Set(resources.filter((resource) => this.#grants.has(resource)));
    if (wanted.size > 0) {
      this.comparisons += verbs.length + apiGroups.length + resourceNames.length;
      const names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
      const grant = { verb: oneOf(verbs), group: oneOf(apiGroups), names };
      for (const resource of wanted) this.#grants.get(resource)!.push(grant);
    }
    if (nonResourceURLs.length === 0) return;
    this.comparisons += verbs.length + nonResourceURLs.length;
    this.#paths.push({ verb: oneOf(verbs), patterns: nonResourceURLs });
  }

  /** True when the rules cover the permission. A star is only covered by a star. */
  covers({ verb, group = '', resource = '', name, path }: SinglePermission): boolean {
    this.comparisons++;
    if (path !== undefined) return this.#coversPath(verb, path);
    const names = this.#namesFor(verb, group, resource);
    return names === 'every' || (name !== undefined && names.has(name));
  }

  /** Only the last result is cached: names of one verb and resource follow each other. */
  #namesFor(verb: string, group: string, resource: string): HeldNames {
    const last = this.#last;
    if (last?.verb === verb && last.group === group && last.resource === resource) return last.names;
    const names = this.#findNames(verb, group, resource);
    this.#last = { verb, group, resource, names };
    return names;
  }

  #findNames(verb: string, group: string, resource: string): HeldNames {
    const found: ReadonlySet<string>[] = [];
    for (const key of keysOf(resource)) {
      for (const grant of this.#grants.get(key) ?? []) {
        this.comparisons++;
        if (!grant.verb(verb) || !grant.group(group)) continue;
        if (grant.names === undefined) return 'every';
        found.push(grant.names);
      }
    }
    return this.#join(found);
  }

  #join(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
    const [first = NO_NAMES, ...others] = sets;
    if (others.length === 0) return first;
    const all = new Set<string>();
    for (const set of sets) {
      this.comparisons += set.size;
      for (const name of set) all.add(name);
    }
    return all;
  }

  #coversPath(verb: string, path: string): boolean {
    const { exact, prefixes } = this.#pathsFor(verb);
    if (exact.has(path)) return true;
    this.comparisons += prefixes.length;
    return prefixes.some((prefix) => path.startsWith(prefix));
  }

  #pathsFor(verb: string): HeldPaths {
    let paths = this.#pathsByVerb.get(verb);
    if (paths === undefined) {
      paths = this.#findPaths(verb);
      this.#pathsByVerb.set(verb, paths);
    }
    return paths;
  }

  #findPaths(verb: string): HeldPaths {
    const exact = new Set<string>();
    const prefixes = new Set<string>();
    for (const grant of this.#paths) {
      this.comparisons++;
      if (!grant.verb(verb)) continue;
      this.comparisons += grant.patterns.length;
      for (const pattern of grant.patterns) {
        exact.add(pattern);
        if (pattern.endsWith('*')) prefixes.add(withoutStars(pattern));
      }
    }
    return { exact, prefixes: [...prefixes] };
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Returns the entries of a rule that cover a resource: `pods/log` is covered by `*` and by `*` + `/log` too. */
function keysOf(resource: string): Set<string> {
  const slash = resource.indexOf('/');
  return new Set(['*', resource, ...(slash < 0 ? [] : [`*${resource.slice(slash)}`])]);
}

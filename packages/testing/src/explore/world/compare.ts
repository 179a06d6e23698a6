import type { World, WorldObject } from './world.ts';

/** Fields that change while an object stays what it is. */
const PASSING = /^(?:status|metadata\.annotations)\.|^spec\.replicas$/;
/** Weight of another field. */
const WEIGHT = 10;

/** A difference between two worlds. */
export type WorldDifference =
  | { readonly kind: 'missing'; readonly object: string }
  | { readonly kind: 'extra'; readonly object: string }
  | {
      readonly kind: 'field';
      readonly object: string;
      readonly field: string;
      readonly expected: string | undefined;
      readonly found: string | undefined;
    };

/** Fields and objects that differ by chance: they differ between two runs without faults. */
export class Mask {
  readonly #objects = new Set<string>();
  readonly #fields = new Set<string>();

  /** Adds the differences of two worlds. */
  learn(one: World, other: World): void {
    for (const difference of differencesOf(one, other)) {
      if (difference.kind === 'field') this.#fields.add(`${difference.object} ${difference.field}`);
      else this.#objects.add(difference.object);
    }
  }

  isCompared(object: string, field = ''): boolean {
    return !this.#objects.has(object) && !this.#fields.has(`${object} ${field}`);
  }
}

/** Returns the differences of `found` from `expected`, sorted by object. */
export function differencesOf(expected: World, all: World, mask?: Mask): WorldDifference[] {
  const found = aligned(expected, all, mask);
  const differences: WorldDifference[] = [];
  for (const object of new Set([...expected.keys(), ...found.keys()])) {
    if (mask?.isCompared(object) === false) continue;
    const [one, other] = [expected.get(object)?.fields, found.get(object)?.fields];
    if (one === undefined) differences.push({ kind: 'extra', object });
    else if (other === undefined) differences.push({ kind: 'missing', object });
    else
      for (const field of new Set([...one.keys(), ...other.keys()])) {
        if (one.get(field) === other.get(field) || mask?.isCompared(object, field) === false) continue;
        differences.push({ kind: 'field', object, field, expected: one.get(field), found: other.get(field) });
      }
  }
  return differences.sort((a, b) => (a.object < b.object ? -1 : a.object > b.object ? 1 : 0));
}

/**
 * Returns the world with other numbers for objects that share a generated name: each has the number of the expected object that it
 * is most like. So one object less is one that is missing, and not several that differ.
 */
export function aligned(expected: World, found: World, mask?: Mask): World {
  const others = groupsOf(found);
  const names = new Map<string, string>();
  for (const [name, wanted] of groupsOf(expected)) {
    const have = others.get(name) ?? [];
    if (wanted.length + have.length > 2)
      for (const pair of matched(expected, wanted, found, have, mask)) names.set(...pair);
  }
  return names.size === 0 ? found : new Map([...found].map(([key, object]) => [names.get(key) ?? key, object]));
}

/** Returns objects with generated names, by the name without its number: `pods default/web-*`. */
function groupsOf(world: World): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const key of world.keys()) {
    if (!key.includes('*')) continue;
    const name = withoutNumber(key);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [key]);
    else group.push(key);
  }
  return groups;
}

/** Removes the number of an object with a generated name: `pods default/web-*(2)`. */
export function withoutNumber(object: string): string {
  return object.replace(/\(\d+\)$/, '');
}

/** Matches the most similar objects first. Returns the new key of each found object. */
function matched(
  expected: World,
  wanted: readonly string[],
  found: World,
  have: readonly string[],
  mask: Mask | undefined,
): (readonly [string, string])[] {
  const pairs = wanted.flatMap((one) =>
    have.map((other) => ({ one, other, distance: distanceOf(one, expected, found.get(other), mask) })),
  );
  pairs.sort((a, b) => a.distance - b.distance);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { one, other } of pairs) {
    if (taken.has(one) || names.has(other)) continue;
    taken.add(one);
    names.set(other, one);
  }
  const rest = have.filter((key) => !names.has(key));
  const name = withoutNumber(have[0] ?? '');
  return [...names, ...rest.map((key, index) => [key, `${name}(${wanted.length + index + 1})`] as const)];
}

/** Returns the weight of the compared fields that differ. What an object is for tells more than how it does. */
function distanceOf(key: string, expected: World, found: WorldObject | undefined, mask: Mask | undefined): number {
  const [one, other] = [expected.get(key)?.fields ?? new Map(), found?.fields ?? new Map()];
  let distance = 0;
  for (const field of new Set<string>([...one.keys(), ...other.keys()]))
    if (one.get(field) !== other.get(field) && mask?.isCompared(key, field) !== false)
      distance += PASSING.test(field) ? 1 : WEIGHT;
  return distance;
}

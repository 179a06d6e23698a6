import type { World } from './world.ts';

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
export function differencesOf(expected: World, found: World, mask?: Mask): WorldDifference[] {
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

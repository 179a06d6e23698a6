import type { Mask } from './compare.ts';
import { readable, type World } from './world.ts';

/** A field of an object. */
interface FieldRef {
  readonly object: string;
  readonly field: string;
}

/** Two fields whose values differ by chance from run to run, and are equal in each. */
interface Relation {
  readonly one: FieldRef;
  readonly other: FieldRef;
}

/** Shorter values may be equal by accident. */
const MIN_LENGTH = 8;
/** Most relations that are checked. */
const MAX_RELATIONS = 100;

/**
 * Relations between fields that differ by chance: a generated password that is in a Secret and in a configuration is another one
 * in each run, but the same in both places.
 */
export class Relations {
  static readonly none = new Relations([]);
  readonly #relations: readonly Relation[];

  private constructor(relations: readonly Relation[]) {
    this.#relations = relations;
  }

  /** Returns the relations that hold in all these worlds. */
  static between([first, ...others]: readonly World[], mask: Mask): Relations {
    if (first === undefined) return Relations.none;
    const relations = [...placesByValue(first, mask).values()].flatMap(([one, ...same]) =>
      same.map((other) => ({ one: one!, other })),
    );
    return new Relations(
      relations.filter((relation) => others.every((world) => holds(relation, world) === true)).slice(0, MAX_RELATIONS),
    );
  }

  /** Returns the relations that a world breaks. Fields that are missing break none. */
  brokenIn(world: World): readonly Relation[] {
    return this.#relations.filter((relation) => holds(relation, world) === false);
  }
}

function placesByValue(world: World, mask: Mask): Map<string, FieldRef[]> {
  const places = new Map<string, FieldRef[]>();
  for (const [object, { fields }] of world) {
    if (!mask.isCompared(object)) continue;
    for (const field of fields.keys()) {
      const value = valueAt({ object, field }, world);
      if (value === undefined || mask.isCompared(object, field) || !isTelling(value)) continue;
      const known = places.get(value);
      if (known === undefined) places.set(value, [{ object, field }]);
      else known.push({ object, field });
    }
  }
  return places;
}

/** Numbers may be times or counters. */
function isTelling(value: string): boolean {
  return value.length >= MIN_LENGTH && !/^[\d.:-]+$/.test(value);
}

function holds({ one, other }: Relation, world: World): boolean | undefined {
  const [a, b] = [valueAt(one, world), valueAt(other, world)];
  return a === undefined || b === undefined ? undefined : a === b;
}

function valueAt({ object, field }: FieldRef, world: World): string | undefined {
  return readable(object, field, world.get(object)?.fields.get(field));
}

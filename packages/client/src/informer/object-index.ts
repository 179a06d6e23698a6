import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';

/** Returns the index values of an object: the node of a pod, the owners of a replica set. */
export type IndexFunction<T extends KubernetesObject, S extends Scope = Scope> = (
  object: Cached<T, S>,
) => readonly string[];

/** Index of a kind's objects. Caches are queried with the index itself, so that no name can be misspelt. */
export class ObjectIndex<T extends KubernetesObject = KubernetesObject> {
  readonly valuesOf: IndexFunction<T>;

  constructor(valuesOf: IndexFunction<T>) {
    this.valuesOf = valuesOf;
  }

  /** Selects the objects that have the value. */
  is(value: string): IndexSelection<T> {
    return { index: this, value };
  }
}

/** Selects the objects that an index has under a value. */
export interface IndexSelection<T extends KubernetesObject = KubernetesObject> {
  readonly index: ObjectIndex<T>;
  readonly value: string;
}

/**
 * Defines an index of a kind's objects, to list some of them from a cache without visiting all:
 *
 *     const byColour = defineIndex(Fruit, ({ spec }) => (spec.colour ? [spec.colour] : []));
 *     const red = await client.list(Fruit, { index: byColour.is('red') });
 *
 * A cache builds the index when it is added or first used, and keeps it up to date.
 */
export function defineIndex<T extends KubernetesObject, S extends Scope = Scope>(
  _type: ResourceType<T, S>,
  valuesOf: IndexFunction<T, S>,
): ObjectIndex<T> {
  return new ObjectIndex<T>(valuesOf as IndexFunction<T>);
}

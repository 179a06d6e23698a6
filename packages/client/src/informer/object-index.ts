import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';

/** Names the values an object is found by: the node a pod runs on, the owners of a replica set. */
export type IndexFunction<T extends KubernetesObject, S extends Scope = Scope> = (
  object: Cached<T, S>,
) => readonly string[];

/** The objects of a kind by values of theirs. Caches are asked with the index itself, so no name can be misspelt. */
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

/** Which objects a list gives: those that an index finds by a value. */
export interface IndexSelection<T extends KubernetesObject = KubernetesObject> {
  readonly index: ObjectIndex<T>;
  readonly value: string;
}

/**
 * Defines an index of a kind's objects, to list them from a cache without looking at all of them:
 *
 *     const byColour = defineIndex(Fruit, ({ spec }) => (spec.colour ? [spec.colour] : []));
 *     const red = await client.list(Fruit, { index: byColour.is('red') });
 *
 * A cache makes the index when it is first told or asked of it, and keeps it true from then on.
 */
export function defineIndex<T extends KubernetesObject, S extends Scope = Scope>(
  _type: ResourceType<T, S>,
  valuesOf: IndexFunction<T, S>,
): ObjectIndex<T> {
  return new ObjectIndex<T>(valuesOf as IndexFunction<T>);
}

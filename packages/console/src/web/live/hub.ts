import { useSyncExternalStore } from 'react';
import type { CollectionOptions, Item, Snapshot } from './collection.ts';
import { Collection } from './collection.ts';

const MAX_KEPT = 120;
const collections = new Map<string, Collection<Item>>();

/** Returns the collection of these options: the same options share one list and one watch. */
export function collectionOf<T extends Item>(name: string, options: CollectionOptions<T>): Collection<T> {
  const { path, at, fieldSelector = '' } = options;
  const key = JSON.stringify([name, path, at ?? 'live', fieldSelector]);
  let known = collections.get(key);
  if (known === undefined) {
    if (collections.size >= MAX_KEPT) forgetStopped();
    known = new Collection(options) as unknown as Collection<Item>;
    collections.set(key, known);
  }
  return known as unknown as Collection<T>;
}

function forgetStopped(): void {
  for (const [key, collection] of collections) if (collection.isStopped) collections.delete(key);
}

/** A component's view of a collection. */
export function useCollection<T extends Item>(collection: Collection<T>): Snapshot<T> {
  return useSyncExternalStore(collection.subscribe, collection.snapshot);
}

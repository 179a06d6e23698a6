import type { Clock, Random, Runnable } from '@pintle/async';
import { deferred, realClock, systemRandom } from '@pintle/async';
import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { freezeDeep } from '@pintle/machinery/json';
import type { Client } from '../rest/client.ts';
import type { SelectOptions } from '../rest/options.ts';
import type { Sighting } from '../rest/sighting.ts';
import type { SightedEvent } from '../rest/watch-stream.ts';
import type { CacheMemory, CacheReader } from './object-cache.ts';
import { asCached, ObjectCache } from './object-cache.ts';
import type { ObjectIndex } from './object-index.ts';
import { Reflector } from './reflector.ts';

export interface InformerOptions<T extends KubernetesObject, S extends Scope = Scope> {
  readonly client: Client;
  readonly type: ResourceType<T, S>;
  readonly select?: SelectOptions;
  readonly clock?: Clock;
  readonly random?: Random;
  /** By which objects can be listed; others are made when they are first asked for. */
  readonly indexes?: readonly ObjectIndex<T>[];
  /** What is kept of each object. Default: all but `metadata.managedFields`, which is large and seldom looked at. */
  readonly transform?: (object: T) => T;
  /** Tell handlers of every object again after so long. Default: never. */
  readonly resyncMs?: number;
  /** Objects cannot be changed by mistake: for tests, it costs a walk through each. */
  readonly isFrozen?: boolean;
  readonly streamsList?: boolean;
  readonly onError?: (error: unknown) => void;
}

/** Hears of changes, one at a time and in order, after the cache has them. */
export interface InformerHandler<T extends KubernetesObject, S extends Scope = Scope> {
  /** `isInitial`: it was there before the handler was. */
  added?(object: Cached<T, S>, info: { readonly isInitial: boolean }): void;
  /** Also for every object at a resync: both have the same resourceVersion then. */
  updated?(object: Cached<T, S>, previous: Cached<T, S>): void;
  /** `object` is its last state, or the last we know of when it went unseen. */
  deleted?(object: Cached<T, S>, info: { readonly isStateKnown: boolean }): void;
}

/**
 * A cache of objects that stays true by itself, and tells handlers what changes. Nothing is asked of the server until
 * it runs.
 */
export class Informer<T extends KubernetesObject, S extends Scope = Scope> implements Runnable {
  readonly type: ResourceType<T, S>;
  readonly #options: InformerOptions<T, S>;
  readonly #cache: ObjectCache<T>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<InformerHandler<T, S>>();
  readonly #synced = deferred();
  #isSynced = false;
  #lastError: unknown;
  #resourceVersion = '';

  constructor(options: InformerOptions<T, S>) {
    this.type = options.type;
    this.#options = options;
    this.#cache = new ObjectCache(options.indexes);
    this.#reflector = new Reflector({
      client: options.client,
      type: options.type,
      clock: options.clock ?? realClock,
      random: options.random ?? systemRandom,
      ...(options.select && { select: options.select }),
      ...(options.streamsList !== undefined && { streamsList: options.streamsList }),
      onError: (error) => {
        this.#lastError = error;
        options.onError?.(error);
      },
      finish: (object) => this.#finish(object),
      keepsManagedFields: options.transform !== undefined,
      sink: {
        replace: (objects, resourceVersion) => this.#replace(objects, resourceVersion),
        apply: (event) => this.#apply(event),
        progress: (resourceVersion) => this.#progress(resourceVersion),
      },
    });
  }

  get cache(): CacheReader<T, S> {
    // The server gave stored objects; that they may not be written to is a promise to the compiler.
    return this.#cache as unknown as CacheReader<T, S>;
  }

  /** The whole is known, and the handlers that were there have heard of it. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** How much is kept, for metrics: it looks at every object. */
  memory(): CacheMemory {
    return this.#cache.memory();
  }

  /** How far the cache has come. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** How long the server has not been heard, for health checks. */
  get silentMs(): number {
    return this.#reflector.silentMs;
  }

  /** The last that was heard of the server was a failure; it is tried again. */
  get isFailing(): boolean {
    return this.#reflector.isFailing;
  }

  /** Why the server could last not be listed or watched; `undefined` when it always could. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Has the cache keep the index from now on, rather than from when it is first asked. */
  addIndex(index: ObjectIndex<T>): void {
    this.#cache.addIndex(index);
  }

  /** A handler that comes late is first told of all objects there are. Dispose of the result to hear no more. */
  subscribe(handler: InformerHandler<T, S>): Disposable {
    this.#handlers.add(handler);
    if (this.#isSynced) {
      for (const key of [...this.#cache.keys()]) {
        const object = this.#cache.heard(key);
        if (object !== undefined) this.#call(() => handler.added?.(asCached(object), { isInitial: true }));
      }
    }
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** This process wrote the object: the cache shows it until it is heard of. */
  noteWritten(object: T): void {
    this.#cache.noteWritten(this.#finish(object));
  }

  /** This process deleted the object for good. */
  noteDeleted(object: T): void {
    const { namespace, name = '', uid = '' } = object.metadata;
    this.#cache.noteDeleted({ namespace, name }, uid);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const resync = this.#options.resyncMs === undefined ? undefined : this.#resync(this.#options.resyncMs, signal);
    await this.#reflector.run({ signal });
    await resync;
  }

  async #resync(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock = realClock, random = systemRandom } = this.#options;
    for (;;) {
      try {
        await clock.sleep(everyMs * (0.9 + 0.2 * random.next()), { signal });
      } catch {
        return;
      }
      if (this.#handlers.size === 0) continue;
      for (const key of [...this.#cache.keys()]) {
        const object = this.#cache.heard(key);
        if (object !== undefined) this.#tell((handler) => handler.updated?.(asCached(object), asCached(object)));
      }
    }
  }

  #replace(objects: readonly Sighting<T>[], resourceVersion: string): void {
    const gone = new Set(this.#cache.keys());
    for (const sighting of objects) {
      if (gone.size > 0) gone.delete(sighting.key);
      this.#set(sighting, !this.#isSynced);
    }
    for (const key of gone) {
      const previous = this.#cache.delete(key, resourceVersion);
      if (previous !== undefined)
        this.#tell((handler) => handler.deleted?.(asCached(previous.object), { isStateKnown: false }));
    }
    this.#progress(resourceVersion);
    this.#isSynced = true;
    this.#synced.resolve();
  }

  #apply({ type, sighting }: Exclude<SightedEvent<T>, { type: 'BOOKMARK' }>): void {
    if (type === 'DELETED') this.#delete(sighting);
    else this.#set(sighting, false);
    this.#progress(sighting.resourceVersion || this.#resourceVersion);
  }

  /**
   * What is kept of an object is made at once where it is less than the object, or somebody will look at it; later where
   * nobody may ever look. What cannot be read must not get into the cache: the reflector hears of it first.
   */
  #set(sighting: Sighting<T>, isInitial: boolean): void {
    if (this.#options.transform !== undefined || this.#handlers.size > 0 || this.#cache.isIndexed) sighting.read();
    const previous = this.#cache.set(sighting);
    if (this.#handlers.size === 0) return;
    if (previous === undefined) this.#tell((handler) => handler.added?.(asCached(sighting.object), { isInitial }));
    else if (previous.resourceVersion !== sighting.resourceVersion)
      this.#tell((handler) => handler.updated?.(asCached(sighting.object), asCached(previous.object)));
  }

  #delete(sighting: Sighting<T>): void {
    if (this.#handlers.size > 0) sighting.read();
    const previous = this.#cache.delete(sighting.key, sighting.resourceVersion);
    if (previous !== undefined)
      this.#tell((handler) => handler.deleted?.(asCached(sighting.object), { isStateKnown: true }));
  }

  #progress(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#cache.settleUpTo(resourceVersion);
  }

  #finish(object: T): T {
    const kept = (this.#options.transform ?? withoutManagedFields)(object);
    return this.#options.isFrozen ? freezeDeep(kept) : kept;
  }

  #tell(call: (handler: InformerHandler<T, S>) => void): void {
    for (const handler of this.#handlers) this.#call(() => call(handler));
  }

  /** A handler that throws must not keep the others, or the cache, from going on. */
  #call(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

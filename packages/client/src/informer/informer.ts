import type { Clock, Random, Runnable, Timer } from '@pintle/async';
import { deferred, realClock, systemRandom } from '@pintle/async';
import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { statusErrorOf } from '@pintle/machinery/errors';
import { freezeDeep } from '@pintle/machinery/json';
import type { ShardSelector } from '@pintle/machinery/selectors';
import type { Client } from '../rest/client.ts';
import type { LazyObject } from '../rest/lazy-object.ts';
import type { SelectOptions } from '../rest/options.ts';
import type { LazyEvent } from '../rest/watch-stream.ts';
import type { CacheMemory, CacheReader } from './object-cache.ts';
import { asCached, ObjectCache } from './object-cache.ts';
import type { ObjectIndex } from './object-index.ts';
import { Reflector } from './reflector.ts';
import type { ShardView } from './shard-view.ts';

export interface InformerOptions<T extends KubernetesObject, S extends Scope = Scope> {
  readonly client: Client;
  readonly type: ResourceType<T, S>;
  readonly select?: SelectOptions;
  /** Has only a part of the objects, which changes with `reshard`. Default: all. */
  readonly shard?: ShardView | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Indexes to build from the start; others are built when they are first used. */
  readonly indexes?: readonly ObjectIndex<T>[];
  /** Returns the part of an object that is cached. Default: all but `metadata.managedFields`, which is large and rarely used. */
  readonly transform?: (object: T) => T;
  /** Interval at which handlers get `updated` for every object. Default: never. */
  readonly resyncMs?: number;
  /** Freezes cached objects, which finds code that changes them. For tests: costs a walk through each object. */
  readonly isFrozen?: boolean;
  readonly streamsList?: boolean;
  /** Longest wait before the next try after failures. Default: 30 s. */
  readonly longestWaitMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** Receives changes one at a time and in order, after the cache has them. */
export interface InformerHandler<T extends KubernetesObject, S extends Scope = Scope> {
  /** `isInitial`: the object existed before the handler was added. */
  added?(object: Cached<T, S>, info: { readonly isInitial: boolean }): void;
  /** Also called for every object at a resync; both have the same resourceVersion then. */
  updated?(object: Cached<T, S>, previous: Cached<T, S>): void;
  /** `object` is its last state; `isStateKnown` is false when the delete event was missed and the state may be older. */
  deleted?(object: Cached<T, S>, info: { readonly isStateKnown: boolean }): void;
}

/**
 * Keeps a cache of objects up to date with a list and a watch, and calls handlers for each change. Sends nothing before it
 * runs.
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
  /** Slots of the list in progress. */
  #askedSlots: ReadonlySet<number> = NO_SLOTS;
  #coveredSlots: ReadonlySet<number> = NO_SLOTS;
  /** Objects to keep, where the server sends more. */
  #filter: ShardSelector | undefined;
  #narrowing: Timer | undefined;

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
      ...(options.shard && { select: (phase: 'list' | 'watch') => this.#selectShard(options.shard!, phase) }),
      ...(options.streamsList !== undefined && { streamsList: options.streamsList }),
      ...(options.longestWaitMs !== undefined && { longestWaitMs: options.longestWaitMs }),
      onError: (error) => {
        this.#lastError = error;
        options.onError?.(error);
      },
      transform: (object) => this.#toCached(object),
      keepsManagedFields: options.transform !== undefined,
      sink: {
        arrived: (lazy) => {
          if (this.#isReadAtOnce) lazy.read();
        },
        replace: (objects, resourceVersion) => this.#replace(objects, resourceVersion),
        apply: (event) => this.#apply(event),
        progress: (resourceVersion) => this.#progress(resourceVersion),
      },
    });
  }

  get cache(): CacheReader<T, S> {
    // The server sends stored objects; `Cached` makes them read-only for the compiler.
    return this.#cache as unknown as CacheReader<T, S>;
  }

  /** Resolves once the first list is in the cache, and the handlers have been called for it. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Returns the size of the cache, for metrics. Visits every object. */
  memory(): CacheMemory {
    return this.#cache.memory();
  }

  /** Latest resourceVersion in the cache. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Time since the last response or event of the server, for health checks. */
  get silentMs(): number {
    return this.#reflector.silentMs;
  }

  /** True when the last list or watch failed; the informer retries. */
  get isFailing(): boolean {
    return this.#reflector.isFailing;
  }

  /** Error of the last failed list or watch; `undefined` when none failed. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** True when it has only a part of the objects. */
  get isPartial(): boolean {
    return this.#options.shard !== undefined;
  }

  /** Slots whose objects are all in the cache. */
  get coveredSlots(): ReadonlySet<number> {
    return this.#coveredSlots;
  }

  /**
   * Follows a change of the slots. Drops objects of slots that are not wanted any more, without events: they are not gone.
   * Lists again when there are new slots.
   */
  reshard(): void {
    const { shard } = this.#options;
    if (shard === undefined) return;
    const wanted = shard.source.slots;
    const kept = new Set([...this.#coveredSlots].filter((slot) => wanted.has(slot)));
    if (kept.size < this.#coveredSlots.size) {
      this.#coveredSlots = kept;
      this.#filter = shard.selectorOf(kept);
      for (const key of [...this.#cache.keys()]) {
        const object = this.#cache.serverObject(key);
        if (object !== undefined && !this.#filter.matches(object.metadata))
          this.#cache.delete(key, object.metadata.resourceVersion ?? '');
      }
    }
    if (kept.size < wanted.size) this.#reflector.reselect();
    else if (this.#filter !== undefined && shard.isSelectedByServer) this.#narrowLater();
  }

  /** Slots are lost one after the other: the watch, which still has the events of all, is opened again once. */
  #narrowLater(): void {
    const { clock = realClock } = this.#options;
    this.#narrowing ??= clock.setTimer(NARROW_AFTER_MS, () => {
      this.#narrowing = undefined;
      this.#reflector.narrow();
    });
  }

  async #selectShard(shard: ShardView, phase: 'list' | 'watch'): Promise<SelectOptions> {
    const slots = phase === 'list' ? new Set(shard.source.slots) : this.#coveredSlots;
    const selector = shard.selectorOf(slots);
    // Without slots there is nothing to select; no object has a slot of its own name.
    const shardSelector = slots.size === 0 ? EMPTY_SHARD : selector.toString();
    shard.isSelectedByServer ??= await this.#isSelecting(shard, shardSelector);
    if (phase === 'list') this.#askedSlots = slots;
    this.#filter = shard.isSelectedByServer ? undefined : selector;
    return shard.isSelectedByServer ? { ...this.#options.select, shardSelector } : { ...this.#options.select };
  }

  /** Only a list tells whether the server has applied the selector. */
  async #isSelecting({ field, source }: ShardView, shardSelector: string): Promise<boolean> {
    const { client, type, select } = this.#options;
    try {
      const { metadata } = await client.list(type, { ...select, shardSelector, limit: 1 });
      if (metadata.shardInfo !== undefined) return true;
    } catch (error) {
      const code = statusErrorOf(error)?.code;
      if (code !== 400 && code !== 500) throw error;
    }
    source.unsupported(field);
    return false;
  }

  /** Builds the index now rather than on first use. */
  addIndex(index: ObjectIndex<T>): void {
    this.#cache.addIndex(index);
  }

  /** Calls a handler that is added late with all cached objects first. Dispose of the result to unsubscribe. */
  subscribe(handler: InformerHandler<T, S>): Disposable {
    this.#handlers.add(handler);
    if (this.#isSynced) {
      for (const key of [...this.#cache.keys()]) {
        const object = this.#cache.serverObject(key);
        if (object !== undefined) this.#call(() => handler.added?.(asCached(object), { isInitial: true }));
      }
    }
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Called after this process wrote the object: the cache has it at once, before the watch event arrives. */
  noteWritten(object: T): void {
    this.#cache.noteWritten(this.#toCached(object));
  }

  /** Called after this process deleted the object and it is gone. */
  noteDeleted(object: T): void {
    const { namespace, name = '', uid = '' } = object.metadata;
    this.#cache.noteDeleted({ namespace, name }, uid);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const resync = this.#options.resyncMs === undefined ? undefined : this.#resync(this.#options.resyncMs, signal);
    await this.#reflector.run({ signal });
    this.#narrowing?.cancel();
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
        const object = this.#cache.serverObject(key);
        if (object !== undefined)
          this.#callHandlers((handler) => handler.updated?.(asCached(object), asCached(object)));
      }
    }
  }

  #replace(received: readonly LazyObject<T>[], resourceVersion: string): void {
    const { shard } = this.#options;
    // Slots that were lost during the list may have come back: what was asked for counts.
    const isFiltered = shard !== undefined && !shard.isSelectedByServer;
    this.#filter = isFiltered ? shard.selectorOf(this.#askedSlots) : undefined;
    const filter = this.#filter;
    const objects = filter === undefined ? received : received.filter(({ value }) => filter.matches(value.metadata));
    const gone = new Set(this.#cache.keys());
    for (const lazy of objects) {
      if (gone.size > 0) gone.delete(lazy.key);
      this.#set(lazy, !this.#isSynced);
    }
    for (const key of gone) {
      const previous = this.#cache.delete(key, resourceVersion);
      if (previous !== undefined)
        this.#callHandlers((handler) => handler.deleted?.(asCached(previous.value), { isStateKnown: false }));
    }
    this.#progress(resourceVersion);
    this.#isSynced = true;
    this.#synced.resolve();
    if (shard === undefined) return;
    this.#coveredSlots = this.#askedSlots;
    shard.source.covered();
    // The slots may have changed while the list was read; the reflector goes on to its watch first.
    queueMicrotask(() => this.reshard());
  }

  #apply({ type, object: lazy }: Exclude<LazyEvent<T>, { type: 'BOOKMARK' }>): void {
    if (type === 'DELETED') this.#delete(lazy);
    else if (this.#filter === undefined || this.#filter.matches(lazy.value.metadata)) this.#set(lazy, false);
    else this.#cache.delete(lazy.key, lazy.resourceVersion);
    this.#progress(lazy.resourceVersion || this.#resourceVersion);
  }

  /**
   * Parses the object at once when a transform, handler or index needs it, otherwise on first access. An object that cannot
   * be parsed does not get into the cache: the error reaches the reflector first.
   */
  #set(lazy: LazyObject<T>, isInitial: boolean): void {
    if (this.#isReadAtOnce) lazy.read();
    const previous = this.#cache.set(lazy);
    if (this.#handlers.size === 0) return;
    if (previous === undefined) this.#callHandlers((handler) => handler.added?.(asCached(lazy.value), { isInitial }));
    else if (previous.resourceVersion !== lazy.resourceVersion)
      this.#callHandlers((handler) => handler.updated?.(asCached(lazy.value), asCached(previous.value)));
  }

  get #isReadAtOnce(): boolean {
    return this.#options.transform !== undefined || this.#handlers.size > 0 || this.#cache.isIndexed;
  }

  #delete(lazy: LazyObject<T>): void {
    if (this.#handlers.size > 0) lazy.read();
    const previous = this.#cache.delete(lazy.key, lazy.resourceVersion);
    if (previous !== undefined)
      this.#callHandlers((handler) => handler.deleted?.(asCached(lazy.value), { isStateKnown: true }));
  }

  #progress(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#cache.confirmUpTo(resourceVersion);
  }

  #toCached(object: T): T {
    const kept = (this.#options.transform ?? withoutManagedFields)(object);
    return this.#options.isFrozen ? freezeDeep(kept) : kept;
  }

  #callHandlers(call: (handler: InformerHandler<T, S>) => void): void {
    for (const handler of this.#handlers) this.#call(() => call(handler));
  }

  /** Reports errors of handlers, so that the other handlers and the cache go on. */
  #call(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

/** Time after which the watch of lost slots is narrowed. */
const NARROW_AFTER_MS = 1_000;
const NO_SLOTS: ReadonlySet<number> = new Set();
/** Selects one hash, which no uid is likely to have. */
const EMPTY_SHARD = "shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')";

function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

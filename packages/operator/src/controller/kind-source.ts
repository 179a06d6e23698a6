import { deferred } from '@pintle/async';
import type {
  Client,
  InformerHandler,
  ObjectIndex,
  RefOf,
  SharedInformer,
  SharedInformers,
  ShareOptions,
} from '@pintle/client';
import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { MapToRequests } from './change-mapper.ts';
import { ChangeMapper } from './change-mapper.ts';
import type { Change, Predicate } from './predicate.ts';
import type { Reason } from './reason.ts';
import type { Request } from './request.ts';
import { requestOf } from './request.ts';
import type { OpenSource, Source, SourceSink } from './source.ts';

/** Options of a watch. */
export interface WatchOptions<T extends KubernetesObject, S extends Scope = Scope> {
  /** Changes that fail one of them are ignored. */
  readonly predicates?: readonly Predicate<T, S>[];
  /** Selects the watched objects, and transforms what is cached of them. */
  readonly select?: ShareOptions<T>;
  /**
   * True allows the kind to be missing on the server. Its objects are watched while it is served; whenever it appears or
   * disappears, every main object is enqueued.
   */
  readonly isOptional?: boolean;
  /** Higher comes first. Default: 0, and lower for objects of the initial list. */
  readonly priority?: number;
  /** Delay that coalesces changes of the same object, for changes that come in bursts. Default: none. */
  readonly coalesceMs?: number;
  /** Indexes by which objects can be listed. */
  readonly indexes?: readonly ObjectIndex<T>[];
  /** The caches of another cluster. */
  readonly informers?: SharedInformers;
}

/** Priority of initial objects and resyncs: after changes that happen now. */
const LOW_PRIORITY = -100;
/** Interval at which discovery is checked for an optional kind. */
const DISCOVERY_MS = 10_000;

/** Source of the changes of a kind's objects, from a shared informer. */
export class KindSource<T extends KubernetesObject> implements Source {
  readonly type: ResourceType<T>;
  readonly isOptional: boolean;
  readonly #map: MapToRequests<T> | undefined;
  readonly #options: WatchOptions<T>;
  #shares: SharedInformer<T>[] = [];
  #mapper: ChangeMapper<T> | undefined;

  /** Without a map, the changed object itself is enqueued. */
  constructor(type: ResourceType<T>, map: MapToRequests<T> | undefined, options: WatchOptions<T> = {}) {
    this.type = type;
    this.isOptional = options.isOptional ?? false;
    this.#map = map;
    this.#options = options;
  }

  get what(): string {
    return this.type.kind;
  }

  get mapping(): number {
    return this.#mapper?.size ?? 0;
  }

  /** Returns all cached objects while the source is open. */
  objects(): Cached<T>[] {
    return this.#shares.flatMap(({ informer }) => informer.cache.list());
  }

  /** Returns a cached object while the source is open. */
  find({ namespace = '', name }: Request): Cached<T> | undefined {
    for (const { informer } of this.#shares) {
      const object = informer.cache.get({ namespace, name } as RefOf<Scope>);
      if (object !== undefined) return object;
    }
    return undefined;
  }

  /** True when predicates refuse changes. */
  get isSelective(): boolean {
    return (this.#options.predicates?.length ?? 0) > 0;
  }

  /** Returns true when the predicates accept the object as listed first. */
  acceptsInitial(object: Cached<T>): boolean {
    return this.#accepts({ type: 'added', object, isInitial: true });
  }

  /** Enqueues the cached objects that are included, as when they were listed first. */
  enqueueInitial(sink: Pick<SourceSink, 'enqueue'>, isIncluded: (object: Cached<T>) => boolean): void {
    for (const object of this.objects())
      if (isIncluded(object)) this.#take(sink, undefined, { type: 'added', object, isInitial: true });
  }

  open(sink: SourceSink): OpenSource {
    return this.isOptional ? this.#openOptional(sink) : this.#openNow(sink);
  }

  #openNow(sink: SourceSink): OpenSource {
    const { informers = sink.informers, select, indexes = [] } = this.#options;
    const shares = informers.shareEach(this.type, select);
    this.#shares = shares;
    const mapper = this.#map && this.#openMapper(this.#map, sink);
    const handler: InformerHandler<T> = {
      added: (object, { isInitial }) => this.#take(sink, mapper, { type: 'added', object, isInitial }),
      updated: (object, previous) => this.#take(sink, mapper, { type: 'updated', object, previous }),
      deleted: (object) => this.#take(sink, mapper, { type: 'deleted', object }),
    };
    const subscriptions = shares.map(({ informer }) => {
      for (const index of indexes) informer.addIndex(index);
      return informer.subscribe(handler);
    });
    const close = (): void => {
      for (const handle of [...subscriptions, ...shares]) handle[Symbol.dispose]();
      mapper?.[Symbol.dispose]();
      this.#shares = [];
      this.#mapper = undefined;
    };
    const synced = Promise.all(shares.map(({ informer }) => informer.synced));
    return {
      synced: synced.then(() => mapper?.drained()),
      get lastError() {
        return shares.find(({ informer }) => !informer.isSynced)?.informer.lastError;
      },
      [Symbol.dispose]: close,
    };
  }

  #openMapper(map: MapToRequests<T>, { client, clock, log, enqueue }: SourceSink): ChangeMapper<T> {
    const { kind } = this.type;
    const onError = (object: Request, error: unknown, retryAfterMs: number): void =>
      log.warn('Failed to map a change to requests', {
        kind,
        ...object,
        error: error instanceof Error ? error.message : String(error),
        retryAfterMs,
      });
    this.#mapper = new ChangeMapper({ map, client, clock, enqueue, onError });
    return this.#mapper;
  }

  #openOptional(sink: SourceSink): OpenSource {
    const firstCheck = deferred();
    let open: OpenSource | undefined;
    const checkServed = async (signal: AbortSignal): Promise<void> => {
      const isServed = await isKindServed(sink.client.live, this.type, signal);
      if (isServed === true && open === undefined) {
        open = this.#openNow(sink);
        await Promise.race([open.synced, sink.clock.sleep(DISCOVERY_MS, { signal })]);
        this.#enqueueMain(sink, 'kind-served');
      } else if (isServed === false && open !== undefined) {
        open[Symbol.dispose]();
        open = undefined;
        this.#enqueueMain(sink, 'kind-gone');
      }
    };
    return {
      synced: firstCheck.promise,
      run: async ({ signal }) => {
        while (!signal.aborted) {
          await checkServed(signal).catch((error: unknown) => {
            if (!signal.aborted) throw error;
          });
          firstCheck.resolve();
          await sink.clock.sleep(DISCOVERY_MS, { signal }).catch(() => undefined);
        }
      },
      [Symbol.dispose]: () => open?.[Symbol.dispose](),
    };
  }

  /** Enqueues all main objects, unless the kind is the main kind itself. */
  #enqueueMain(sink: SourceSink, cause: 'kind-served' | 'kind-gone'): void {
    if (this.#map !== undefined) sink.enqueueAll({ cause, kind: this.type.kind });
  }

  #take(sink: Pick<SourceSink, 'enqueue'>, mapper: ChangeMapper<T> | undefined, change: Change<T>): void {
    if (!this.#accepts(change)) return;
    const { object } = change;
    const reason = reasonOf(this.type.kind, change);
    const options = { priority: this.#priorityOf(change), afterMs: this.#options.coalesceMs ?? 0 };
    if (mapper === undefined) {
      sink.enqueue(requestOf(object), reason, options);
      return;
    }
    // The requests of the previous state are enqueued too; most are the same.
    const hasPrevious = change.type === 'updated' && object !== change.previous;
    mapper.take({ states: hasPrevious ? [object, change.previous] : [object], reason, options });
  }

  #accepts(change: Change<T>): boolean {
    const { predicates } = this.#options;
    if (predicates !== undefined) for (const predicate of predicates) if (!predicate(change)) return false;
    return true;
  }

  #priorityOf(change: Change<T>): number {
    const isOld =
      (change.type === 'added' && change.isInitial) ||
      (change.type === 'updated' &&
        change.object.metadata.resourceVersion === change.previous.metadata.resourceVersion);
    return isOld ? LOW_PRIORITY : (this.#options.priority ?? 0);
  }
}

function reasonOf(kind: string, change: Change<KubernetesObject>): Reason {
  const { namespace, name = '' } = change.object.metadata;
  const isInitial = change.type === 'added' && change.isInitial;
  return isInitial
    ? { cause: 'added', kind, namespace, name, isInitial }
    : { cause: change.type, kind, namespace, name };
}

/** Resolves with true when the server serves the kind; `undefined` when discovery fails. */
async function isKindServed(client: Client, type: ResourceType, signal: AbortSignal): Promise<boolean | undefined> {
  const path = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  try {
    const { resources = [] } = (await client.call({ method: 'GET', path }, { signal })) as {
      readonly resources?: readonly { readonly name: string }[];
    };
    return resources.some(({ name }) => name === type.plural);
  } catch (error) {
    return isNotFound(error) ? false : undefined;
  }
}

import type { Clock, Random, Runnable } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import type { Client } from '../rest/client.ts';
import type { SelectOptions } from '../rest/options.ts';
import type { InformerOptions } from './informer.ts';
import { Informer } from './informer.ts';
import type { ShardView } from './shard-view.ts';

export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly isFrozen?: boolean;
  readonly resyncMs?: number;
  /** Namespaces to watch. Default: all. */
  readonly namespaces?: readonly string[];
  readonly onError?: (error: unknown, type: ResourceType) => void;
  /** Part of a kind's objects that its informer has. Default: all. */
  readonly shardOf?: (type: ResourceType) => ShardView | undefined;
}

/** Handle of a shared informer. Disposing of the last handle stops the informer and drops its cache. */
export interface SharedInformer<T extends KubernetesObject, S extends Scope = Scope> extends Disposable {
  readonly informer: Informer<T, S>;
}

/** Selection and transform of a shared informer. */
export interface ShareOptions<T extends KubernetesObject> extends SelectOptions, Pick<InformerOptions<T>, 'transform'> {
  /**
   * Has the server send only the metadata of objects. `CachedClient` does not read such objects: they are shared apart from
   * whole ones. Default: false.
   */
  readonly isMetadataOnly?: boolean;
}

/**
 * Shares one informer, with one watch and one cache, among all users of the same kind and selection. Starts an informer when
 * it is first shared, or when this runs, and stops it when its last handle is disposed of.
 */
export class SharedInformers implements Runnable {
  readonly #options: SharedInformersOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #failed = deferred<never>();
  #signal: AbortSignal | undefined;

  constructor(options: SharedInformersOptions) {
    this.#options = options;
    this.#failed.promise.catch(() => undefined);
  }

  /** Throws when the same selection is already shared with another transform. */
  share<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: ShareOptions<T> = {},
  ): SharedInformer<T, S> {
    const key = shareKey(type, options);
    const entry = this.#entries.get(key) ?? this.#add(key, type, options);
    if (entry.transform !== options.transform)
      throw new TypeError(`Cannot share the informer of ${type.kind}: it is already shared with another transform`);
    entry.shares++;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      entry.shares--;
      if (entry.shares === 0) this.#remove(key, entry);
    };
    return { informer: informerOf<T, S>(entry), [Symbol.dispose]: release };
  }

  /** Shares all informers that the watched namespaces need: one, or one for each namespace when `namespaces` is set. */
  shareEach<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: ShareOptions<T> = {},
  ): SharedInformer<T, S>[] {
    const { namespaces } = this.#options;
    if (namespaces === undefined || type.scope === 'Cluster' || options.namespace) return [this.share(type, options)];
    return namespaces.map((namespace) => this.share(type, { ...options, namespace }));
  }

  /** Returns the informers that together have all objects of the watched namespaces; `undefined` when one is missing. */
  findEach<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    namespace?: string,
  ): Informer<T, S>[] | undefined {
    const one = this.find(type, namespace);
    if (one !== undefined) return [one];
    const { namespaces } = this.#options;
    if (namespaces === undefined || type.scope === 'Cluster' || namespace) return undefined;
    const found = namespaces.map((each) => this.find(type, each));
    return found.every((informer) => informer !== undefined) ? found : undefined;
  }

  /** Returns an informer that has all objects of the kind, at least in the namespace. */
  find<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    namespace?: string,
  ): Informer<T, S> | undefined {
    const entry =
      this.#entries.get(shareKey(type, {})) ?? (namespace && this.#entries.get(shareKey(type, { namespace })));
    return entry ? informerOf(entry) : undefined;
  }

  informers(): Informer<KubernetesObject>[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** Resolves once all informers shared so far are synced. */
  async synced(): Promise<void> {
    await Promise.all(this.informers().map((informer) => informer.synced));
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#signal = signal;
    for (const entry of this.#entries.values()) this.#start(entry, signal);
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      await Promise.race([aborted, this.#failed.promise]);
    } finally {
      for (const entry of this.#entries.values()) entry.stop.abort();
      await Promise.allSettled([...this.#entries.values()].map(({ running }) => running));
    }
  }

  #add<T extends KubernetesObject>(
    key: string,
    type: ResourceType<T>,
    { transform, isMetadataOnly = false, ...select }: ShareOptions<T>,
  ): Entry {
    const { client, clock, random, isFrozen, resyncMs, onError } = this.#options;
    const informer = new Informer<T>({
      client: isMetadataOnly ? client.metadataOnly() : client,
      type,
      select,
      ...(clock && { clock }),
      ...(random && { random }),
      ...(isFrozen && { isFrozen }),
      ...(resyncMs !== undefined && { resyncMs }),
      ...(transform && { transform }),
      ...(key === shareKey(type, {}) && { shard: this.#options.shardOf?.(type as unknown as ResourceType) }),
      ...(onError && { onError: (error: unknown) => onError(error, type) }),
    });
    const entry: Entry = {
      informer: informer as unknown as Informer<KubernetesObject>,
      transform,
      shares: 0,
      stop: new AbortController(),
      running: undefined,
    };
    this.#entries.set(key, entry);
    if (this.#signal !== undefined && !this.#signal.aborted) this.#start(entry, this.#signal);
    return entry;
  }

  #start(entry: Entry, signal: AbortSignal): void {
    if (entry.running !== undefined) return;
    signal.addEventListener('abort', () => entry.stop.abort(signal.reason), { once: true });
    entry.running = entry.informer
      .run({ signal: entry.stop.signal })
      .catch((error: unknown) => this.#failed.reject(error));
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    entry.stop.abort();
  }
}

interface Entry {
  readonly informer: Informer<KubernetesObject>;
  readonly transform: unknown;
  readonly stop: AbortController;
  shares: number;
  running: Promise<void> | undefined;
}

/** The cast is safe: the key of the entry has the kind. */
function informerOf<T extends KubernetesObject, S extends Scope>({ informer }: Entry): Informer<T, S> {
  return informer as unknown as Informer<T, S>;
}

function shareKey(
  type: ResourceType,
  {
    namespace = '',
    labelSelector = '',
    fieldSelector = '',
    shardSelector = '',
    isMetadataOnly = false,
  }: Omit<ShareOptions<never>, 'transform'>,
): string {
  const selectors = [namespace, labelSelector, fieldSelector, shardSelector];
  if (isMetadataOnly || selectors.some((selector) => selector !== ''))
    return JSON.stringify([type.apiVersion, type.plural, ...selectors, isMetadataOnly]);
  let key = KIND_KEYS.get(type);
  if (key === undefined) {
    key = JSON.stringify([type.apiVersion, type.plural]);
    KIND_KEYS.set(type, key);
  }
  return key;
}

/** Keys of kinds without a selection, which every read needs. */
const KIND_KEYS = new WeakMap<ResourceType, string>();

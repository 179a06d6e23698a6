import type { Clock, Random, Runnable } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import type { Client } from '../rest/client.ts';
import type { SelectOptions } from '../rest/options.ts';
import type { InformerOptions } from './informer.ts';
import { Informer } from './informer.ts';

export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly isFrozen?: boolean;
  readonly resyncMs?: number;
  /** Objects in other namespaces are of no concern. Default: all namespaces. */
  readonly namespaces?: readonly string[];
  readonly onError?: (error: unknown, type: ResourceType) => void;
}

/** A share in an informer. When the last one is disposed of, the informer stops and its cache goes. */
export interface SharedInformer<T extends KubernetesObject, S extends Scope = Scope> extends Disposable {
  readonly informer: Informer<T, S>;
}

/** How an informer is told from others of the same kind. */
export type Sharing<T extends KubernetesObject> = SelectOptions & Pick<InformerOptions<T>, 'transform'>;

/**
 * One informer, with one watch and one cache, for everybody who wants the same kind and selection. Informers are
 * started when they are first asked for, or when this runs, and stopped when nobody has a share in them any more.
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

  /** Throws when the selection is shared already with another transform. */
  share<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    sharing: Sharing<T> = {},
  ): SharedInformer<T, S> {
    const key = sharingKey(type, sharing);
    const entry = this.#entries.get(key) ?? this.#add(key, type, sharing);
    if (entry.transform !== sharing.transform)
      throw new TypeError(`Cannot share the informer of ${type.kind}: it is shared with another transform`);
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

  /** A share in every informer it takes to know all objects of concern: one for each namespace, if only some are. */
  shareEach<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    sharing: Sharing<T> = {},
  ): SharedInformer<T, S>[] {
    const { namespaces } = this.#options;
    if (namespaces === undefined || type.scope === 'Cluster' || sharing.namespace) return [this.share(type, sharing)];
    return namespaces.map((namespace) => this.share(type, { ...sharing, namespace }));
  }

  /** Those that together have all objects of concern; `undefined` when one is missing. */
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

  /** One that has all objects of the kind, in the namespace at least. */
  find<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    namespace?: string,
  ): Informer<T, S> | undefined {
    const entry =
      this.#entries.get(sharingKey(type, {})) ?? (namespace && this.#entries.get(sharingKey(type, { namespace })));
    return entry ? informerOf(entry) : undefined;
  }

  informers(): Informer<KubernetesObject>[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** Resolves once everything asked for so far is known. */
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

  #add<T extends KubernetesObject>(key: string, type: ResourceType<T>, { transform, ...select }: Sharing<T>): Entry {
    const { client, clock, random, isFrozen, resyncMs, onError } = this.#options;
    const informer = new Informer<T>({
      client,
      type,
      select,
      ...(clock && { clock }),
      ...(random && { random }),
      ...(isFrozen && { isFrozen }),
      ...(resyncMs !== undefined && { resyncMs }),
      ...(transform && { transform }),
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

/** Its key says of which kind it is. */
function informerOf<T extends KubernetesObject, S extends Scope>({ informer }: Entry): Informer<T, S> {
  return informer as unknown as Informer<T, S>;
}

function sharingKey(
  type: ResourceType,
  { namespace = '', labelSelector = '', fieldSelector = '' }: SelectOptions,
): string {
  if (namespace !== '' || labelSelector !== '' || fieldSelector !== '')
    return JSON.stringify([type.apiVersion, type.plural, namespace, labelSelector, fieldSelector]);
  let key = WHOLE.get(type);
  if (key === undefined) {
    key = JSON.stringify([type.apiVersion, type.plural]);
    WHOLE.set(type, key);
  }
  return key;
}

/** The keys of kinds as a whole, which are asked for with every read. */
const WHOLE = new WeakMap<ResourceType, string>();

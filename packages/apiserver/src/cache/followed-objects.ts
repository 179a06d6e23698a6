import type { Runnable } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { KeyRange, Revision, Store, StoreRecord, StoreWatch, WatchBatch } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { collectionRange } from '../storage/keys.ts';
import { decodeObject } from '../storage/object-codec.ts';

/** Which objects: a resource's descriptor will do. */
export interface FollowedKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/**
 * All objects of one resource, kept in memory and never behind: `now` has everything that was acknowledged before it
 * was called. For kinds of which there are few and that are looked at with every request. The objects are as they are
 * stored, and shared: look, never write.
 */
export class FollowedObjects<T extends KubernetesObject> implements Runnable {
  readonly #store: Store;
  readonly #range: KeyRange;
  readonly #kind: string;
  #byNamespace = new Map<string, Map<string, T>>();
  #watch: StoreWatch | undefined;
  #waiting: (() => void)[] = [];
  #after = 0 as Revision;
  #generation = 0;

  constructor(store: Store, { group, plural, kind }: FollowedKind) {
    this.#store = store;
    this.#range = collectionRange({ group, resource: plural }, '');
    this.#kind = kind;
  }

  /** Changes whenever an object does, so that what is made from the objects can be kept until then. */
  get generation(): number {
    return this.#generation;
  }

  /** The objects of a namespace by name; those of a cluster-scoped resource are in the namespace ''. */
  async now(namespace = ''): Promise<ReadonlyMap<string, T>> {
    await this.upToDate();
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  async all(): Promise<T[]> {
    await this.upToDate();
    return [...this.#byNamespace.values()].flatMap((named) => [...named.values()]);
  }

  async upToDate(): Promise<void> {
    const wanted = this.#store.revision;
    while (this.#isBehind(wanted)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async load(): Promise<void> {
    const { records, revision } = await this.#store.range(this.#range);
    this.#byNamespace = new Map();
    this.#generation++;
    for (const record of records) this.#learn(record);
    this.#after = revision;
  }

  /** Follows the store until `signal` aborts. Call `load` first. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    for (;;) {
      try {
        await this.#follow(signal);
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.failure.code !== 'Compacted') throw error;
        await this.load();
      } finally {
        this.#wake();
      }
    }
  }

  /**
   * A batch is taken in by the very callback it is handed to, before whoever wrote it can learn that it is written; a
   * loop that awaits would be a turn too late.
   */
  #follow(signal: AbortSignal): Promise<void> {
    const watch = this.#store.watch(this.#range, { after: this.#after, signal });
    this.#watch = watch;
    return new Promise((resolve, reject) => {
      const step = (): void => {
        watch.next().then(({ done, value }) => {
          if (done) return resolve();
          this.#take(value);
          step();
        }, reject);
      };
      step();
    });
  }

  #take({ events, revision }: WatchBatch): void {
    for (const event of events) {
      if (event.type === 'put') this.#learn(event.record);
      else this.#forget(event.previous);
    }
    this.#after = revision;
    this.#wake();
  }

  #isBehind(wanted: Revision): boolean {
    return this.#watch !== undefined && this.#after < wanted && this.#watch.progress < wanted;
  }

  #learn(record: StoreRecord): void {
    const object = decodeObject(record, this.#kind) as T;
    const { namespace = '', name = '' } = object.metadata;
    const named = this.#byNamespace.get(namespace) ?? new Map<string, T>();
    this.#byNamespace.set(namespace, named.set(name, object));
    this.#generation++;
  }

  #forget(record: StoreRecord): void {
    const { namespace = '', name = '' } = decodeObject(record, this.#kind).metadata;
    const named = this.#byNamespace.get(namespace);
    named?.delete(name);
    if (named?.size === 0) this.#byNamespace.delete(namespace);
    this.#generation++;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

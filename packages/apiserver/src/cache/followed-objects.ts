import type { Runnable } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { Store, StoreRecord } from '@pintle/store';
import { decodeShared } from '../storage/decode-shared.ts';
import { collectionRange } from '../storage/keys.ts';
import { decodeObject } from '../storage/object-codec.ts';
import type { StoreView } from './store-follower.ts';
import { StoreFollower } from './store-follower.ts';

interface FollowedKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/**
 * All objects of one resource in memory. `now` returns everything that was acknowledged before the call. For kinds with
 * few objects that every request needs. The objects are shared and as stored: never change them.
 */
export class FollowedObjects<T extends KubernetesObject> implements Runnable, StoreView {
  readonly #follower: StoreFollower;
  readonly #kind: string;
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #onChange: (() => void) | undefined;
  #generation = 0;

  /**
   * Calls `onChange` in the middle of every change: read the objects later. With `mustBeWhole`, reads reject while an object
   * is damaged, because it may be the one that forbids a request.
   */
  constructor(
    store: Store,
    { group, plural, kind }: FollowedKind,
    { onChange, mustBeWhole = false }: { readonly onChange?: () => void; readonly mustBeWhole?: boolean } = {},
  ) {
    const range = collectionRange({ group, resource: plural }, '');
    this.#follower = new StoreFollower(store, range, this, { mustBeWhole });
    this.#kind = kind;
    this.#onChange = onChange;
  }

  /** Grows with every change, so that derived values can be cached. */
  get generation(): number {
    return this.#generation;
  }

  /** True when everything acknowledged is here, which it nearly always is. */
  get isUpToDate(): boolean {
    return this.#follower.isCaughtUp;
  }

  /** All objects in memory; complete when `isUpToDate`. */
  get known(): T[] {
    return [...this.#byNamespace.values()].flatMap((named) => [...named.values()]);
  }

  /** Returns the objects of a namespace by name; those of a cluster-scoped resource are in the namespace ''. */
  async now(namespace = ''): Promise<ReadonlyMap<string, T>> {
    await this.upToDate();
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  async all(): Promise<T[]> {
    await this.upToDate();
    return this.known;
  }

  async upToDate(): Promise<void> {
    await this.#follower.caughtUp();
  }

  async load(): Promise<void> {
    await this.#follower.load();
  }

  /** Follows the store until `signal` aborts. Call `load` first. */
  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await this.#follower.run(options);
  }

  clear(): void {
    this.#byNamespace.clear();
    this.#change();
  }

  put(record: StoreRecord): void {
    const object = decodeShared(record, this.#kind) as T;
    const { namespace = '', name = '' } = object.metadata;
    const named = this.#byNamespace.get(namespace) ?? new Map<string, T>();
    this.#byNamespace.set(namespace, named.set(name, object));
    this.#change();
  }

  remove(record: StoreRecord): void {
    const { namespace = '', name = '' } = decodeObject(record, this.#kind).metadata;
    const named = this.#byNamespace.get(namespace);
    named?.delete(name);
    if (named?.size === 0) this.#byNamespace.delete(namespace);
    this.#change();
  }

  #change(): void {
    this.#generation++;
    this.#onChange?.();
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

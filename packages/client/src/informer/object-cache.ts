import type { Cached, KubernetesObject, Scope } from '@pintle/machinery';
import { parseLabelSelector } from '@pintle/machinery/selectors';
import type { LazyObject } from '../rest/lazy-object.ts';
import { keyOf } from '../rest/lazy-object.ts';
import type { ObjectRef, RefOf } from '../rest/resource-path.ts';
import type { IndexSelection, ObjectIndex } from './object-index.ts';
import { compareResourceVersions } from './resource-version.ts';

export interface CacheListOptions<T extends KubernetesObject = KubernetesObject> {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  /** Lists only objects that an index has under a value: `byColour.is('red')`. See `defineIndex`. */
  readonly index?: IndexSelection<T>;
}

/** Objects as the server last sent them. They are shared: do not change them. */
export interface CacheReader<T extends KubernetesObject, S extends Scope = Scope> {
  readonly size: number;
  get(ref: RefOf<S>): Cached<T, S> | undefined;
  list(options?: CacheListOptions<T>): Cached<T, S>[];
}

export interface CacheMemory {
  readonly objects: number;
  /** Approximate size as JSON. An object takes about that much memory before its first access, and twice as much after. */
  readonly bytes: number;
  /** Objects that have not been accessed, and parsed, yet. */
  readonly unread: number;
}

/**
 * Holds the objects of one informer. Overlays objects that this process wrote until the watch confirms them, so that a
 * writer reads its own writes.
 */
export class ObjectCache<T extends KubernetesObject> {
  readonly #objects = new Map<string, LazyObject<T>>();
  /** Keys by namespace; built when a namespace is first listed. */
  #byNamespace: Map<string, Set<string>> | undefined;
  readonly #indexes = new Map<ObjectIndex<T>, Index<T>>();
  /** Written by this process and not confirmed by the watch. `undefined`: deleted. */
  readonly #written = new Map<
    string,
    { readonly object: T | undefined; readonly version: string; readonly uid: string }
  >();

  /** The watch has delivered everything up to this resourceVersion. */
  #confirmedUpTo = '';

  constructor(indexes: readonly ObjectIndex<T>[] = []) {
    for (const index of indexes) this.addIndex(index);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Indexes the objects that are already cached. Returns the existing index when there is one. */
  addIndex(index: ObjectIndex<T>): Index<T> {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const entries = new Index(index);
    for (const [key, { value }] of this.#objects) entries.add(key, value);
    this.#indexes.set(index, entries);
    return entries;
  }

  get isIndexed(): boolean {
    return this.#indexes.size > 0;
  }

  get({ namespace, name }: ObjectRef): T | undefined {
    const key = namespace ? `${namespace}/${name}` : name;
    const written = this.#written.size === 0 ? undefined : this.#written.get(key);
    return written === undefined ? this.#objects.get(key)?.value : written.object;
  }

  list({ namespace, labelSelector, index }: CacheListOptions<T> = {}): T[] {
    const selector = labelSelector ? parseLabelSelector(labelSelector) : undefined;
    const keys = index
      ? this.addIndex(index.index).keys(index.value)
      : namespace
        ? (this.#namespaces().get(namespace) ?? [])
        : this.#objects.keys();
    const found: T[] = [];
    const isWanted = (object: T): boolean =>
      (!namespace || object.metadata.namespace === namespace) &&
      (selector === undefined || selector.matches(object.metadata.labels ?? {}));
    for (const key of keys) {
      const object = this.#written.has(key) ? undefined : this.#objects.get(key)?.value;
      if (object !== undefined && isWanted(object)) found.push(object);
    }
    for (const { object } of this.#written.values()) {
      if (object !== undefined && isWanted(object) && this.#isIndexed(object, index)) found.push(object);
    }
    return found;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Returns the size of the cache. */
  memory(): CacheMemory {
    let [bytes, unread] = [0, 0];
    for (const lazy of this.#objects.values()) {
      bytes += lazy.size;
      if (!lazy.isRead) unread++;
    }
    return { objects: this.#objects.size, bytes, unread };
  }

  /** Returns the object as the server sent it, without unconfirmed writes. */
  serverObject(key: string): T | undefined {
    return this.#objects.get(key)?.value;
  }

  /** Returns the previous object. */
  set(lazy: LazyObject<T>): LazyObject<T> | undefined {
    const { key } = lazy;
    const previous = this.#objects.get(key);
    if (previous !== undefined) this.#unindex(key, previous);
    else if (this.#byNamespace !== undefined) this.#addToNamespace(lazy);
    this.#objects.set(key, lazy);
    if (this.#indexes.size > 0) for (const index of this.#indexes.values()) index.add(key, lazy.value);
    if (this.#written.size > 0) this.#confirm(key, lazy.resourceVersion, false);
    return previous;
  }

  /** Returns the deleted object. `version` is the resourceVersion of the deletion. */
  delete(key: string, version: string): LazyObject<T> | undefined {
    const previous = this.#objects.get(key);
    this.#confirm(key, version, true);
    if (previous === undefined) return undefined;
    this.#objects.delete(key);
    this.#unindex(key, previous);
    const keys = this.#byNamespace?.get(previous.namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#byNamespace?.delete(previous.namespace);
    return previous;
  }

  /** Called with the object in the response to a write of this process. */
  noteWritten(object: T): void {
    const key = keyOf(object);
    const { resourceVersion: version = '', uid = '' } = object.metadata;
    if (this.#confirmedUpTo !== '' && !isNewer(version, this.#confirmedUpTo)) return;
    const noted = this.#written.get(key);
    if (noted !== undefined && !isNewer(version, noted.version)) return;
    this.#written.set(key, { object, version, uid });
  }

  /** Called after this process deleted the object, when no finalizer is left. */
  noteDeleted({ namespace, name }: ObjectRef, uid: string): void {
    const key = namespace ? `${namespace}/${name}` : name;
    // The watch may not have delivered an object that was just created.
    const known = this.#written.get(key)?.object ?? this.#objects.get(key)?.value;
    if (known === undefined || known.metadata.uid !== uid) return;
    this.#written.set(key, { object: undefined, version: known.metadata.resourceVersion ?? '', uid });
  }

  /** Drops unconfirmed writes up to this resourceVersion: the watch has delivered them, or the object is gone. */
  confirmUpTo(version: string): void {
    this.#confirmedUpTo = version;
    for (const [key, written] of this.#written) {
      const isPending = written.object === undefined && this.#objects.has(key);
      if (!isPending && !isNewer(written.version, version)) this.#written.delete(key);
    }
  }

  #confirm(key: string, version: string, isDelete: boolean): void {
    const written = this.#written.get(key);
    if (written === undefined) return;
    const isOld = (compareResourceVersions(version, written.version) ?? 0) < 0;
    const isDeletedHere = written.object === undefined;
    const isConfirmed = isDeletedHere
      ? !isOld && (isDelete || this.#objects.get(key)?.value.metadata.uid !== written.uid)
      : !isNewer(written.version, version);
    if (isConfirmed) this.#written.delete(key);
  }

  #isIndexed(object: T, wanted: IndexSelection<T> | undefined): boolean {
    return wanted === undefined || (this.#indexes.get(wanted.index)?.has(object, wanted.value) ?? false);
  }

  #namespaces(): ReadonlyMap<string, Set<string>> {
    if (this.#byNamespace === undefined) {
      this.#byNamespace = new Map();
      for (const lazy of this.#objects.values()) this.#addToNamespace(lazy);
    }
    return this.#byNamespace;
  }

  #addToNamespace({ namespace, key }: LazyObject<T>): void {
    if (this.#byNamespace === undefined) return;
    const keys = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, keys.add(key));
  }

  #unindex(key: string, lazy: LazyObject<T>): void {
    for (const index of this.#indexes.values()) index.remove(key, lazy.value);
  }
}

/** Returns the object with a read-only type. It is a stored object, because the server sent it. */
export function asCached<T extends KubernetesObject, S extends Scope>(object: T): Cached<T, S> {
  return object as unknown as Cached<T, S>;
}

class Index<T extends KubernetesObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #keys = new Map<string, Set<string>>();

  constructor({ valuesOf }: ObjectIndex<T>) {
    this.#valuesOf = (object) => valuesOf(asCached(object));
  }

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }

  has(object: T, value: string): boolean {
    return this.#valuesOf(object).includes(value);
  }

  add(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value) ?? new Set();
      this.#keys.set(value, keys.add(key));
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }
}

/** True also when the versions are not numbers and cannot be compared: the later one then counts. */
function isNewer(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order === undefined || order > 0;
}

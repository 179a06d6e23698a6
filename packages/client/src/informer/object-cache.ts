import type { Cached, KubernetesObject, Scope } from '@pintle/machinery';
import { parseLabelSelector } from '@pintle/machinery/selectors';
import type { ObjectRef, RefOf } from '../rest/resource-path.ts';
import type { Sighting } from '../rest/sighting.ts';
import { keyOf } from '../rest/sighting.ts';
import type { IndexSelection, ObjectIndex } from './object-index.ts';
import { compareResourceVersions } from './resource-version.ts';

export interface CacheListOptions<T extends KubernetesObject = KubernetesObject> {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  /** Only objects that an index finds by a value: `byColour.is('red')`. See `defineIndex`. */
  readonly index?: IndexSelection<T>;
}

/** Objects as they were last heard of. They are shared: look, never write. */
export interface CacheReader<T extends KubernetesObject, S extends Scope = Scope> {
  readonly size: number;
  get(ref: RefOf<S>): Cached<T, S> | undefined;
  list(options?: CacheListOptions<T>): Cached<T, S>[];
}

export interface CacheMemory {
  readonly objects: number;
  /** Of JSON, roughly. An object takes about its bytes while nobody has looked at it, and twice as many afterwards. */
  readonly bytes: number;
  /** How many nobody has looked at yet. */
  readonly unread: number;
}

/**
 * The objects of one informer. On top of what the server told lies what this process itself wrote and has not heard
 * back yet, so that whoever writes can read it at once.
 */
export class ObjectCache<T extends KubernetesObject> {
  readonly #objects = new Map<string, Sighting<T>>();
  /** Keys; made when somebody first asks for one namespace. */
  #byNamespace: Map<string, Set<string>> | undefined;
  readonly #indexes = new Map<ObjectIndex<T>, Index<T>>();
  /** Written here and not heard back yet. `undefined`: deleted. */
  readonly #written = new Map<
    string,
    { readonly object: T | undefined; readonly version: string; readonly uid: string }
  >();

  /** Everything up to here has been heard. */
  #upTo = '';

  constructor(indexes: readonly ObjectIndex<T>[] = []) {
    for (const index of indexes) this.addIndex(index);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** May come late: what is there already is indexed at once. Harmless when the index is there. */
  addIndex(index: ObjectIndex<T>): Index<T> {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const entries = new Index(index);
    for (const [key, { object }] of this.#objects) entries.add(key, object);
    this.#indexes.set(index, entries);
    return entries;
  }

  get isIndexed(): boolean {
    return this.#indexes.size > 0;
  }

  get({ namespace, name }: ObjectRef): T | undefined {
    const key = namespace ? `${namespace}/${name}` : name;
    const written = this.#written.size === 0 ? undefined : this.#written.get(key);
    return written === undefined ? this.#objects.get(key)?.object : written.object;
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
      const object = this.#written.has(key) ? undefined : this.#objects.get(key)?.object;
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

  /** How much is kept. */
  memory(): CacheMemory {
    let [bytes, unread] = [0, 0];
    for (const sighting of this.#objects.values()) {
      bytes += sighting.size;
      if (!sighting.isRead) unread++;
    }
    return { objects: this.#objects.size, bytes, unread };
  }

  /** What the server told, without what was written here. */
  heard(key: string): T | undefined {
    return this.#objects.get(key)?.object;
  }

  /** Gives what was there before. */
  set(sighting: Sighting<T>): Sighting<T> | undefined {
    const { key } = sighting;
    const previous = this.#objects.get(key);
    if (previous !== undefined) this.#unindex(key, previous);
    else if (this.#byNamespace !== undefined) this.#enlist(sighting);
    this.#objects.set(key, sighting);
    if (this.#indexes.size > 0) for (const index of this.#indexes.values()) index.add(key, sighting.object);
    if (this.#written.size > 0) this.#settle(key, sighting.resourceVersion, false);
    return previous;
  }

  /** Gives what was there. `version`: as of which it is gone. */
  delete(key: string, version: string): Sighting<T> | undefined {
    const previous = this.#objects.get(key);
    this.#settle(key, version, true);
    if (previous === undefined) return undefined;
    this.#objects.delete(key);
    this.#unindex(key, previous);
    const keys = this.#byNamespace?.get(previous.namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#byNamespace?.delete(previous.namespace);
    return previous;
  }

  /** This process wrote the object, and the server answered with it. */
  noteWritten(object: T): void {
    const key = keyOf(object);
    const { resourceVersion: version = '', uid = '' } = object.metadata;
    if (this.#upTo !== '' && !isNewer(version, this.#upTo)) return;
    const noted = this.#written.get(key);
    if (noted !== undefined && !isNewer(version, noted.version)) return;
    this.#written.set(key, { object, version, uid });
  }

  /** This process deleted the object, and nothing holds it. */
  noteDeleted({ namespace, name }: ObjectRef, uid: string): void {
    const key = namespace ? `${namespace}/${name}` : name;
    // One that was made a moment ago may not have been heard of yet.
    const known = this.#written.get(key)?.object ?? this.#objects.get(key)?.object;
    if (known === undefined || known.metadata.uid !== uid) return;
    this.#written.set(key, { object: undefined, version: known.metadata.resourceVersion ?? '', uid });
  }

  /** Nothing older than this will be heard: what was written before it has been, or is gone. */
  settleUpTo(version: string): void {
    this.#upTo = version;
    for (const [key, written] of this.#written) {
      const isPending = written.object === undefined && this.#objects.has(key);
      if (!isPending && !isNewer(written.version, version)) this.#written.delete(key);
    }
  }

  #settle(key: string, version: string, isDelete: boolean): void {
    const written = this.#written.get(key);
    if (written === undefined) return;
    const isOld = (compareResourceVersions(version, written.version) ?? 0) < 0;
    const isDeletedHere = written.object === undefined;
    const isHeard = isDeletedHere
      ? !isOld && (isDelete || this.#objects.get(key)?.object.metadata.uid !== written.uid)
      : !isNewer(written.version, version);
    if (isHeard) this.#written.delete(key);
  }

  #isIndexed(object: T, wanted: IndexSelection<T> | undefined): boolean {
    return wanted === undefined || (this.#indexes.get(wanted.index)?.has(object, wanted.value) ?? false);
  }

  #namespaces(): ReadonlyMap<string, Set<string>> {
    if (this.#byNamespace === undefined) {
      this.#byNamespace = new Map();
      for (const sighting of this.#objects.values()) this.#enlist(sighting);
    }
    return this.#byNamespace;
  }

  #enlist({ namespace, key }: Sighting<T>): void {
    if (this.#byNamespace === undefined) return;
    const keys = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, keys.add(key));
  }

  #unindex(key: string, sighting: Sighting<T>): void {
    for (const index of this.#indexes.values()) index.remove(key, sighting.object);
  }
}

/** The object as those who must not write to it see it: that it is stored, the server vouches for. */
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

/** Versions that are no numbers cannot be compared; the one that came last then counts. */
function isNewer(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order === undefined || order > 0;
}

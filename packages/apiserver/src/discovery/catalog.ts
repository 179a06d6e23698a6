import type { BuiltinResource } from '@pintle/kinds/discovery';
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '@pintle/machinery';
import { compareVersions, formatGroupVersion } from '@pintle/machinery';
import type { RemoteV2, SchemaSource } from './documents.ts';

export interface CatalogResource extends BuiltinResource {
  /** What its objects are kept as. Absent for resources that keep none. */
  readonly storedAs?: GroupVersionKind;
  /** Default: the kind with `List` behind it. */
  readonly listKind?: string;
}

/** One version of one group as clients are told of it. Never changed: whoever has news puts another in its place. */
export interface CatalogVersion extends GroupVersion {
  /** Groups stand by this, highest first, and then by name. An APIService's groupPriorityMinimum. */
  readonly groupPriority: number;
  /** Versions of a group stand by this, highest first, and then by age. An APIService's versionPriority. */
  readonly versionPriority: number;
  readonly resources: readonly CatalogResource[];
  /** What is said here may be outdated, for whoever serves it does not answer. */
  readonly isStale?: boolean;
  /** Made of definitions rather than built in. */
  readonly isCustom: boolean;
  /** Where the types of its kinds are found. Default: among the built-in ones. */
  readonly schemas?: SchemaSource;
  /** Another server serves it. */
  readonly remote?: RemoteDocuments;
}

/** What another server has written about a version it serves. */
export interface RemoteDocuments {
  /** Its OpenAPI 3 document as JSON. */
  readonly openApiV3?: Uint8Array;
  /** What its OpenAPI 2 document says of this version. */
  readonly openApiV2?: RemoteV2;
}

export interface CatalogGroup {
  readonly group: string;
  /** The preferred one first; never empty. */
  readonly versions: readonly CatalogVersion[];
}

/**
 * Every group and version the server offers right now. Built-in ones are there from the start; definitions and
 * APIServices join and leave. A group is there while one of its versions is.
 */
export class DiscoveryCatalog {
  readonly #versions = new Map<string, CatalogVersion>();
  /** Versions that other servers serve. They stand before what this server has under the same name. */
  readonly #remote = new Map<string, CatalogVersion>();
  readonly #observers = new Set<(version: GroupVersion) => void>();
  #groups: readonly CatalogGroup[] | undefined;

  constructor(versions: Iterable<CatalogVersion> = []) {
    for (const version of versions) this.put(version);
  }

  /** Adds a version, or puts it in the place of what stood there. */
  put(version: CatalogVersion): void {
    this.#versions.set(formatGroupVersion(version), version);
    this.#changed(version);
  }

  remove(version: GroupVersion): void {
    if (this.#versions.delete(formatGroupVersion(version))) this.#changed(version);
  }

  putRemote(version: CatalogVersion): void {
    this.#remote.set(formatGroupVersion(version), version);
    this.#changed(version);
  }

  removeRemote(version: GroupVersion): void {
    if (this.#remote.delete(formatGroupVersion(version))) this.#changed(version);
  }

  /** Calls back with every version that comes, goes or is told of differently. */
  subscribe(observer: (version: GroupVersion) => void): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => this.#observers.delete(observer) };
  }

  /** In the order clients are told. The same array until something changes, so that it can key what is made of it. */
  get groups(): readonly CatalogGroup[] {
    this.#groups ??= sortGroups([...new Map([...this.#versions, ...this.#remote]).values()]);
    return this.#groups;
  }

  group(name: string): CatalogGroup | undefined {
    return this.groups.find(({ group }) => group === name);
  }

  version(version: GroupVersion): CatalogVersion | undefined {
    return this.#remote.get(formatGroupVersion(version)) ?? this.local(version);
  }

  /** What this server itself has under that name, whether or not another stands before it. */
  local(version: GroupVersion): CatalogVersion | undefined {
    return this.#versions.get(formatGroupVersion(version));
  }

  /** All that this server has itself. */
  get locals(): Iterable<CatalogVersion> {
    return this.#versions.values();
  }

  resource(gvr: GroupVersionResource): CatalogResource | undefined {
    return this.version(gvr)?.resources.find(({ resource }) => resource === gvr.resource);
  }

  #changed({ group, version }: GroupVersion): void {
    this.#groups = undefined;
    for (const observer of this.#observers) observer({ group, version });
  }
}

function sortGroups(versions: readonly CatalogVersion[]): readonly CatalogGroup[] {
  const members = new Map<string, CatalogVersion[]>();
  for (const version of versions) members.set(version.group, [...(members.get(version.group) ?? []), version]);
  const groups = [...members].map(([group, found]) => ({ group, versions: found.sort(byVersion) }));
  return groups.sort((a, b) => priorityOf(b) - priorityOf(a) || (a.group < b.group ? -1 : 1));
}

function priorityOf({ versions }: CatalogGroup): number {
  return Math.max(...versions.map(({ groupPriority }) => groupPriority));
}

function byVersion(a: CatalogVersion, b: CatalogVersion): number {
  return b.versionPriority - a.versionPriority || compareVersions(a.version, b.version);
}

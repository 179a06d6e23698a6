import type { BuiltinResource } from '@pintle/kinds/discovery';
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '@pintle/machinery';
import { compareVersions, formatGroupVersion } from '@pintle/machinery';
import type { RemoteV2, SchemaSource } from './documents.ts';

export interface CatalogResource extends BuiltinResource {
  /** Kind in which objects are stored. Absent for resources without stored objects. */
  readonly storedAs?: GroupVersionKind;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
}

/** One version of a group in discovery. Immutable: a change replaces it. */
export interface CatalogVersion extends GroupVersion {
  /** Sorts groups, highest first, then by name. An APIService's groupPriorityMinimum. */
  readonly groupPriority: number;
  /** Sorts versions of a group, highest first, then by Kubernetes' order of versions. An APIService's versionPriority. */
  readonly versionPriority: number;
  readonly resources: readonly CatalogResource[];
  /** True when this may be outdated, because its server does not respond. */
  readonly isStale?: boolean;
  /** True for versions of definitions, not built-in ones. */
  readonly isCustom: boolean;
  /** Source of the schemas of its kinds. Default: the built-in ones. */
  readonly schemas?: SchemaSource;
  /** Set when another server serves it. */
  readonly remote?: RemoteDocuments;
}

/** Documents of another server about a version that it serves. */
export interface RemoteDocuments {
  /** OpenAPI 3 document as JSON. */
  readonly openApiV3?: Uint8Array;
  /** Part of its OpenAPI 2 document about this version. */
  readonly openApiV2?: RemoteV2;
}

export interface CatalogGroup {
  readonly group: string;
  /** The preferred one first; never empty. */
  readonly versions: readonly CatalogVersion[];
}

/**
 * Groups and versions that the server serves now. Built-in ones are present from the start; those of definitions and APIServices
 * are added and removed. A group exists while one of its versions does.
 */
export class DiscoveryCatalog {
  readonly #versions = new Map<string, CatalogVersion>();
  /** Versions of other servers. They replace those of this server with the same name. */
  readonly #remote = new Map<string, CatalogVersion>();
  readonly #observers = new Set<(version: GroupVersion) => void>();
  #groups: readonly CatalogGroup[] | undefined;

  constructor(versions: Iterable<CatalogVersion> = []) {
    for (const version of versions) this.put(version);
  }

  /** Adds or replaces a version. */
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

  /** Calls back with every version that is added, removed or replaced. */
  subscribe(observer: (version: GroupVersion) => void): Disposable {
    this.#observers.add(observer);
    return { [Symbol.dispose]: () => this.#observers.delete(observer) };
  }

  /** Groups in the order of discovery. The same array until a change, so that it can be a key of caches. */
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

  /** Returns this server's version, even when another server replaces it. */
  local(version: GroupVersion): CatalogVersion | undefined {
    return this.#versions.get(formatGroupVersion(version));
  }

  /** All versions of this server. */
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

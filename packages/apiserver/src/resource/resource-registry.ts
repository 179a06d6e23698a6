import type { Eventual } from '@pintle/async';
import type { GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource } from '@pintle/machinery';
import type { ServedResource } from './served-resource.ts';

/** Loads resources when they are first requested. */
export interface ResourceLoader {
  hasGroup(group: string): boolean;
  hasVersion(version: GroupVersion): boolean;
  load(gvr: GroupVersionResource): Promise<ServedResource | undefined>;
  /** Returns every group and version that serves the objects of a resource, including its own. */
  namesOf(resource: GroupResource): readonly GroupVersionResource[];
}

/** All resources that the server serves now. Built-in ones are loaded one by one, each with its first request. */
export class ResourceRegistry {
  readonly #builtins: ResourceLoader;
  readonly #resources = new Map<string, ServedResource>();
  readonly #loading = new Map<string, Promise<ServedResource | undefined>>();

  constructor(builtins: ResourceLoader = NONE) {
    this.#builtins = builtins;
  }

  add(resource: ServedResource): void {
    this.#resources.set(keyOf({ ...resource.type, resource: resource.type.plural }), resource);
  }

  remove(gvr: GroupVersionResource): void {
    this.#resources.delete(keyOf(gvr));
  }

  /** Returns the same object at every call, as long as the resource is served. */
  find(gvr: GroupVersionResource): Eventual<ServedResource | undefined> {
    const key = keyOf(gvr);
    const known = this.#resources.get(key);
    return known !== undefined || !this.hasBuiltIn(gvr) ? known : this.#load(key, gvr);
  }

  /** True when the resource is loaded, as all custom ones are. */
  has(gvr: GroupVersionResource): boolean {
    return this.#resources.has(keyOf(gvr));
  }

  /** Returns the loaded resource of a kind; custom ones are all loaded. */
  ofKind({ group, version, kind }: GroupVersionKind): ServedResource | undefined {
    return [...this.#resources.values()].find(
      ({ type }) => type.group === group && type.version === version && type.kind === kind,
    );
  }

  /** Returns every group and version that serves the objects of a resource, including its own. */
  namesOf(gvr: GroupVersionResource): readonly GroupVersionResource[] {
    if (this.hasBuiltInVersion(gvr)) return this.#builtins.namesOf(gvr);
    return [...this.#resources.values()]
      .filter(({ type, isCustom }) => isCustom && type.group === gvr.group && type.plural === gvr.resource)
      .map(({ type }) => ({ ...gvr, version: type.version }));
  }

  /** True when the group has built-in resources, in any version. */
  hasBuiltIn({ group }: Pick<GroupVersion, 'group'>): boolean {
    return this.#builtins.hasGroup(group);
  }

  /** True when this version of the group is built in: definitions are not served in it. */
  hasBuiltInVersion(version: GroupVersion): boolean {
    return this.#builtins.hasVersion(version);
  }

  /**
   * Returns the storage location of a custom resource. A definition may have the group and plural of a built-in
   * resource: its objects are stored under a group that no resource can have.
   */
  customStorage({ group, resource }: GroupResource): GroupResource {
    const isTaken = this.#builtins.namesOf({ group, resource }).length > 0;
    return { group: isTaken ? `custom:${group}` : group, resource };
  }

  async #load(key: string, gvr: GroupVersionResource): Promise<ServedResource | undefined> {
    const loading = this.#loading.get(key) ?? this.#builtins.load(gvr);
    this.#loading.set(key, loading);
    try {
      const resource = await loading;
      if (resource !== undefined && !this.#resources.has(key)) this.#resources.set(key, resource);
      return this.#resources.get(key);
    } finally {
      this.#loading.delete(key);
    }
  }
}

/** Loads nothing: for servers whose resources are all added. */
const NONE: ResourceLoader = {
  hasGroup: () => false,
  hasVersion: () => false,
  load: async () => undefined,
  namesOf: () => [],
};

/** No part can contain a slash. */
function keyOf({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}

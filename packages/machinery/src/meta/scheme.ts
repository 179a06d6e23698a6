import type { GroupVersionKind } from './group-version.ts';
import { formatGroupVersion } from './group-version.ts';
import type { KubernetesObject } from './object-meta.ts';
import type { ResourceType } from './resource-type.ts';

/** Finds descriptors by GVK and by resource. Registering the same descriptor twice is harmless. */
export class Scheme {
  readonly #byKind = new Map<string, ResourceType>();
  readonly #byResource = new Map<string, ResourceType>();

  constructor(types: Iterable<ResourceType> = []) {
    for (const type of types) this.register(type);
  }

  /** Throws when another descriptor is registered for the same GVK or the same resource. */
  register<T extends KubernetesObject>(type: ResourceType<T>): this {
    const resourceKey = `${formatGroupVersion(type)}/${type.plural}`;
    checkFree(this.#byKind, kindKey(type), type);
    checkFree(this.#byResource, resourceKey, type);
    this.#byKind.set(kindKey(type), type);
    this.#byResource.set(resourceKey, type);
    return this;
  }

  typeOf(gvk: GroupVersionKind): ResourceType | undefined {
    return this.#byKind.get(kindKey(gvk));
  }

  typeOfResource(gvr: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
  }): ResourceType | undefined {
    return this.#byResource.get(`${formatGroupVersion(gvr)}/${gvr.resource}`);
  }

  types(): IterableIterator<ResourceType> {
    return this.#byKind.values();
  }
}

function checkFree(map: ReadonlyMap<string, ResourceType>, key: string, type: ResourceType): void {
  const other = map.get(key);
  if (other !== undefined && other !== type)
    throw new TypeError(`Cannot register ${key}: another descriptor is registered for it`);
}

function kindKey(gvk: GroupVersionKind): string {
  return `${formatGroupVersion(gvk)}/${gvk.kind}`;
}

import type { GroupVersion, GroupVersionResource } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import type { ServedResource } from './served-resource.ts';

/** Every resource the server offers right now. */
export class ResourceRegistry {
  readonly #resources = new Map<string, ServedResource>();

  constructor(resources: Iterable<ServedResource> = []) {
    for (const resource of resources) this.add(resource);
  }

  add(resource: ServedResource): void {
    this.#resources.set(keyOf({ ...resource.type, resource: resource.type.plural }), resource);
  }

  remove(gvr: GroupVersionResource): void {
    this.#resources.delete(keyOf(gvr));
  }

  find(gvr: GroupVersionResource): ServedResource | undefined {
    return this.#resources.get(keyOf(gvr));
  }

  /** True when something is served under this group and version. */
  has({ group, version }: GroupVersion): boolean {
    return [...this.#resources.values()].some(({ type }) => type.group === group && type.version === version);
  }

  all(): IterableIterator<ServedResource> {
    return this.#resources.values();
  }
}

function keyOf(gvr: GroupVersionResource): string {
  return `${formatGroupVersion(gvr)}/${gvr.resource}`;
}

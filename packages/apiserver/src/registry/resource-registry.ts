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

  /** True when the server has resources of its own in this group, if of other versions. */
  hasBuiltIn({ group }: Pick<GroupVersion, 'group'>): boolean {
    for (const { type, isCustom } of this.#resources.values()) {
      if (!isCustom && type.group === group) return true;
    }
    return false;
  }

  all(): IterableIterator<ServedResource> {
    return this.#resources.values();
  }
}

function keyOf(gvr: GroupVersionResource): string {
  return `${formatGroupVersion(gvr)}/${gvr.resource}`;
}

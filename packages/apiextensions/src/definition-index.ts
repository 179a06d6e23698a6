import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';

/** The definitions as last seen, by name and by group. */
export class DefinitionIndex {
  readonly #byName = new Map<string, CustomResourceDefinition>();
  readonly #groups = new Map<string, Map<string, CustomResourceDefinition>>();

  get(name: string): CustomResourceDefinition | undefined {
    return this.#byName.get(name);
  }

  /** The group of a definition never changes. */
  set(definition: CustomResourceDefinition): void {
    const { group } = definition.spec;
    const name = definition.metadata.name!;
    const members = this.#groups.get(group) ?? new Map<string, CustomResourceDefinition>();
    this.#groups.set(group, members.set(name, definition));
    this.#byName.set(name, definition);
  }

  delete({ metadata, spec }: CustomResourceDefinition): void {
    this.#byName.delete(metadata.name!);
    const members = this.#groups.get(spec.group);
    members?.delete(metadata.name!);
    if (members?.size === 0) this.#groups.delete(spec.group);
  }

  all(): Iterable<CustomResourceDefinition> {
    return this.#byName.values();
  }

  ofGroup(group: string): Iterable<CustomResourceDefinition> {
    return this.#groups.get(group)?.values() ?? [];
  }
}

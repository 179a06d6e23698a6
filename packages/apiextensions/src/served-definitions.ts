import type { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import type { ResourceRegistry } from '@pintle/apiserver/resource';
import type { WebhookClient } from '@pintle/apiserver/webhook';
import type { Clock, Random } from '@pintle/async';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@pintle/kinds/apiextensions/v1';
import { deepEqual } from '@pintle/machinery/json';
import { isTrue } from './conditions.ts';

export interface ServingOptions {
  readonly resources: ResourceRegistry;
  readonly catalog: DiscoveryCatalog;
  readonly webhooks: WebhookClient;
  readonly random: Random;
  readonly clock: Clock;
}

/** A definition that is served now. */
interface Serving {
  readonly definition: CustomResourceDefinition;
  readonly versions: readonly string[];
  /** Ends its watches. */
  readonly gone: AbortController;
  /** True while the definition is being deleted: objects can be deleted, but not created. */
  isTerminating: boolean;
}

/** Adds the versions of definitions to the registry and the catalog, and removes them again. */
export class ServedDefinitions {
  readonly #options: ServingOptions;
  readonly #serving = new Map<string, Serving>();
  /** Names of the definitions served under `group/version`. */
  readonly #members = new Map<string, Set<string>>();
  /** The code that makes resources of definitions, loaded with the first definition. */
  #code: typeof import('./serving-code.ts') | undefined;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /**
   * Serves a definition, if it is established. Resolves once its resources can be used. Withdraws one that has lost
   * both its conditions.
   */
  async serve(definition: CustomResourceDefinition): Promise<void> {
    const name = definition.metadata.name!;
    if (!isTrue(definition, 'Established')) {
      if (!isTrue(definition, 'NamesAccepted')) this.withdraw(name);
      return;
    }
    this.#code ??= await import('./serving-code.ts');
    const isTerminating = definition.metadata.deletionTimestamp !== undefined;
    const previous = this.#serving.get(name);
    if (previous !== undefined && isServedAlike(previous.definition, definition)) {
      previous.isTerminating = isTerminating;
      return;
    }
    const versions = this.#servedVersions(definition).map((version) => version.name);
    const serving = { definition, versions, gone: new AbortController(), isTerminating };
    this.#serving.set(name, serving);
    for (const version of previous?.versions ?? []) if (!versions.includes(version)) this.#remove(previous!, version);
    this.#add(serving, this.#code);
    previous?.gone.abort(new Error('The definition has changed'));
  }

  /** Stops serving the definition of this name. */
  withdraw(name: string): void {
    const serving = this.#serving.get(name);
    if (serving === undefined) return;
    this.#serving.delete(name);
    for (const version of serving.versions) this.#remove(serving, version);
    serving.gone.abort(new Error('The resource is no longer defined'));
  }

  #add(serving: Serving, { customResource, converterOf, VersionSchemas }: typeof import('./serving-code.ts')): void {
    const { definition, gone } = serving;
    const { group, names } = definition.spec;
    const { plural } = definition.status?.acceptedNames ?? names;
    const parts = {
      schemas: new VersionSchemas(definition),
      converter: converterOf(definition, this.#options),
      clock: this.#options.clock,
      storage: this.#options.resources.customStorage({ group, resource: plural }),
      gone: gone.signal,
      isTerminating: () => serving.isTerminating,
    };
    for (const version of this.#servedVersions(definition)) {
      this.#options.resources.add(customResource(definition, version, parts));
      this.#membersOf(group, version.name).add(definition.metadata.name!);
      this.#publish(group, version.name);
    }
  }

  /** Returns the versions to serve, without those that are built in: requests never reach definitions there. */
  #servedVersions({ spec: { group, versions } }: CustomResourceDefinition): CustomResourceDefinitionVersion[] {
    const { resources } = this.#options;
    return versions.filter(({ name, served }) => served && !resources.hasBuiltInVersion({ group, version: name }));
  }

  #remove({ definition: { metadata, spec, status } }: Serving, version: string): void {
    const resource = status?.acceptedNames?.plural ?? spec.names.plural;
    this.#options.resources.remove({ group: spec.group, version, resource });
    this.#membersOf(spec.group, version).delete(metadata.name!);
    this.#publish(spec.group, version);
  }

  #membersOf(group: string, version: string): Set<string> {
    const key = `${group}/${version}`;
    const members = this.#members.get(key) ?? new Set();
    this.#members.set(key, members);
    return members;
  }

  /** Publishes what is served under a group and version now. */
  #publish(group: string, version: string): void {
    const { catalog } = this.#options;
    const served = [...this.#membersOf(group, version)].map((name) => {
      const { definition } = this.#serving.get(name)!;
      return { definition, version: definition.spec.versions.find((item) => item.name === version)! };
    });
    if (served.length > 0) {
      catalog.put(this.#code!.customCatalogVersion(group, version, served));
      return;
    }
    this.#members.delete(`${group}/${version}`);
    catalog.remove({ group, version });
  }
}

/** Tells whether the parts are equal that decide how a definition is served. */
function isServedAlike(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  return deepEqual(a.spec, b.spec) && deepEqual(a.status?.acceptedNames, b.status?.acceptedNames);
}

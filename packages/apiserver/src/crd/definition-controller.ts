import type { Clock, Random, Runnable } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition as Definitions } from '@pintle/kinds/apiextensions/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { canonicalJson, deepEqual, type JsonValue } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Revision, Store, StoreRecord } from '@pintle/store';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { LoopbackClient } from '../request/loopback-client.ts';
import { collectionRange } from '../storage/keys.ts';
import { decodeObject } from '../storage/object-codec.ts';
import type { WebhookClient } from '../webhook/index.ts';
import { acceptNames } from './accept-names.ts';
import { isTrue, withCondition } from './conditions.ts';

const STORAGE = { group: Definitions.group, resource: Definitions.plural };
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * Serves what definitions define. It follows the definitions in the store: decides which names each may use, says so in
 * its status, puts its versions into the registry, and takes them out again when it goes, after its objects.
 *
 *     defined ──► names accepted ──► established: served ──► terminating: objects deleted ──► gone
 */
export class DefinitionController implements Runnable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #resources: ResourceRegistry;
  readonly #client: LoopbackClient;
  readonly #catalog: DiscoveryCatalog;
  readonly #conversion: { readonly webhooks: WebhookClient; readonly random: Random };
  readonly #onError: (error: unknown, definition: string) => void;
  readonly #definitions = new Map<string, CustomResourceDefinition>();
  /** Versions each definition put into the registry. */
  readonly #served = new Map<string, readonly string[]>();
  /** What was last put into the registry, and how to end the watches of it. */
  readonly #serving = new Map<string, { readonly identity: string; readonly gone: AbortController }>();
  #after = 0 as Revision;
  /** Makes resources of definitions: much code, loaded with the first definition. */
  #making: typeof import('./making.ts') | undefined;

  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly resources: ResourceRegistry;
    readonly client: LoopbackClient;
    readonly catalog: DiscoveryCatalog;
    readonly webhooks: WebhookClient;
    readonly random: Random;
    readonly onError: (error: unknown, definition: string) => void;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#resources = options.resources;
    this.#client = options.client;
    this.#catalog = options.catalog;
    this.#conversion = options;
    this.#onError = options.onError;
  }

  /** Serves every definition that is established already, so that a server starts complete. */
  async load(): Promise<void> {
    const { records, revision } = await this.#store.range(collectionRange(STORAGE, ''));
    this.#after = revision;
    for (const record of records) this.#learn(record);
    for (const definition of this.#definitions.values()) {
      try {
        await this.#serve(definition);
      } catch (error) {
        this.#onError(error, definition.metadata.name ?? '');
      }
    }
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    for (const name of [...this.#definitions.keys()]) await this.#reconcile(name);
    for await (const { events } of this.#store.watch(collectionRange(STORAGE, ''), { after: this.#after, signal })) {
      for (const event of events) {
        if (event.type === 'put') await this.#reconcile(this.#learn(event.record).metadata.name!);
        else await this.#forget(decodeObject(event.previous, Definitions.kind) as CustomResourceDefinition);
      }
    }
  }

  #learn(record: StoreRecord): CustomResourceDefinition {
    const definition = decodeObject(record, Definitions.kind) as CustomResourceDefinition;
    this.#definitions.set(definition.metadata.name!, definition);
    return definition;
  }

  /** A name that became free may be what another definition waits for. */
  async #forget(definition: CustomResourceDefinition): Promise<void> {
    const name = definition.metadata.name!;
    this.#definitions.delete(name);
    this.#withdraw(definition);
    for (const other of [...this.#definitions.values()]) {
      if (other.spec.group === definition.spec.group && !isTrue(other, 'NamesAccepted')) {
        await this.#reconcile(other.metadata.name!);
      }
    }
  }

  /** What is wrong with one definition must not keep the others from being served. */
  async #reconcile(name: string): Promise<void> {
    const definition = this.#definitions.get(name);
    if (definition === undefined) return;
    try {
      await this.#bringForward(definition);
    } catch (error) {
      this.#onError(error, name);
    }
  }

  async #bringForward(definition: CustomResourceDefinition): Promise<void> {
    if (definition.metadata.deletionTimestamp !== undefined) {
      await this.#terminate(definition);
      return;
    }
    const settled = await this.#settleNames(definition);
    if (settled !== undefined) await this.#serve(settled);
  }

  /** Writes what was decided about the names. `undefined`: the definition moved, and its event is on the way. */
  async #settleNames(definition: CustomResourceDefinition): Promise<CustomResourceDefinition | undefined> {
    const { accepted, conflict } = acceptNames(definition, this.#definitions.values());
    const now = formatTime(this.#clock.now());
    let conditions = withCondition(
      definition.status?.conditions ?? [],
      conflict === undefined
        ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
        : { type: 'NamesAccepted', status: 'False', ...conflict },
      now,
    );
    if (!isTrue(definition, 'Established')) {
      conditions = withCondition(
        conditions,
        conflict === undefined
          ? {
              type: 'Established',
              status: 'True',
              reason: 'InitialNamesAccepted',
              message: 'the initial names have been accepted',
            }
          : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
        now,
      );
    }
    const status = { ...definition.status, acceptedNames: accepted, conditions };
    if (deepEqual(status, definition.status)) return definition;
    const next = { ...definition, status };
    // Served before it says so: whoever reads that a resource is established can use it at once.
    await this.#serve(next);
    return await this.#writeStatus(next);
  }

  async #writeStatus(definition: CustomResourceDefinition): Promise<CustomResourceDefinition | undefined> {
    try {
      const written = await this.#client.update(Definitions, definition, { subresource: 'status' });
      this.#definitions.set(written.metadata.name!, written);
      return written;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #serve(definition: CustomResourceDefinition): Promise<void> {
    if (!isTrue(definition, 'Established')) return;
    this.#making ??= await import('./making.ts');
    const { customResource, converterOf, VersionSchemas } = this.#making;
    const identity = canonicalJson([definition.spec, definition.status?.acceptedNames ?? null] as unknown as JsonValue);
    const previous = this.#serving.get(definition.metadata.name!);
    if (previous?.identity === identity) return;
    const serving = { identity, gone: new AbortController() };
    this.#serving.set(definition.metadata.name!, serving);
    const { versions } = definition.spec;
    const name = definition.metadata.name!;
    const offered = versions.filter((version) => version.served);
    const before = this.#served.get(name) ?? [];
    this.#definitions.set(name, definition);
    this.#served.set(
      name,
      offered.map((version) => version.name),
    );
    for (const version of before) {
      if (!offered.some((item) => item.name === version)) this.#remove(definition, version);
    }
    const parts = {
      schemas: new VersionSchemas(definition),
      converter: converterOf(definition, this.#conversion),
      gone: serving.gone.signal,
    };
    for (const version of offered) {
      this.#resources.add(customResource(definition, version, parts));
      this.#publish(definition.spec.group, version.name);
    }
    previous?.gone.abort(new Error('The definition has changed'));
  }

  /** Tells clients what is served under a group and version now. */
  #publish(group: string, version: string): void {
    const served = [...this.#served]
      .filter(([, versions]) => versions.includes(version))
      .map(([name]) => this.#definitions.get(name))
      .filter((definition) => definition?.spec.group === group)
      .map((definition) => ({
        definition: definition!,
        version: definition!.spec.versions.find(({ name }) => name === version)!,
      }));
    if (served.length === 0 || this.#making === undefined) this.#catalog.remove({ group, version });
    else this.#catalog.put(this.#making.customCatalogVersion(group, version, served));
  }

  #withdraw(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name!;
    const versions = this.#served.get(name) ?? [];
    this.#served.delete(name);
    for (const version of versions) this.#remove(definition, version);
    this.#serving.get(name)?.gone.abort(new Error('The resource is no longer defined'));
    this.#serving.delete(name);
  }

  #remove({ spec, status }: CustomResourceDefinition, version: string): void {
    this.#resources.remove({
      group: spec.group,
      version,
      resource: status?.acceptedNames?.plural ?? spec.names.plural,
    });
    this.#publish(spec.group, version);
  }

  /** Deletes the objects first; their finalizers may take time, and then their last event brings us back here. */
  async #terminate(definition: CustomResourceDefinition): Promise<void> {
    if (!definition.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const hasNone = isTrue(definition, 'Established') ? await this.#deleteObjects(definition) : true;
    if (!hasNone) return;
    const finalizers = definition.metadata.finalizers.filter((item) => item !== CLEANUP_FINALIZER);
    try {
      await this.#client.update(Definitions, { ...definition, metadata: { ...definition.metadata, finalizers } });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #deleteObjects(definition: CustomResourceDefinition): Promise<boolean> {
    const { group, names } = definition.spec;
    const storage = { group, resource: names.plural };
    const version = this.#served.get(definition.metadata.name!)?.[0];
    const resource =
      version === undefined ? undefined : await this.#resources.find({ group, version, resource: names.plural });
    if (resource === undefined) return true;
    const { records } = await this.#store.range(collectionRange(storage, ''));
    for (const record of records) {
      const { metadata } = decodeObject(record, names.kind);
      await this.#client.delete(resource.type, metadata.namespace ?? '', metadata.name!).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
    return (await this.#store.count(collectionRange(storage, ''))) === 0;
  }
}

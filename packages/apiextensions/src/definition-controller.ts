import { isHistoryLost } from '@pintle/apiserver/cache';
import type { LoopbackClient } from '@pintle/apiserver/request';
import { collectionRange, decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Clock, Runnable } from '@pintle/async';
import { yieldToEventLoop } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition as Definitions } from '@pintle/kinds/apiextensions/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Revision, Store, StoreRecord } from '@pintle/store';
import type { ConditionChange } from './conditions.ts';
import { conditionOf, isTrue, withCondition } from './conditions.ts';
import { DefinitionIndex } from './definition-index.ts';
import { resolveStatus } from './definition-status.ts';
import { removeInstances } from './remove-instances.ts';
import type { ServingOptions } from './served-definitions.ts';
import { ServedDefinitions } from './served-definitions.ts';

const STORAGE = { group: Definitions.group, resource: Definitions.plural };
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const RETRY_MS = 5_000;

interface Options extends ServingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: LoopbackClient;
  readonly onError: (error: unknown, definition: string) => void;
}

/**
 * Serves CustomResourceDefinitions. Follows the definitions in the store: decides which names each may use, sets its
 * status, serves its versions, and withdraws them when it is deleted, after its objects.
 *
 *     defined ──► names accepted ──► established: served ──► terminating: objects deleted ──► gone
 */
export class DefinitionController implements Runnable {
  readonly #options: Options;
  readonly #served: ServedDefinitions;
  readonly #definitions = new DefinitionIndex();
  /** Running removals of objects, by the uid of the definition. */
  readonly #terminating = new Map<string, Promise<void>>();
  #after = 0 as Revision;

  constructor(options: Options) {
    this.#options = options;
    this.#served = new ServedDefinitions(options);
  }

  /** Serves every established definition, so that a server starts complete. */
  async load(): Promise<void> {
    await this.#loadAll();
    for (const definition of this.#definitions.all()) {
      try {
        await this.#served.serve(definition);
      } catch (error) {
        this.#options.onError(error, definition.metadata.name ?? '');
      }
    }
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      for (;;) {
        for (const { metadata } of [...this.#definitions.all()]) await this.#reconcile(metadata.name!, signal);
        try {
          await this.#follow(signal);
          return;
        } catch (error) {
          if (!isHistoryLost(error)) throw error;
          await this.#reload(signal);
        }
      }
    } finally {
      await Promise.all(this.#terminating.values());
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    for await (const { events } of store.watch(collectionRange(STORAGE, ''), { after: this.#after, signal })) {
      for (const event of events) {
        if (event.type === 'put') await this.#reconcile(this.#add(event.record).metadata.name!, signal);
        else await this.#remove(decodeObject(event.previous, Definitions.kind) as CustomResourceDefinition, signal);
        // Definitions come by the hundreds, and some are large: yield to requests in between.
        await yieldToEventLoop();
      }
    }
  }

  /** Reloads all definitions when events were lost, and finds deleted ones. */
  async #reload(signal: AbortSignal): Promise<void> {
    const known = [...this.#definitions.all()];
    const names = await this.#loadAll();
    for (const definition of known) if (!names.has(definition.metadata.name!)) await this.#remove(definition, signal);
  }

  /** Returns the names of all definitions. */
  async #loadAll(): Promise<ReadonlySet<string>> {
    const { records, revision } = await this.#options.store.range(collectionRange(STORAGE, ''), {
      // A damaged definition is not served; when it is deleted, its objects stay until it is created again.
      onDamaged: () => {},
    });
    this.#after = revision;
    return new Set(records.map((record) => this.#add(record).metadata.name!));
  }

  #add(record: StoreRecord): CustomResourceDefinition {
    const definition = decodeObject(record, Definitions.kind) as CustomResourceDefinition;
    this.#definitions.set(definition);
    return definition;
  }

  async #remove(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const name = definition.metadata.name!;
    this.#definitions.delete(definition);
    this.#served.withdraw(name);
    await this.#reconcileWaiting(definition, signal);
  }

  /** Reconciles other definitions of the group, which may wait for a name that became free. */
  async #reconcileWaiting({ metadata, spec }: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    for (const other of [...this.#definitions.ofGroup(spec.group)]) {
      if (other.metadata.name === metadata.name) continue;
      if (!isTrue(other, 'NamesAccepted')) await this.#reconcile(other.metadata.name!, signal);
    }
  }

  /** Reports errors of one definition, so that the others are still served. */
  async #reconcile(name: string, signal: AbortSignal): Promise<void> {
    const definition = this.#definitions.get(name);
    if (definition === undefined) return;
    try {
      if (definition.metadata.deletionTimestamp === undefined) await this.#updateStatus(definition, signal);
      else await this.#terminate(definition, signal);
    } catch (error) {
      this.#options.onError(error, name);
    }
  }

  /** Writes the status with the decided names. After a conflict, the event of the change follows. */
  async #updateStatus(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const status = resolveStatus(definition, this.#definitions.ofGroup(definition.spec.group), this.#now());
    const next = deepEqual(status, definition.status) ? definition : { ...definition, status };
    // Served before the condition is written: a client that reads Established can use the resource at once.
    await this.#served.serve(next);
    if (next === definition) return;
    try {
      const written = await this.#options.client.update(Definitions, next, { subresource: 'status' });
      this.#definitions.set(written);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return;
      throw error;
    }
    if (!deepEqual(status.acceptedNames, definition.status?.acceptedNames)) {
      await this.#reconcileWaiting(definition, signal);
    }
  }

  /**
   * Deletes the objects first, in the background: their finalizers may take time, while other definitions are served.
   */
  async #terminate(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const { name, uid = '', finalizers } = definition.metadata;
    await this.#served.serve(definition);
    // By uid: another definition of the same name may be created and deleted before this one is gone.
    if (this.#terminating.has(uid) || !finalizers?.includes(CLEANUP_FINALIZER)) return;
    const work = this.#cleanUp(definition, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onError(error, name!);
      })
      .finally(() => this.#terminating.delete(uid));
    this.#terminating.set(uid, work);
  }

  async #cleanUp(definition: CustomResourceDefinition, signal: AbortSignal): Promise<void> {
    const name = definition.metadata.name!;
    if (!isTrue(definition, 'Established')) return await this.#release(name, NEVER_ESTABLISHED);
    await this.#setCondition(name, IN_PROGRESS);
    const { group, names } = definition.spec;
    const storage = this.#options.resources.customStorage({ group, resource: names.plural });
    for (;;) {
      try {
        await removeInstances(this.#options, storage, names.kind, signal);
        return await this.#release(name, COMPLETED);
      } catch (error) {
        signal.throwIfAborted();
        this.#options.onError(error, name);
        await this.#setCondition(name, failed(error));
        await this.#options.clock.sleep(RETRY_MS, { signal });
      }
    }
  }

  async #setCondition(name: string, condition: ConditionChange): Promise<void> {
    await this.#change(name, (definition) => {
      const before = conditionOf(definition, condition.type);
      const isSet = before?.status === condition.status && before.reason === condition.reason;
      return isSet ? definition : this.#withCondition(definition, condition);
    });
  }

  async #release(name: string, condition: ConditionChange): Promise<void> {
    await this.#change(name, (definition) => {
      const finalizers = (definition.metadata.finalizers ?? []).filter((item) => item !== CLEANUP_FINALIZER);
      return { ...this.#withCondition(definition, condition), metadata: { ...definition.metadata, finalizers } };
    });
  }

  #withCondition(definition: CustomResourceDefinition, condition: ConditionChange): CustomResourceDefinition {
    const conditions = withCondition(definition.status?.conditions ?? [], condition, this.#now());
    return { ...definition, status: { ...definition.status, conditions } } as CustomResourceDefinition;
  }

  /**
   * Changes the latest state of a definition that is being deleted, again after conflicts; does nothing when it is
   * gone.
   */
  async #change(
    name: string,
    change: (definition: CustomResourceDefinition) => CustomResourceDefinition,
  ): Promise<void> {
    for (;;) {
      const record = await this.#options.store.get(objectKey(STORAGE, '', name));
      const current = record && (decodeObject(record, Definitions.kind) as CustomResourceDefinition);
      if (current?.metadata.deletionTimestamp === undefined) return;
      const next = change(current);
      if (next === current) return;
      try {
        await this.#options.client.update(Definitions, next, { subresource: 'status' });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
  }

  #now(): string {
    return formatTime(this.#options.clock.now());
  }
}

const IN_PROGRESS: ConditionChange = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: ConditionChange = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: ConditionChange = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

function failed(error: unknown): ConditionChange {
  const why = error instanceof Error ? error.message : String(error);
  const message = `could not issue all deletes: ${why}`;
  return { type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed', message };
}

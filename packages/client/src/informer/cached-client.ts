import type { Cached, KubernetesList, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { isNotFound, notFoundError } from '@pintle/machinery/errors';
import type { Client, Configuration, NewObject } from '../rest/client.ts';
import type { ApplyOptions, CallOptions, DeleteOptions, Patch, WriteOptions } from '../rest/options.ts';
import type { RefOf } from '../rest/resource-path.ts';
import { checkNamespace } from '../rest/resource-path.ts';
import type { CacheListOptions } from './object-cache.ts';
import { asCached } from './object-cache.ts';
import type { SharedInformers } from './shared-informers.ts';

/**
 * Reads from the caches of shared informers, and writes to the server. Reads its own writes. Reads kinds without an informer
 * from the server, and never starts an informer itself.
 */
export class CachedClient {
  /** Reads and writes without a cache. */
  readonly live: Client;
  readonly #informers: SharedInformers;

  constructor(live: Client, informers: SharedInformers) {
    this.live = live;
    this.#informers = informers;
  }

  /** Cached objects are shared: do not change them. */
  async find<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    options?: CallOptions,
  ): Promise<Cached<T, S> | undefined> {
    checkNamespace(type, ref);
    const informer = this.#informers.find(type, ref.namespace);
    if (informer === undefined) {
      const found = await this.live.find(type, ref, options);
      return found && asCached<T, S>(found);
    }
    if (!informer.isSynced) await informer.synced;
    const cached = informer.cache.get(ref);
    if (cached !== undefined || !informer.isPartial) return cached;
    // Another shard may have it.
    const found = await this.live.find(type, ref, options);
    return found && asCached<T, S>(found);
  }

  async get<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    options?: CallOptions,
  ): Promise<Cached<T, S>> {
    const found = await this.find(type, ref, options);
    if (found === undefined) throw notFoundError({ group: type.group, resource: type.plural }, ref.name);
    return found;
  }

  async list<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    { index, ...options }: CacheListOptions<NoInfer<T>> & CallOptions = {},
  ): Promise<Cached<T, S>[]> {
    const informers = this.#informers.findEach(type, options.namespace);
    // A list by an index has the objects of this process; any other list is of all.
    if (informers === undefined || (index === undefined && informers.some(({ isPartial }) => isPartial))) {
      if (index !== undefined) throw new TypeError(`Cannot list ${type.plural} by an index: they are not cached`);
      return (await this.live.list(type, options)).items.map((item) => asCached<T, S>(item));
    }
    for (const informer of informers) if (!informer.isSynced) await informer.synced;
    return informers.flatMap(({ cache }) => cache.list({ ...options, ...(index && { index }) }));
  }

  /** Lists objects from the server. */
  async listLive<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options?: Omit<CacheListOptions, 'index'>,
  ): Promise<KubernetesList<Stored<T, S>>> {
    return await this.live.list(type, options);
  }

  async create<T extends KubernetesObject, Input extends KubernetesObject = T, S extends Scope = Scope>(
    type: ResourceType<T, S> & { readonly Input?: Input },
    object: NewObject<Input>,
    options?: WriteOptions,
  ): Promise<Cached<T, S>> {
    return this.#note(type, await this.live.create(type, object, options), options);
  }

  async update<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<Cached<T, S>> {
    return this.#note(type, await this.live.update(type, object, options), options);
  }

  async patch<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    patch: Patch<NoInfer<T>>,
    options?: WriteOptions,
  ): Promise<Cached<T, S>> {
    return this.#note(type, await this.live.patch(type, ref, patch, options), options);
  }

  async apply<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    configuration: Configuration<NoInfer<T>>,
    options: ApplyOptions,
  ): Promise<Cached<T, S>> {
    return this.#note(type, await this.live.apply(type, configuration, options), options);
  }

  /** Deletes exactly this object, by uid. Resolves with false when it was already gone. */
  async delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: NoInfer<T>,
    options: DeleteOptions = {},
  ): Promise<boolean> {
    const { namespace, name = '', uid } = object.metadata;
    const preconditions = { ...(uid && { uid }), ...options.preconditions };
    try {
      const remaining = await this.live.delete(type, { namespace, name }, { ...options, preconditions });
      if (options.dryRun) return true;
      if (remaining === undefined) this.#informers.find(type, namespace)?.noteDeleted(object);
      else this.#note(type, remaining);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
    return true;
  }

  #note<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    object: Stored<T, S>,
    options: WriteOptions = {},
  ): Cached<T, S> {
    const isOfKind = object?.kind === type.kind && object.metadata?.resourceVersion;
    if (!isOfKind || options.dryRun) return asCached<T, S>(object);
    const informer = this.#informers.find(type, object.metadata.namespace);
    if (isGone(object)) informer?.noteDeleted(object);
    else informer?.noteWritten(object);
    return asCached<T, S>(object);
  }
}

/**
 * True when a write removed the last finalizer of an object that is being deleted: the response has the object as it would
 * have been, with its old resourceVersion, but the object is gone. Pods in their grace period and namespaces with other
 * finalizers do not have a grace period of 0.
 */
function isGone({ metadata }: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

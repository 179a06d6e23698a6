import { abortable } from '@pintle/async';
import type { CachedClient, ObjectRef, SharedInformers } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Reason } from '../controller/reason.ts';
import type { Request } from '../controller/request.ts';
import { requestKey } from '../controller/request.ts';

interface FollowedObjectsDependencies {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  enqueue(request: Request, reason: Reason): void;
}

/**
 * Tracks which objects follow which others. Each successful reconcile replaces what its object follows; a kind in a namespace
 * is watched while one of its objects is followed.
 */
export class FollowedObjects implements Disposable {
  readonly #dependencies: FollowedObjectsDependencies;
  /** By kind and namespace. */
  readonly #watches = new Map<string, NamespaceWatch>();
  readonly #byFollower = new Map<string, Set<FollowedObject>>();

  constructor(dependencies: FollowedObjectsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Enqueues the follower at each change of the object. Resolves once the cache is synced; rejects when the kind is not
   * served or may not be listed.
   */
  async follow(follower: Request, type: ResourceType, ref: ObjectRef, signal: AbortSignal): Promise<FollowedObject> {
    const watch = this.#watches.get(watchKey(type, ref.namespace)) ?? (await this.#open(type, ref.namespace, signal));
    const followed = watch.followed(requestKey(ref));
    followed.followers.set(requestKey(follower), follower);
    const all = this.#byFollower.get(requestKey(follower)) ?? new Set();
    this.#byFollower.set(requestKey(follower), all.add(followed));
    await abortable(watch.synced, signal);
    return followed;
  }

  /** Drops everything that the follower follows except `wanted`. */
  keep(follower: Request, wanted: ReadonlySet<FollowedObject> | undefined): void {
    if (this.#byFollower.size === 0) return;
    const key = requestKey(follower);
    const all = this.#byFollower.get(key);
    if (all === undefined) return;
    for (const followed of all) {
      if (wanted?.has(followed)) continue;
      all.delete(followed);
      followed.followers.delete(key);
      if (followed.followers.size === 0) followed.watch.drop(followed);
      if (followed.watch.isEmpty) this.#close(followed.watch);
    }
    if (all.size === 0) this.#byFollower.delete(key);
  }

  /** Number of watches for followed objects. */
  get size(): number {
    return this.#watches.size;
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches.values()) watch[Symbol.dispose]();
    this.#watches.clear();
    this.#byFollower.clear();
  }

  async #open(type: ResourceType, namespace: string | undefined, signal: AbortSignal): Promise<NamespaceWatch> {
    // A watch of a missing or forbidden kind would retry for ever; a list rejects.
    await this.#dependencies.client.live.list(type, { namespace, limit: 1, signal });
    const key = watchKey(type, namespace);
    const watch = this.#watches.get(key) ?? new NamespaceWatch(this.#dependencies, type, namespace);
    this.#watches.set(key, watch);
    return watch;
  }

  #close(watch: NamespaceWatch): void {
    this.#watches.delete(watchKey(watch.type, watch.namespace));
    watch[Symbol.dispose]();
  }
}

/** Object that others follow. */
export interface FollowedObject {
  readonly key: string;
  readonly watch: NamespaceWatch;
  readonly followers: Map<string, Request>;
}

/** Watch of a kind in a namespace. */
class NamespaceWatch implements Disposable {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly synced: Promise<void>;
  readonly #followed = new Map<string, FollowedObject>();
  readonly #close: () => void;

  constructor({ informers, enqueue }: FollowedObjectsDependencies, type: ResourceType, namespace: string | undefined) {
    this.type = type;
    this.namespace = namespace;
    // An informer of all namespaces covers this one.
    const isWhole = namespace === undefined || informers.find(type) !== undefined;
    const share = informers.share(type, isWhole ? {} : { namespace });
    this.synced = share.informer.synced;
    const enqueueFollowers = (cause: 'added' | 'updated' | 'deleted', { metadata }: KubernetesObject): void => {
      const { namespace: objectNamespace, name = '' } = metadata;
      const key = requestKey({ namespace: objectNamespace, name });
      for (const follower of this.#followed.get(key)?.followers.values() ?? [])
        enqueue(follower, { cause, kind: type.kind, namespace: objectNamespace, name });
    };
    const subscription = share.informer.subscribe({
      added: (object, { isInitial }) => void (isInitial || enqueueFollowers('added', object)),
      updated: (object) => enqueueFollowers('updated', object),
      deleted: (object) => enqueueFollowers('deleted', object),
    });
    this.#close = () => {
      subscription[Symbol.dispose]();
      share[Symbol.dispose]();
    };
  }

  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  followed(key: string): FollowedObject {
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    const followed: FollowedObject = { key, watch: this, followers: new Map() };
    this.#followed.set(key, followed);
    return followed;
  }

  drop({ key }: FollowedObject): void {
    this.#followed.delete(key);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

function watchKey(type: ResourceType, namespace: string | undefined): string {
  return `${type.apiVersion} ${type.plural} ${namespace ?? ''}`;
}

import { abortable } from '@pintle/async';
import type { CachedClient, ObjectRef, SharedInformers } from '@pintle/client';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Reason } from '../controller/reason.ts';
import type { Request } from '../controller/request.ts';
import { requestKey } from '../controller/request.ts';

interface FollowsDependencies {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  enqueue(request: Request, reason: Reason): void;
}

/**
 * Which objects follow which others. What an object follows is said anew by each of its reconciles; the kinds of a
 * namespace that nobody follows any more are no longer watched.
 */
export class Follows implements Disposable {
  readonly #dependencies: FollowsDependencies;
  /** By kind and namespace. */
  readonly #places = new Map<string, Place>();
  readonly #byFollower = new Map<string, Set<Followed>>();

  constructor(dependencies: FollowsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * From now on a change of the object concerns the follower. Resolves once the cache knows the object; rejects when
   * the kind is not served or may not be listed.
   */
  async follow(follower: Request, type: ResourceType, ref: ObjectRef, signal: AbortSignal): Promise<Followed> {
    const place = this.#places.get(placeKey(type, ref.namespace)) ?? (await this.#open(type, ref.namespace, signal));
    const followed = place.followed(requestKey(ref));
    followed.by.set(requestKey(follower), follower);
    const all = this.#byFollower.get(requestKey(follower)) ?? new Set();
    this.#byFollower.set(requestKey(follower), all.add(followed));
    await abortable(place.synced, signal);
    return followed;
  }

  /** The follower follows these and no others. */
  keep(follower: Request, wanted: ReadonlySet<Followed> | undefined): void {
    if (this.#byFollower.size === 0) return;
    const key = requestKey(follower);
    const all = this.#byFollower.get(key);
    if (all === undefined) return;
    for (const followed of all) {
      if (wanted?.has(followed)) continue;
      all.delete(followed);
      followed.by.delete(key);
      if (followed.by.size === 0) followed.place.drop(followed);
      if (followed.place.isEmpty) this.#close(followed.place);
    }
    if (all.size === 0) this.#byFollower.delete(key);
  }

  /** How many kinds are watched because somebody follows one of their objects. */
  get size(): number {
    return this.#places.size;
  }

  [Symbol.dispose](): void {
    for (const place of this.#places.values()) place[Symbol.dispose]();
    this.#places.clear();
    this.#byFollower.clear();
  }

  async #open(type: ResourceType, namespace: string | undefined, signal: AbortSignal): Promise<Place> {
    // A watch of a kind that is missing, or forbidden, would wait for ever; a list says so.
    await this.#dependencies.client.live.list(type, { namespace, limit: 1, signal });
    const key = placeKey(type, namespace);
    const place = this.#places.get(key) ?? new Place(this.#dependencies, type, namespace);
    this.#places.set(key, place);
    return place;
  }

  #close(place: Place): void {
    this.#places.delete(placeKey(place.type, place.namespace));
    place[Symbol.dispose]();
  }
}

/** An object that others follow. */
export interface Followed {
  readonly key: string;
  readonly place: Place;
  readonly by: Map<string, Request>;
}

/** The objects of a kind in a namespace. */
class Place implements Disposable {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly synced: Promise<void>;
  readonly #followed = new Map<string, Followed>();
  readonly #close: () => void;

  constructor({ informers, enqueue }: FollowsDependencies, type: ResourceType, namespace: string | undefined) {
    this.type = type;
    this.namespace = namespace;
    // Whoever has all of the kind has the namespace too.
    const isWhole = namespace === undefined || informers.find(type) !== undefined;
    const share = informers.share(type, isWhole ? {} : { namespace });
    this.synced = share.informer.synced;
    const tell = (cause: 'added' | 'updated' | 'deleted', { metadata }: KubernetesObject): void => {
      const { namespace: place, name = '' } = metadata;
      const followers = this.#followed.get(requestKey({ namespace: place, name }))?.by.values() ?? [];
      for (const follower of followers) enqueue(follower, { cause, kind: type.kind, namespace: place, name });
    };
    const subscription = share.informer.subscribe({
      added: (object, { isInitial }) => void (isInitial || tell('added', object)),
      updated: (object) => tell('updated', object),
      deleted: (object) => tell('deleted', object),
    });
    this.#close = () => {
      subscription[Symbol.dispose]();
      share[Symbol.dispose]();
    };
  }

  get isEmpty(): boolean {
    return this.#followed.size === 0;
  }

  followed(key: string): Followed {
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    const followed: Followed = { key, place: this, by: new Map() };
    this.#followed.set(key, followed);
    return followed;
  }

  drop({ key }: Followed): void {
    this.#followed.delete(key);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

function placeKey(type: ResourceType, namespace: string | undefined): string {
  return `${type.apiVersion} ${type.plural} ${namespace ?? ''}`;
}

import type { StoreView } from '@pintle/apiserver/cache';
import { StoreFollower } from '@pintle/apiserver/cache';
import { collectionRange, decodeObject, decodeShared } from '@pintle/apiserver/storage';
import type { Runnable } from '@pintle/async';
import type { APIService } from '@pintle/kinds/apiregistration/v1';
import { APIService as ApiServices } from '@pintle/kinds/apiregistration/v1';
import type { Store, StoreRecord } from '@pintle/store';
import type { RemoteApi } from './remote-api.ts';
import { remoteApiOf } from './remote-api.ts';

type ApiServiceObserver = (name: string, now: APIService | undefined, before: APIService | undefined) => void;

/** All APIServices of the store, and the groups and versions of other servers. */
export class ApiServiceIndex implements Runnable, StoreView {
  readonly #follower: StoreFollower;
  readonly #onChange: ApiServiceObserver;
  readonly #byName = new Map<string, APIService>();
  readonly #remote = new Map<string, RemoteApi>();

  constructor(store: Store, onChange: ApiServiceObserver) {
    const range = collectionRange({ group: ApiServices.group, resource: ApiServices.plural }, '');
    this.#follower = new StoreFollower(store, range, this);
    this.#onChange = onChange;
  }

  get(name: string): APIService | undefined {
    return this.#byName.get(name);
  }

  get all(): Iterable<[string, APIService]> {
    return this.#byName;
  }

  get remotes(): Iterable<[string, RemoteApi]> {
    return this.#remote;
  }

  /** By the name of its APIService. */
  remote(name: string): RemoteApi | undefined {
    return this.#remote.get(name);
  }

  get hasRemotes(): boolean {
    return this.#remote.size > 0;
  }

  async load(): Promise<void> {
    await this.#follower.load();
  }

  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await this.#follower.run(options);
  }

  clear(): void {
    for (const name of [...this.#byName.keys()]) this.#set(name, undefined);
  }

  put(record: StoreRecord): void {
    const apiService = decodeShared(record, ApiServices.kind) as APIService;
    this.#set(apiService.metadata.name ?? '', apiService);
  }

  remove(record: StoreRecord): void {
    this.#set(decodeObject(record, ApiServices.kind).metadata.name ?? '', undefined);
  }

  #set(name: string, now: APIService | undefined): void {
    const before = this.#byName.get(name);
    const remote = now && remoteApiOf(now);
    if (now === undefined) this.#byName.delete(name);
    else this.#byName.set(name, now);
    if (remote === undefined) this.#remote.delete(name);
    else this.#remote.set(name, remote);
    this.#onChange(name, now, before);
  }
}

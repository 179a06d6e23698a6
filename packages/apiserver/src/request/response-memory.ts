import { getHeapStatistics } from 'node:v8';
import type { Clock, Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import { clientNameOf, shareOf } from './client-share.ts';
import type { ApiRequest, ApiResponse, Peer } from './exchange.ts';
import { tooManyRequests, whenSent } from './exchange.ts';
import type { Next, RequestState, Stage } from './pipeline.ts';
import { onRequestEnd } from './request-end.ts';
import { beginsWithAll } from './request-info.ts';
import type { UserInfo } from './user-info.ts';
import { ANONYMOUS } from './user-info.ts';

export interface ResponseMemoryOptions {
  /** Bytes that all responses together may hold. Default: 256 MiB, or a quarter of the heap where that is less. */
  readonly maxBytes?: number;
  /**
   * Bytes that the responses to one client may hold while others hold none, and otherwise the same fraction of what the others
   * leave. Default: a quarter of `maxBytes`.
   */
  readonly maxBytesPerClient?: number;
}

const MAX_BYTES = 256 * 1024 * 1024;
/** Fraction that lists of ordinary users leave free, so that administrators can find the cause of a shortage. */
const RESERVED_SHARE = 1 / 8;
/** Longest wait for memory. */
const WAIT_MS = 10_000;
/** Requests that may wait; further ones are refused. While others wait, a client gets the same fraction of what they leave. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_CLIENT = 100;
/** Number of clients from which idle ones are removed. */
const MAX_CLIENTS = 10_000;

/** Returns memory that was taken. Further calls have no effect. */
export type Release = () => void;

/** Returns the default of `maxBytes`. */
export function defaultMemoryBytes(): number {
  return Math.min(MAX_BYTES, Math.floor(getHeapStatistics().heap_size_limit / 4));
}

interface Waiter {
  readonly client: ClientMemory;
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Counts the memory of responses, from when they are produced until their clients have received them or are gone, by client
 * and in total. A client is a user, or the service accounts of a namespace; anonymous clients are counted by address. Requests
 * beyond the limits wait for a while, and are refused then. A client may hold a fraction of what the others leave, so that no
 * number of them holds all.
 */
export class ResponseMemory {
  readonly maxBytes: number;
  readonly #clock: Clock;
  readonly #maxBytesPerClient: number;
  readonly #users = new Map<string, ClientMemory>();
  readonly #anonymous = new Map<string, ClientMemory>();
  /** Members of `system:masters`, and callers in this process. */
  readonly #trusted = new Map<string, ClientMemory>();
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiter>();
  #heldBytes = 0;

  constructor({ clock, ...options }: ResponseMemoryOptions & { readonly clock: Clock }) {
    this.#clock = clock;
    this.maxBytes = options.maxBytes ?? defaultMemoryBytes();
    this.#maxBytesPerClient = options.maxBytesPerClient ?? Math.floor(this.maxBytes / 4);
  }

  /** Bytes that all responses hold now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  clientOf(user: UserInfo, peer: Peer): ClientMemory {
    const { username, groups } = user;
    // `system:masters` and the control plane do not share their limit with others.
    if (peer.user !== undefined || groups.includes('system:masters')) {
      return this.#trusted.get(username) ?? this.#newClient(this.#trusted, username, this.#trustedLimits(groups));
    }
    const isAnonymous = username === ANONYMOUS.username;
    const clients = isAnonymous ? this.#anonymous : this.#users;
    const name = isAnonymous ? peer.address : clientNameOf(user, peer);
    return clients.get(name) ?? this.#newClient(clients, name, this.#limits);
  }

  get #limits(): ClientLimits {
    const { maxBytes } = this;
    return {
      maxBytes: this.#maxBytesPerClient,
      isShared: true,
      maxTotalBytes: maxBytes,
      maxTotalOfLists: maxBytes * (1 - RESERVED_SHARE),
    };
  }

  /** Returns limits that bound only the lists of `system:masters`. */
  #trustedLimits(groups: readonly string[]): ClientLimits {
    const { maxBytes } = this;
    const isMaster = groups.includes('system:masters');
    const isShared = false;
    if (isMaster) return { maxBytes: Infinity, isShared, maxTotalBytes: Infinity, maxTotalOfLists: maxBytes };
    return { maxBytes: this.#maxBytesPerClient, isShared, maxTotalBytes: maxBytes, maxTotalOfLists: maxBytes };
  }

  #newClient(clients: Map<string, ClientMemory>, name: string, limits: ClientLimits): ClientMemory {
    if (clients.size >= MAX_CLIENTS) for (const [known, { isIdle }] of clients) if (isIdle) clients.delete(known);
    const client = new ClientMemory(this, name, limits);
    clients.set(name, client);
    return client;
  }

  /** For `ClientMemory`: adds to the total, and grants waiting requests when it shrinks. */
  count(bytes: number): void {
    this.#heldBytes += bytes;
    if (bytes < 0 && this.#waiting.size > 0) this.#grantWaiting();
  }

  /** For `ClientMemory`: waits for memory. `full` when none is freed in time, or too many wait. */
  wait(
    client: ClientMemory,
    bytes: number,
    request: Pick<ApiRequest, 'signal' | 'onEnd'>,
  ): 'full' | Promise<Release | 'full'> {
    if (!this.#mayWait(client)) return 'full';
    return new Promise((resolve) => {
      const end = (outcome: Release | 'full'): void => {
        if (!this.#waiting.delete(waiter)) return;
        client.waiting--;
        timer.cancel();
        unlisten();
        resolve(outcome);
      };
      const waiter: Waiter = { client, bytes, grant: () => end(client.hold(bytes)) };
      client.waiting++;
      this.#waiting.add(waiter);
      const timer = this.#clock.setTimer(WAIT_MS, () => end('full'));
      let unlisten = (): void => {};
      unlisten = onRequestEnd(request, () => end('full'));
    });
  }

  #mayWait({ waiting }: ClientMemory): boolean {
    const total = this.#waiting.size;
    if (total >= MAX_WAITING) return false;
    return (
      waiting === 0 || waiting < shareOf(waiting, { max: MAX_WAITING, maxPerClient: MAX_WAITING_PER_CLIENT, total })
    );
  }

  #grantWaiting(): void {
    for (const { client, bytes, grant } of this.#waiting) if (client.hasRoom(bytes)) grant();
  }
}

interface ClientLimits {
  readonly maxBytes: number;
  /** True when the limit shrinks while others hold memory. */
  readonly isShared: boolean;
  /** Total of all clients up to which this one may send small requests. */
  readonly maxTotalBytes: number;
  /** Total of all clients, with the memory of a list of this one, up to which it may list. */
  readonly maxTotalOfLists: number;
}

/** Counts the memory of the responses to one client. */
export class ClientMemory {
  readonly name: string;
  readonly #memory: ResponseMemory;
  readonly #limits: ClientLimits;
  #heldBytes = 0;
  /** Requests of this client that wait for memory. */
  waiting = 0;

  constructor(memory: ResponseMemory, name: string, limits: ClientLimits) {
    this.name = name;
    this.#memory = memory;
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** True when the limit of this client shrinks while others hold memory. */
  get isShared(): boolean {
    return this.#limits.isShared;
  }

  get isIdle(): boolean {
    return this.#heldBytes === 0 && this.waiting === 0;
  }

  /**
   * True when `bytes` more may be held; for 0, when a small request may be served. A client that holds nothing is bounded by the
   * total alone. While nothing is held at all, any amount is allowed, so that a response larger than the limit is served alone.
   */
  hasRoom(bytes: number): boolean {
    const { maxBytes: maxPerClient, isShared, maxTotalBytes, maxTotalOfLists } = this.#limits;
    const held = this.#heldBytes;
    const total = this.#memory.heldBytes;
    const maxTotal = bytes === 0 ? maxTotalBytes : maxTotalOfLists;
    if (total > 0 && total + bytes > maxTotal) return false;
    return (
      held === 0 || held + bytes <= (isShared ? shareOf(held, { max: maxTotal, maxPerClient, total }) : maxPerClient)
    );
  }

  /** Counts memory that is already in use, also beyond the limits. */
  add(bytes: number): void {
    this.#heldBytes += bytes;
    this.#memory.count(bytes);
  }

  remove(bytes: number): void {
    this.add(-bytes);
  }

  /** As `add`; returns a function that undoes it. */
  hold(bytes: number): Release {
    this.add(bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.remove(bytes);
    };
  }

  /** Takes memory within the limits; `undefined` beyond them. */
  tryTake(bytes: number): Release | undefined {
    return this.hasRoom(bytes) ? this.hold(bytes) : undefined;
  }

  /** Reserves memory, at once or when some is freed. Returns `full` when none is freed in time. */
  take(bytes: number, request: Pick<ApiRequest, 'signal' | 'onEnd'>): Eventual<Release | 'full'> {
    return this.tryTake(bytes) ?? this.#memory.wait(this, bytes, request);
  }
}

/** Memory of a list while it is produced and sent: records, objects decoded from some of them, and a piece to send. */
const LIST_BYTES = 3 * 1024 * 1024;

/**
 * Delays requests, or refuses them with 429, while the responses to their client, or to all clients, hold too much memory.
 * Lists take their memory before they begin. A body that is sent whole counts from when it is produced until the client has
 * received it: `chargeTo` sets its client.
 */
export function responseMemoryStage(memory: ResponseMemory): Stage {
  return (state, next) => {
    const client = memory.clientOf(state.user, state.request.peer);
    state.request.chargeTo?.(client);
    const bytes = listBytes(state);
    if (bytes === 0 && client.hasRoom(0)) return next(state);
    return after(client.take(bytes, state.request), (release) =>
      release === 'full' ? tooManyRequests() : releasing(state, next, release),
    );
  };
}

function listBytes({ info, query }: RequestState): number {
  if (info.kind === 'path') return 0;
  const isList = info.verb === 'list' || info.verb === 'deletecollection';
  return isList || (info.verb === 'watch' && beginsWithAll(query)) ? LIST_BYTES : 0;
}

/** Calls `release` when no more of the response is produced; for a watch, when it has sent its initial objects. */
function releasing(state: RequestState, next: Next, release: Release): Eventual<ApiResponse> {
  return attempt(
    () => next(state.info.verb === 'watch' ? { ...state, onBegun: release } : state),
    (response) => whenSent(response, state.request, release),
    (error) => {
      release();
      throw error;
    },
  );
}

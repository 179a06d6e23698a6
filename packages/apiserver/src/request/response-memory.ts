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
  /** Bytes that all answers together may hold. Default: 256 MiB, or a quarter of the heap where that is less. */
  readonly maxBytes?: number;
  /**
   * Bytes that the answers to one client may hold while others hold nothing; else the same part of what the others leave.
   * Default: a quarter of `maxBytes`.
   */
  readonly maxBytesPerClient?: number;
}

const MAX_BYTES = 256 * 1024 * 1024;
/** Lists of ordinary users leave this part to others: somebody must be able to see what is wrong. */
const RESERVED_SHARE = 1 / 8;
/** For room to come free. */
const WAIT_MS = 10_000;
/** Requests beyond these are refused at once. While others wait, a client has the same part of what they leave. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_CLIENT = 100;
/** Clients that hold nothing are forgotten when there are so many. */
const MAX_CLIENTS = 10_000;

/** Gives back what was taken; works once. */
export type Release = () => void;

interface Waiter {
  readonly client: ClientMemory;
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Counts the memory that answers hold, from when they are made until their clients have taken them or are gone, by
 * client and in all. A client is a user, or the service accounts of a namespace; strangers count by their address. What
 * does not fit waits for a while, and is refused then. A client may hold a part of what the others leave, so that no number
 * of them holds all.
 */
export class ResponseMemory {
  readonly maxBytes: number;
  readonly #clock: Clock;
  readonly #maxBytesPerClient: number;
  readonly #users = new Map<string, ClientMemory>();
  readonly #strangers = new Map<string, ClientMemory>();
  /** Members of `system:masters`, and callers in this process. */
  readonly #trusted = new Map<string, ClientMemory>();
  /** In the order of their coming. */
  readonly #waiting = new Set<Waiter>();
  #heldBytes = 0;

  constructor({ clock, ...options }: ResponseMemoryOptions & { readonly clock: Clock }) {
    this.#clock = clock;
    this.maxBytes = options.maxBytes ?? Math.min(MAX_BYTES, Math.floor(getHeapStatistics().heap_size_limit / 4));
    this.#maxBytesPerClient = options.maxBytesPerClient ?? Math.floor(this.maxBytes / 4);
  }

  /** The bytes that all answers hold now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  clientOf(user: UserInfo, peer: Peer): ClientMemory {
    const { username, groups } = user;
    // `system:masters` and the control plane itself do not share with others.
    if (peer.user !== undefined || groups.includes('system:masters')) {
      return this.#trusted.get(username) ?? this.#newClient(this.#trusted, username, this.#trustedLimits(groups));
    }
    const isStranger = username === ANONYMOUS.username;
    const clients = isStranger ? this.#strangers : this.#users;
    const name = isStranger ? peer.address : clientNameOf(user, peer);
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

  /** `system:masters` is refused nothing but what takes much. */
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

  /** Of a client: what it holds has changed. */
  count(bytes: number): void {
    this.#heldBytes += bytes;
    if (bytes < 0 && this.#waiting.size > 0) this.#grantWaiting();
  }

  /** Of a client: waits for room. `full` when there is none for too long, or too many wait. */
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
  /** Whether less may be held while others hold something. */
  readonly isShared: boolean;
  /** The most that all clients may hold when this one sends a small request. */
  readonly maxTotalBytes: number;
  /** The most that all clients may hold with what a list of this one reserves. */
  readonly maxTotalOfLists: number;
}

/** Counts the memory that the answers to one client hold. */
export class ClientMemory {
  /** Of the client. */
  readonly name: string;
  readonly #memory: ResponseMemory;
  readonly #limits: ClientLimits;
  #heldBytes = 0;
  /** Requests of this client that wait for room. */
  waiting = 0;

  constructor(memory: ResponseMemory, name: string, limits: ClientLimits) {
    this.name = name;
    this.#memory = memory;
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether this client may hold less while others hold something. */
  get isShared(): boolean {
    return this.#limits.isShared;
  }

  get isIdle(): boolean {
    return this.#heldBytes === 0 && this.waiting === 0;
  }

  /**
   * Whether so much more may be held; of 0, whether anything may be asked for. A client that holds nothing is bounded by
   * the total alone, and while nothing is held at all there is always room: what is larger than a bound is served by itself.
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

  /** Counts what is there already, whether or not there is room. */
  add(bytes: number): void {
    this.#heldBytes += bytes;
    this.#memory.count(bytes);
  }

  remove(bytes: number): void {
    this.add(-bytes);
  }

  /** As `add`, with the way to undo it. */
  hold(bytes: number): Release {
    this.add(bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.remove(bytes);
    };
  }

  /** Takes room if there is some. */
  tryTake(bytes: number): Release | undefined {
    return this.hasRoom(bytes) ? this.hold(bytes) : undefined;
  }

  /** Takes room, now or when some comes free. `full` when none does. */
  take(bytes: number, request: Pick<ApiRequest, 'signal' | 'onEnd'>): Eventual<Release | 'full'> {
    return this.tryTake(bytes) ?? this.#memory.wait(this, bytes, request);
  }
}

/** The memory of a list while it is made and sent: records that were read, objects made of a part of them, a piece to be sent. */
const LIST_BYTES = 3 * 1024 * 1024;

/**
 * Has requests wait, or refuses them with 429, while the answers to their client, or to all, hold too much memory. Lists
 * take what they will hold before they begin; what is sent whole counts from when it is made until it is taken, for which
 * the request is told whose it is.
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

/** Calls `release` when nothing more of the answer is made; for a watch, when it has sent what there was. */
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

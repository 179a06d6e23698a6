import type { Clock, Random, Runnable } from '@pintle/async';
import { Backoff, realClock, systemRandom } from '@pintle/async';
import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { hasReason, isExpired, isInvalid, isTooManyRequests, statusErrorOf } from '@pintle/machinery/errors';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import { LazyObject } from '../rest/lazy-object.ts';
import type { SelectOptions } from '../rest/options.ts';
import { FIRST_PAGE_SIZE, pageSizeAfter } from '../rest/page-size.ts';
import { nextPageOf } from '../rest/response.ts';
import type { LazyEvent, LazyEventOptions } from '../rest/watch-stream.ts';
import { readLazyEvents } from '../rest/watch-stream.ts';
import { compareResourceVersions } from './resource-version.ts';
import { Watchdog } from './watchdog.ts';

/** Receives the objects and events of a reflector, in order. */
export interface ReflectorSink<T extends KubernetesObject> {
  /** Called with each object of a list as it arrives, before `replace`, so that large lists are parsed in many turns. */
  arrived?(object: LazyObject<T>): void;
  /** Called with all objects. */
  replace(objects: readonly LazyObject<T>[], resourceVersion: string): void;
  apply(event: Exclude<LazyEvent<T>, { type: 'BOOKMARK' }>): void;
  /** Called when everything up to this resourceVersion has been delivered. */
  progress(resourceVersion: string): void;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  /** Selection; called again before each list and watch when it changes. */
  readonly select?: SelectOptions | ((phase: 'list' | 'watch') => SelectOptions | Promise<SelectOptions>);
  readonly sink: ReflectorSink<T>;
  /** Applied to an object when it is first accessed. Default: returns the object as it is. */
  readonly transform?: (object: T) => T;
  /** Default: true. */
  readonly keepsManagedFields?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Starts with a watch that sends the initial objects (WatchList), where the server supports it. Default: true. */
  readonly streamsList?: boolean;
  /** Longest wait before the next try after failures. Default: 30 s. */
  readonly longestWaitMs?: number;
  /** Called with each error; the reflector retries. */
  readonly onError?: (error: unknown) => void;
}

/** First and longest wait after a failure. Two minutes without one reset it. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
/** Longest delay that a server can ask for by Retry-After. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000;
const HEALTHY_AFTER_MS = 120_000;
/** A watch that ends sooner without an event counts as a failure, even when the server closed it normally. */
const SHORTEST_WATCH_MS = 1_000;
/** The server ends a watch after 5 to 10 minutes, so that watches spread over API servers. */
const MIN_WATCH_SECONDS = 300;

/**
 * Follows the objects of a resource for as long as it runs, also when the server or the connection fails:
 *
 *     list ──► watch ──► watch     the stream ended, broke or stalled: resume where it stopped
 *      ▲         │
 *      └─────────┘                 410 Gone, the history was compacted: list again, from the newest
 *
 * The sink gets every change once and in order, or all objects again. A delete and a create of the same name between a
 * break and the next list may look like one change with another uid.
 */
export class Reflector<T extends KubernetesObject> implements Runnable {
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  #state: State = { phase: 'list', atLeast: '0' };
  readonly #eventOptions: LazyEventOptions<T>;
  #canStream: boolean;
  #healthySinceMs: number;
  #lastActivityMs: number;
  #isFailing = false;
  /** Aborts the current watch. */
  #abortWatch: (error: ClientError) => void = () => undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#random = options.random ?? systemRandom;
    const { transform = (object) => object, keepsManagedFields = true } = options;
    this.#eventOptions = {
      transform,
      keepsManagedFields,
      onUnreadable: (error) => this.#relist(error),
      isSharingArena: () => this.#state.phase === 'list',
    };
    this.#canStream = options.streamsList ?? true;
    this.#backoff = new Backoff({
      initialMs: FIRST_WAIT_MS,
      maxMs: options.longestWaitMs ?? LONGEST_WAIT_MS,
      jitter: 0.5,
      random: this.#random,
    });
    this.#healthySinceMs = this.#clock.monotonic();
    this.#lastActivityMs = this.#healthySinceMs;
  }

  /** Time since the last response or event of the server, for health checks. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#lastActivityMs;
  }

  /** True when the last list or watch failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error !== RESELECTED) await this.#recover(error, signal);
      }
    }
  }

  /** Lists again, with the selection as it is now. A list that is in progress is completed first. */
  reselect(): void {
    if (this.#state.phase === 'list') return;
    this.#state = { phase: 'list', atLeast: '' };
    this.#abortWatch(RESELECTED);
  }

  /** Opens the watch again where it is, with the selection as it is now, which must be a part of the former. */
  narrow(): void {
    if (this.#state.phase === 'watch') this.#abortWatch(RESELECTED);
  }

  async #selection(phase: 'list' | 'watch'): Promise<SelectOptions> {
    const { select = {} } = this.#options;
    return typeof select === 'function' ? await select(phase) : select;
  }

  #step(signal: AbortSignal): Promise<void> {
    if (this.#state.phase === 'watch') return this.#watch(this.#state.resourceVersion, signal);
    return this.#canStream ? this.#streamList(this.#state.atLeast, signal) : this.#list(this.#state.atLeast, signal);
  }

  async #list(atLeast: string, signal: AbortSignal): Promise<void> {
    const { client, type, sink } = this.#options;
    const select = await this.#selection('list');
    const objects: LazyObject<T>[] = [];
    let resourceVersion = '';
    let limit = FIRST_PAGE_SIZE;
    let next: string | undefined;
    do {
      const page: KubernetesList<T> = await client.list(type, {
        ...select,
        signal,
        limit,
        ...(next ? { continue: next } : { resourceVersion: atLeast }),
      });
      this.#noteActivity();
      for (const item of page.items) objects.push(LazyObject.ofObject(item, this.#eventOptions.transform));
      limit = pageSizeAfter(page.items);
      resourceVersion = page.metadata.resourceVersion ?? '';
      next = nextPageOf(page, next);
    } while (next);
    sink.replace(objects, resourceVersion);
    this.#state = { phase: 'watch', resourceVersion };
  }

  /** Watches with the initial objects first: they arrive one by one, so that neither side holds the whole list. */
  async #streamList(atLeast: string, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.monotonic();
    const initial = new InitialObjects<T>();
    let isListed = false;
    const options = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: atLeast,
    } as const;
    await this.#stream(options, signal, (event) => {
      if (isListed) this.#deliver(event);
      else if (event.type !== 'BOOKMARK') {
        this.#options.sink.arrived?.(event.object);
        initial.take(event);
      } else if (event.isEndOfInitialEvents) {
        isListed = true;
        this.#options.sink.replace(initial.release(), event.resourceVersion);
        this.#state = { phase: 'watch', resourceVersion: event.resourceVersion };
      }
    });
    if (!isListed)
      throw new ClientError({ code: 'Unreadable', what: 'the watch ended before its initial events were complete' });
    await this.#awaitNextStream(startedMs, signal);
  }

  /** Limits new streams to one a second, however soon they end. */
  async #awaitNextStream(startedMs: number, signal: AbortSignal): Promise<void> {
    const leftMs = startedMs + SHORTEST_WATCH_MS - this.#clock.monotonic();
    if (leftMs > 0) await this.#clock.sleep(leftMs, { signal });
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.monotonic();
    let events = 0;
    await this.#stream({ resourceVersion }, signal, (event) => {
      events++;
      this.#deliver(event);
    });
    if (events === 0 && this.#clock.monotonic() - startedMs < SHORTEST_WATCH_MS)
      throw new ClientError({ code: 'Unreadable', what: 'the watch ended at once without an event' });
    await this.#awaitNextStream(startedMs, signal);
  }

  async #stream(
    start: { resourceVersion: string; sendInitialEvents?: boolean; resourceVersionMatch?: 'NotOlderThan' },
    signal: AbortSignal,
    take: (event: LazyEvent<T>) => void,
  ): Promise<void> {
    const { client, type } = this.#options;
    const select = await this.#selection(this.#state.phase);
    using watchdog = new Watchdog(this.#clock, signal);
    this.#abortWatch = (error) => watchdog.abort(error);
    const timeoutSeconds = MIN_WATCH_SECONDS + this.#random.below(MIN_WATCH_SECONDS);
    const options = { ...select, ...start, allowWatchBookmarks: true, timeoutSeconds, signal: watchdog.signal };
    const body = await client.watchBytes(type, options);
    // `isProbed` is known once there is a connection.
    watchdog.open({ isProbed: client.transport.isProbed === true });
    this.#noteActivity();
    await readLazyEvents<T>(body, this.#eventOptions, (events) => {
      watchdog.noteEvents(events.some((event) => event.type === 'BOOKMARK' && !event.isEndOfInitialEvents));
      this.#noteActivity();
      for (const event of events) take(event);
    });
    watchdog.signal.throwIfAborted();
    // A watch without events that the server ended normally is healthy.
    this.#noteActivity();
  }

  /** Lists again after an object could not be parsed, unless a list is in progress. */
  #relist(error: ClientError): void {
    if (this.#state.phase === 'list') return;
    this.#state = { phase: 'list', atLeast: '' };
    this.#abortWatch(error);
  }

  #deliver(event: LazyEvent<T>): void {
    if (this.#state.phase === 'list') return;
    const { sink } = this.#options;
    const { resourceVersion } = event.type === 'BOOKMARK' ? event : event.object;
    this.#checkOrder(resourceVersion);
    if (event.type === 'BOOKMARK') sink.progress(resourceVersion);
    else sink.apply(event);
    if (resourceVersion) this.#state = { phase: 'watch', resourceVersion };
  }

  /** Throws and lists again when the resourceVersion goes back: the stream may have skipped events. */
  #checkOrder(resourceVersion: string): void {
    if (this.#state.phase !== 'watch') return;
    if ((compareResourceVersions(resourceVersion, this.#state.resourceVersion) ?? 0) >= 0) return;
    this.#state = { phase: 'list', atLeast: '' };
    throw new ClientError({ code: 'Unreadable', what: 'the watch went back to an older resourceVersion' });
  }

  #noteActivity(): void {
    const nowMs = this.#clock.monotonic();
    this.#lastActivityMs = nowMs;
    this.#isFailing = false;
    if (nowMs - this.#healthySinceMs >= HEALTHY_AFTER_MS) this.#backoff.reset();
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    this.#isFailing = true;
    this.#options.onError?.(error);
    if (this.#canStream && this.#state.phase === 'list' && isRefusedStream(error)) {
      this.#canStream = false;
      return;
    }
    if (isExpired(error) || isTooLarge(error) || hasReason(error, 'StorageReadError'))
      this.#state = { phase: 'list', atLeast: '' };
    const asked = isTooManyRequests(error) ? Number(statusErrorOf(error)?.retryAfterSeconds ?? 0) * 1_000 : 0;
    const askedMs = Number.isNaN(asked) ? 0 : Math.min(asked, LONGEST_RETRY_AFTER_MS);
    await this.#clock.sleep(Math.max(this.#backoff.next(), askedMs), { signal }).catch(() => undefined);
    this.#healthySinceMs = this.#clock.monotonic();
  }
}

/** Ends a watch whose selection has changed. Created once, because errors are costly to create. */
const RESELECTED = new ClientError({ code: 'Closed', what: 'the watch: its selection has changed' });

type State =
  /** `atLeast`: '0' for any version; '' for the newest. */
  { readonly phase: 'list'; readonly atLeast: string } | { readonly phase: 'watch'; readonly resourceVersion: string };

/** Collects the initial objects. Nearly all initial events are ADDED, which need no map. */
class InitialObjects<T extends KubernetesObject> {
  #added: LazyObject<T>[] = [];
  /** By key, once there was another event than ADDED. */
  #left: Map<string, LazyObject<T>> | undefined;

  take({ type, object }: Exclude<LazyEvent<T>, { type: 'BOOKMARK' }>): void {
    if (this.#left === undefined && type === 'ADDED') {
      this.#added.push(object);
      return;
    }
    this.#left ??= new Map(this.#added.map((added) => [added.key, added]));
    if (type === 'DELETED') this.#left.delete(object.key);
    else this.#left.set(object.key, object);
  }

  release(): readonly LazyObject<T>[] {
    const released = this.#left === undefined ? this.#added : [...this.#left.values()];
    this.#added = [];
    this.#left = undefined;
    return released;
  }
}

/** True when the server does not support WatchList: it refuses the options. */
function isRefusedStream(error: unknown): boolean {
  const code = statusErrorOf(error)?.code;
  return isInvalid(error) || code === 400 || code === 405;
}

/** True when this server has not reached the requested resourceVersion, which came from another server. */
function isTooLarge(error: unknown): boolean {
  return statusErrorOf(error)?.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}

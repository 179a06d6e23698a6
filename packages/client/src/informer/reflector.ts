import type { Clock, Random, Runnable } from '@pintle/async';
import { Backoff, realClock, systemRandom } from '@pintle/async';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { hasReason, isExpired, isInvalid, isTooManyRequests, statusErrorOf } from '@pintle/machinery/errors';
import { ClientError } from '../errors.ts';
import { nextPageOf } from '../rest/answer.ts';
import type { Client } from '../rest/client.ts';
import type { SelectOptions } from '../rest/options.ts';
import { Sighting } from '../rest/sighting.ts';
import type { SightedEvent, SightOptions } from '../rest/watch-stream.ts';
import { takeSightings } from '../rest/watch-stream.ts';
import { compareResourceVersions } from './resource-version.ts';
import { Watchdog } from './watchdog.ts';

/** Takes in what a reflector learns, in order. */
export interface ReflectorSink<T extends KubernetesObject> {
  /** These are all objects there are. */
  replace(objects: readonly Sighting<T>[], resourceVersion: string): void;
  apply(event: Exclude<SightedEvent<T>, { type: 'BOOKMARK' }>): void;
  /** Everything up to here has been told. */
  progress(resourceVersion: string): void;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly client: Client;
  readonly type: ResourceType<T>;
  readonly select?: SelectOptions;
  readonly sink: ReflectorSink<T>;
  /** Makes of an object what is kept of it, when it is first looked at. Default: nothing is changed. */
  readonly finish?: (object: T) => T;
  /** Default: true. */
  readonly keepsManagedFields?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Begin with a watch that sends the objects first, where the server can. Default: true. */
  readonly streamsList?: boolean;
  /** Told what went wrong; the reflector goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

/** The first wait after a failure and the longest; a reflector that was well for two minutes starts from the first. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
/** However long a server asks to wait, it is asked again after so long. */
const LONGEST_ASKED_WAIT_MS = 5 * 60_000;
const WELL_AFTER_MS = 120_000;
/** A watch that ends so soon is a failure even if the server ended it politely. */
const SHORTEST_WATCH_MS = 1_000;
const PAGE_SIZE = 500;
/** The server ends a watch after 5 to 10 minutes, so that watches spread over servers that come and go. */
const MIN_WATCH_SECONDS = 300;

/**
 * Follows the objects of a resource for as long as it runs, whatever happens to the server and the way to it:
 *
 *     list ──► watch ──► watch     the stream ended, broke or fell silent: resume where it stopped
 *      ▲         │
 *      └─────────┘                 our place in history is no longer kept: begin again, from the newest
 *
 * The sink is told every change once and in order, or of the whole again. Between a break and the next list a delete
 * and a create of the same name may look like one change with another uid.
 */
export class Reflector<T extends KubernetesObject> implements Runnable {
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  #state: State = { phase: 'list', atLeast: '0' };
  readonly #sight: SightOptions<T>;
  #canStream: boolean;
  #wellSinceMs: number;
  #lastHeardMs: number;
  #isFailing = false;
  /** Ends the watch that goes on. */
  #giveUp: (error: ClientError) => void = () => undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#random = options.random ?? systemRandom;
    const { finish = (object) => object, keepsManagedFields = true } = options;
    this.#sight = {
      finish,
      keepsManagedFields,
      onUnreadable: (error) => this.#beginAgain(error),
      isGathering: () => this.#state.phase === 'list',
    };
    this.#canStream = options.streamsList ?? true;
    this.#backoff = new Backoff({
      initialMs: FIRST_WAIT_MS,
      maxMs: LONGEST_WAIT_MS,
      jitter: 0.5,
      random: this.#random,
    });
    this.#wellSinceMs = this.#clock.monotonic();
    this.#lastHeardMs = this.#wellSinceMs;
  }

  /** How long it has been since the server was last heard, for health checks. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#lastHeardMs;
  }

  /** The last it heard of the server was a failure. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#recover(error, signal);
      }
    }
  }

  #step(signal: AbortSignal): Promise<void> {
    if (this.#state.phase === 'watch') return this.#watch(this.#state.resourceVersion, signal);
    return this.#canStream ? this.#streamList(this.#state.atLeast, signal) : this.#list(this.#state.atLeast, signal);
  }

  async #list(atLeast: string, signal: AbortSignal): Promise<void> {
    const { client, type, select, sink } = this.#options;
    const objects: Sighting<T>[] = [];
    let resourceVersion = '';
    let next: string | undefined;
    do {
      const page = await client.list(type, {
        ...select,
        signal,
        limit: PAGE_SIZE,
        ...(next ? { continue: next } : { resourceVersion: atLeast }),
      });
      this.#hear();
      for (const item of page.items) objects.push(Sighting.ofObject(item, this.#sight.finish));
      resourceVersion = page.metadata.resourceVersion ?? '';
      next = nextPageOf(page, next);
    } while (next);
    sink.replace(objects, resourceVersion);
    this.#state = { phase: 'watch', resourceVersion };
  }

  /** A watch that begins with the objects: they arrive one by one, so that nobody has to hold the list as a whole. */
  async #streamList(atLeast: string, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.monotonic();
    const initial = new InitialObjects<T>();
    let isListed = false;
    const options = {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: atLeast,
    } as const;
    await this.#follow(options, signal, (event) => {
      if (isListed) this.#tell(event);
      else if (event.type !== 'BOOKMARK') initial.take(event);
      else if (event.isEndOfInitialEvents) {
        isListed = true;
        this.#options.sink.replace(initial.release(), event.resourceVersion);
        this.#state = { phase: 'watch', resourceVersion: event.resourceVersion };
      }
    });
    if (!isListed) throw new ClientError({ code: 'Unreadable', what: 'a list that ended before its end' });
    await this.#rest(startedMs, signal);
  }

  /** However short its streams, a server is not asked for one more than once a second. */
  async #rest(startedMs: number, signal: AbortSignal): Promise<void> {
    const leftMs = startedMs + SHORTEST_WATCH_MS - this.#clock.monotonic();
    if (leftMs > 0) await this.#clock.sleep(leftMs, { signal });
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.monotonic();
    let events = 0;
    await this.#follow({ resourceVersion }, signal, (event) => {
      events++;
      this.#tell(event);
    });
    if (events === 0 && this.#clock.monotonic() - startedMs < SHORTEST_WATCH_MS)
      throw new ClientError({ code: 'Unreadable', what: 'a watch that ended at once' });
    await this.#rest(startedMs, signal);
  }

  async #follow(
    place: { resourceVersion: string; sendInitialEvents?: boolean; resourceVersionMatch?: 'NotOlderThan' },
    signal: AbortSignal,
    take: (event: SightedEvent<T>) => void,
  ): Promise<void> {
    const { client, type, select } = this.#options;
    using watchdog = new Watchdog(this.#clock, signal);
    this.#giveUp = (error) => watchdog.end(error);
    const timeoutSeconds = MIN_WATCH_SECONDS + this.#random.below(MIN_WATCH_SECONDS);
    const options = { ...select, ...place, allowWatchBookmarks: true, timeoutSeconds, signal: watchdog.signal };
    const body = await client.watchBytes(type, options);
    // What kind of connection it is, is known once there was one.
    watchdog.open({ isProbed: client.transport.isProbed === true });
    this.#hear();
    await takeSightings<T>(body, this.#sight, (events) => {
      watchdog.hear(events.some((event) => event.type === 'BOOKMARK' && !event.isEndOfInitialEvents));
      this.#hear();
      for (const event of events) take(event);
    });
    watchdog.signal.throwIfAborted();
    // A watch in which nothing happened, ended by the server, was well.
    this.#hear();
  }

  /** Somebody looked at what should be an object: only a list can tell what is there. One that is under way will. */
  #beginAgain(error: ClientError): void {
    if (this.#state.phase === 'list') return;
    this.#state = { phase: 'list', atLeast: '' };
    this.#giveUp(error);
  }

  #tell(event: SightedEvent<T>): void {
    if (this.#state.phase === 'list') return;
    const { sink } = this.#options;
    const { resourceVersion } = event.type === 'BOOKMARK' ? event : event.sighting;
    this.#refuseThePast(resourceVersion);
    if (event.type === 'BOOKMARK') sink.progress(resourceVersion);
    else sink.apply(event);
    if (resourceVersion) this.#state = { phase: 'watch', resourceVersion };
  }

  /** A stream that goes back in time may have left something out on its way: only a list can tell. */
  #refuseThePast(resourceVersion: string): void {
    if (this.#state.phase !== 'watch') return;
    if ((compareResourceVersions(resourceVersion, this.#state.resourceVersion) ?? 0) >= 0) return;
    this.#state = { phase: 'list', atLeast: '' };
    throw new ClientError({ code: 'Unreadable', what: 'a watch that goes back in time' });
  }

  #hear(): void {
    const nowMs = this.#clock.monotonic();
    this.#lastHeardMs = nowMs;
    this.#isFailing = false;
    if (nowMs - this.#wellSinceMs >= WELL_AFTER_MS) this.#backoff.reset();
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
    const askedMs = Number.isNaN(asked) ? 0 : Math.min(asked, LONGEST_ASKED_WAIT_MS);
    await this.#clock.sleep(Math.max(this.#backoff.next(), askedMs), { signal }).catch(() => undefined);
    this.#wellSinceMs = this.#clock.monotonic();
  }
}

type State =
  /** `atLeast`: '0' any version will do; '' the newest there is. */
  { readonly phase: 'list'; readonly atLeast: string } | { readonly phase: 'watch'; readonly resourceVersion: string };

/** What is there after the first events, which nearly always are all of objects that are there. */
class InitialObjects<T extends KubernetesObject> {
  #added: Sighting<T>[] = [];
  /** By key, once something else has happened. */
  #left: Map<string, Sighting<T>> | undefined;

  take({ type, sighting }: Exclude<SightedEvent<T>, { type: 'BOOKMARK' }>): void {
    if (this.#left === undefined && type === 'ADDED') {
      this.#added.push(sighting);
      return;
    }
    this.#left ??= new Map(this.#added.map((added) => [added.key, added]));
    if (type === 'DELETED') this.#left.delete(sighting.key);
    else this.#left.set(sighting.key, sighting);
  }

  release(): readonly Sighting<T>[] {
    const released = this.#left === undefined ? this.#added : [...this.#left.values()];
    this.#added = [];
    this.#left = undefined;
    return released;
  }
}

/** Servers that cannot send a list as a watch say that they do not know or allow the options. */
function isRefusedStream(error: unknown): boolean {
  const code = statusErrorOf(error)?.code;
  return isInvalid(error) || code === 400 || code === 405;
}

/** We ask for a future that this server has not reached; another one told us of it. */
function isTooLarge(error: unknown): boolean {
  return statusErrorOf(error)?.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}

import type { Eventual, Timer } from '@pintle/async';
import type { Revision, Store, StoreEvent, StoreWatch, WatchBatch } from '@pintle/store';
import type { WatchProgress } from '../../request/pipeline.ts';
import { onAbort, onRequestEnd } from '../../request/request-end.ts';
import type { Release } from '../../request/response-memory.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ListOptions } from '../read/list-options.ts';
import { bytesOf, readRecords, runsOf } from '../read/list-records.ts';
import type { ObjectFilter } from '../read/object-filter.ts';
import { waitForRevision } from '../read/read-revision.ts';
import { holdChunk } from './unread-chunks.ts';
import type { WatchEncoder } from './watch-encoder.ts';
import { UnfitTransform } from './watch-encoder.ts';

const MIN_TIMEOUT_MS = 30 * 60 * 1000;
const TIMEOUT_STEP_MS = 15_000;
const BOOKMARK_INTERVAL_MS = 60_000;
/** Interval at which a watch from a future revision checks whether the store has reached it. */
const FUTURE_POLL_MS = 100;
/** Time between the last bookmark and the end of the watch. */
const LAST_BOOKMARK_LEAD_MS = 2_000;

export interface WatchStreamOptions {
  readonly options: ListOptions;
  readonly filter: ObjectFilter;
  readonly from: Revision | undefined;
  readonly encoder: WatchEncoder;
}

type Step = IteratorResult<Uint8Array, undefined>;
const DONE: Step = { done: true, value: undefined };

/** The pending `next` call. */
interface Reader {
  resolve(step: Step): void;
  reject(error: unknown): void;
}

/**
 * One watch. Yields a chunk for every event, or for several initial events where the framing allows.
 *
 *     initial ──► live ──► over
 *
 * `initial` sends the existing objects, when asked for, and waits for a revision in the future; `live` follows the
 * store. The watch ends with its timeout, its request or its resource. It holds only what the reader has not taken of
 * the store's last batch, because ten thousand watches may be idle.
 */
export class WatchStream implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #context: RequestContext;
  readonly #options: WatchStreamOptions;
  #phase: 'new' | 'initial' | 'live' | 'over' = 'new';
  /** Chunks that the reader has not taken yet. */
  #ready: Uint8Array[] = [];
  #source: StoreWatch | undefined;
  /** A pull is running that will add to `#ready`. */
  #isPulling = false;
  /** Events of the store are not all in `#ready` yet. */
  #isEncoding = false;
  #isBookmarkDue = false;
  #reader: Reader | undefined;
  #failure: { readonly error: unknown } | undefined;
  #timers: Timer[] = [];
  #unlisten: (() => void)[] = [];
  #endsAt = 0;
  /** Returns the memory of the chunk that the reader has got last. */
  #letGo: Release | undefined;
  #isReturned = false;
  /** A chunk waits for memory. */
  #isShort = false;
  /** Resolved when the reader has taken all initial chunks. */
  #onDrained: (() => void) | undefined;

  constructor(context: RequestContext, options: WatchStreamOptions) {
    this.#context = context;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Must not be called again before it resolves. */
  next(): Promise<Step> {
    if (this.#phase === 'new') this.#begin();
    this.#taken();
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#stored();
    });
  }

  async return(): Promise<Step> {
    this.#isReturned = true;
    this.#ready = [];
    this.#end();
    this.#taken();
    return DONE;
  }

  #begin(): void {
    const { request, resource, clock } = this.#context;
    const timeoutMs = this.#timeoutMs();
    this.#phase = 'initial';
    this.#endsAt = clock.monotonic() + timeoutMs;
    this.#timers = [clock.setTimer(timeoutMs, this.#end)];
    this.#unlisten = [onRequestEnd(request, this.#end)];
    if (this.#options.filter.shard !== undefined)
      this.#unlisten.push(this.#context.shards.observer.watchBegan(resource.storage));
    if (resource.gone !== undefined) this.#unlisten.push(onAbort(resource.gone, this.#end));
    if ((this.#options.options.timeoutSeconds ?? 0) < 0) this.#end();
    // `#end` may have run before the listeners were stored.
    if (this.#isOver) this.#release();
  }

  /** Rounded: Node.js keeps timers of the same length in one list, and the list of cancelled ones until it would have fired. */
  #timeoutMs(): number {
    const { timeoutSeconds } = this.#options.options;
    if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1000;
    const extraMs = MIN_TIMEOUT_MS * this.#context.random.next();
    return MIN_TIMEOUT_MS + Math.round(extraMs / TIMEOUT_STEP_MS) * TIMEOUT_STEP_MS;
  }

  get #isOver(): boolean {
    return this.#phase === 'over';
  }

  #stored(): void {
    if (this.#reader === undefined || this.#isShort) return;
    const chunk = this.#ready.shift() ?? this.#takeBookmark();
    if (chunk !== undefined) this.#deliver(chunk);
    else if (this.#failure !== undefined) this.#fail(this.#failure.error);
    else if (this.#isOver) this.#finishRead(({ resolve }) => resolve(DONE));
    else if (!this.#isPulling) this.#pull();
    else this.#onDrained?.();
  }

  #deliver(chunk: Uint8Array): void {
    const held = holdChunk(chunk, this.#context);
    if (!(held instanceof Promise)) this.#delivered(chunk, held);
    else {
      this.#isShort = true;
      void held.then((release) => {
        this.#isShort = false;
        this.#delivered(chunk, release);
      });
    }
  }

  /** A watch that gets no memory ends, as one that is too slow does in Kubernetes: its client resumes it. */
  #delivered(chunk: Uint8Array, release: Release | 'full'): void {
    if (release !== 'full') this.#letGo = release;
    if (release !== 'full' && !this.#isReturned) {
      this.#finishRead(({ resolve }) => resolve({ done: false, value: chunk }));
    } else {
      this.#taken();
      this.#ready = [];
      this.#end();
      this.#stored();
    }
  }

  /** The reader has passed on what it got. */
  #taken(): void {
    const letGo = this.#letGo;
    this.#letGo = undefined;
    letGo?.();
  }

  #finishRead(finish: (reader: Reader) => void): void {
    const reader = this.#reader!;
    this.#reader = undefined;
    finish(reader);
  }

  #fail(error: unknown): void {
    this.#failure = undefined;
    this.#finishRead(({ reject }) => reject(error));
  }

  #pull(): void {
    this.#isPulling = true;
    if (this.#phase === 'live') this.#source!.next().then(this.#take, this.#endWithError);
    else this.#goLive().then(this.#pulled, this.#endWithError);
  }

  readonly #pulled = (): void => {
    this.#isPulling = false;
    this.#isEncoding = false;
    this.#stored();
  };

  readonly #take = ({ done, value }: IteratorResult<WatchBatch>): void => {
    if (done) this.#end();
    const later = done || this.#isOver ? undefined : this.#tryEncode(value.events);
    if (later === undefined) this.#pulled();
    else later.then(this.#pulled, this.#endWithError);
  };

  #tryEncode(events: readonly StoreEvent[]): Promise<void> | undefined {
    try {
      return this.#encode(events);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Ends the watch with an error event. */
  readonly #endWithError = (error: unknown): void => {
    if (!this.#isOver) {
      try {
        if (!(error instanceof UnfitTransform))
          this.#ready.push(this.#options.encoder.error(error, this.#options.from));
      } catch (rethrown) {
        this.#failure = { error: rethrown };
      }
      this.#end();
    }
    this.#pulled();
  };

  /** Returns a promise when an event takes time to encode: events keep their order. */
  #encode(events: readonly StoreEvent[]): Promise<void> | undefined {
    const { encoder, filter } = this.#options;
    const { shards, resource, yielding } = this.#context;
    for (const [index, event] of events.entries()) {
      const chunk = encoder.event(event, filter, yielding);
      if (chunk instanceof Promise) return this.#encodeLater(chunk, events.slice(index + 1));
      if (chunk !== undefined) this.#ready.push(chunk);
      else if (filter.shard !== undefined) shards.observer.eventFiltered(resource.storage);
    }
    return undefined;
  }

  async #encodeLater(first: Promise<Uint8Array | undefined>, rest: readonly StoreEvent[]): Promise<void> {
    this.#isEncoding = true;
    const chunk = await first;
    if (chunk !== undefined) this.#ready.push(chunk);
    await this.#encode(rest);
  }

  async #goLive(): Promise<void> {
    const { store, clock, info, memory } = this.#context;
    const { options, filter, from } = this.#options;
    let after = from;
    if (isInitialWanted(options, from)) {
      if (from !== undefined && from > 0) await waitForRevision(store, clock, from, this.#context.request);
      after = await this.#sendInitial();
    }
    const present = after || startRevision(store, after);
    const start = present instanceof Promise ? await present : present;
    while (start > store.revision && !this.#isOver) await clock.sleep(FUTURE_POLL_MS);
    if (this.#isOver) return;
    this.#source = store.watch(filter.rangeIn(info.namespace), { after: start, owner: memory.name });
    this.#phase = 'live';
    this.#context.onBegun?.();
    this.#context.onFollowing?.(this.#progressOf(this.#source));
    if (options.allowWatchBookmarks) this.#armBookmark();
  }

  #progressOf(source: StoreWatch): WatchProgress {
    const ready = () => this.#ready.length;
    return {
      get revision() {
        return source.progress;
      },
      get waiting() {
        return ready();
      },
    };
  }

  /** Sends the existing objects in parts and returns the revision at which they were read. */
  async #sendInitial(): Promise<Revision> {
    const { store, yielding } = this.#context;
    const { options, filter, encoder, from } = this.#options;
    const present = startRevision(store, from);
    const revision = present instanceof Promise ? await present : present;
    const range = filter.rangeIn(this.#context.info.namespace);
    for await (const { records } of readRecords(this.#context, filter, range, revision)) {
      for (const run of runsOf(records)) {
        yielding.weigh(bytesOf(run));
        this.#ready.push(...(await yielding.inOwnTurn(() => encoder.initial(run))));
        await this.#drained();
        if (this.#isOver) return revision;
      }
    }
    if (options.allowWatchBookmarks) this.#ready.push(encoder.bookmark(revision, { isInitialEnd: true }));
    return revision;
  }

  /** Resolves when the reader asks for more than there is. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      this.#stored();
    });
  }

  #takeBookmark(): Uint8Array | undefined {
    if (!this.#isBookmarkDue || this.#isEncoding || this.#phase !== 'live') return undefined;
    this.#isBookmarkDue = false;
    this.#armBookmark();
    return this.#options.encoder.bookmark(this.#source!.progress, { isInitialEnd: false });
  }

  /** Schedules a bookmark: about every minute, and once shortly before the watch ends. */
  #armBookmark(): void {
    const { clock, random } = this.#context;
    const lastBookmarkMs = this.#endsAt - clock.monotonic() - LAST_BOOKMARK_LEAD_MS;
    if (lastBookmarkMs <= 0) return;
    const regularMs = Math.round((BOOKMARK_INTERVAL_MS * (0.9 + random.next() * 0.2)) / 1000) * 1000;
    this.#timers[1] = clock.setTimer(Math.min(regularMs, lastBookmarkMs), () => {
      if (!this.#options.encoder.canEncodeObjects) return this.#end();
      this.#isBookmarkDue = true;
      this.#stored();
    });
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#phase = 'over';
    this.#release();
    this.#stored();
  };

  #release(): void {
    this.#onDrained?.();
    for (const timer of this.#timers) timer.cancel();
    for (const unlisten of this.#unlisten) unlisten();
    this.#timers = [];
    this.#unlisten = [];
    void this.#source?.return?.();
  }
}

/** Returns the revision of a watch without one: that of this server when any version will do, else the latest. */
function startRevision(store: Store, from: Revision | undefined): Eventual<Revision> {
  return from === undefined ? store.latest() : store.revision;
}

function isInitialWanted({ sendInitialEvents }: ListOptions, from: Revision | undefined): boolean {
  return sendInitialEvents === true || (sendInitialEvents === undefined && (from === undefined || from === 0));
}

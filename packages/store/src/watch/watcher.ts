import { TurnQueue } from '@pintle/async';
import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { StoreWatch, WatchBatch } from '../store.ts';
import type { Subscriber, WatchHub } from './watch-hub.ts';

/** A part of history: the matching batches up to and including `through`. */
export interface HistorySlice {
  readonly batches: readonly WatchBatch[];
  readonly through: Revision;
}

interface WatcherOptions {
  readonly hub: Pick<WatchHub<never>, 'revision' | 'add' | 'delete'>;
  readonly range: KeyRange;
  readonly after: Revision;
  /**
   * Reads the slice after a revision, never beyond the hub's revision. Throws Compacted when that is no longer kept.
   */
  readonly readHistory: (range: KeyRange, after: Revision) => HistorySlice;
  readonly signal?: AbortSignal | undefined;
  /** Takes turns with others when history is read. */
  readonly owner?: string | undefined;
  /** Error that the first step throws. */
  readonly refusal?: Error | undefined;
  /** Called once, when the watch is over. */
  readonly onEnd?: (watcher: Watcher) => void;
}

/**
 * One watch. It gets live batches while its reader keeps up, and reads history when it does not:
 *
 *     behind ──► live     history was read to its end: subscribed in the same step, so nothing is missed
 *       ▲         │
 *       └─────────┘       more than a few batches wait: they are dropped and read again from history later
 *
 *     either ──► over     returned, aborted, failed or the store closed
 */
export class Watcher implements StoreWatch, Subscriber {
  readonly range: KeyRange;
  readonly #options: WatcherOptions;
  #state: 'behind' | 'live' | 'over' = 'behind';
  /** Batches that were read or offered and not delivered yet. */
  #waiting: WatchBatch[] = [];
  #waitingBytes = 0;
  /** Everything up to here is delivered or in `#waiting`. While live, the hub's revision counts. */
  #seen: Revision;
  #readers: Reader[] = [];
  #isReading = false;
  #error: { readonly reason: unknown } | undefined;

  constructor(options: WatcherOptions) {
    this.range = options.range;
    this.#options = options;
    this.#seen = options.after;
    if (options.refusal) this.#finish({ reason: options.refusal });
    else if (options.signal?.aborted) this.#finish({ reason: options.signal.reason });
    else {
      options.signal?.addEventListener('abort', this.#onAbort);
      if (options.after === options.hub.revision) this.#goLive();
    }
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  get progress(): Revision {
    const next = this.#waiting[0];
    if (next !== undefined) return (next.revision - 1) as Revision;
    return this.#state === 'live' ? this.#options.hub.revision : this.#seen;
  }

  next(): Promise<IteratorResult<WatchBatch, undefined>> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#serve();
    });
  }

  async return(): Promise<IteratorResult<WatchBatch, undefined>> {
    this.#drop();
    this.#finish();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  offer(batch: WatchBatch): void {
    const bytes = sizeOf(batch);
    const isFull = this.#waiting.length >= MAX_WAITING_BATCHES || this.#waitingBytes + bytes > MAX_WAITING_BYTES;
    if (this.#readers.length === 0 && isFull) {
      this.#fallBehind(batch.revision);
      return;
    }
    this.#waiting.push(batch);
    this.#waitingBytes += bytes;
    this.#serve();
  }

  fail(reason: unknown): void {
    this.#finish({ reason });
  }

  /** Delivers waiting batches, then ends. */
  end(): void {
    this.#finish();
  }

  #serve(): void {
    while (this.#readers.length > 0 && this.#waiting.length > 0) {
      const batch = this.#waiting.shift()!;
      this.#waitingBytes -= sizeOf(batch);
      this.#seen = batch.revision;
      this.#readers.shift()!.resolve({ done: false, value: batch });
    }
    if (this.#readers.length === 0) return;
    if (this.#state === 'over') this.#answerOver();
    else if (this.#state === 'behind' && !this.#isReading) void this.#catchUp();
  }

  /**
   * Reads history slice by slice until something matches or the present is reached. Each slice has a separate turn of
   * the event loop, except for a watch that is only a few revisions behind: thousands of watches may read at the same
   * time.
   */
  async #catchUp(): Promise<void> {
    this.#isReading = true;
    let isAtOnce = this.#options.hub.revision - this.#seen <= REVISIONS_AT_ONCE;
    while (this.#state === 'behind' && this.#waiting.length === 0) {
      if (!isAtOnce) await historyTurns.wait(this.#options.owner);
      isAtOnce = false;
      if (!this.isOver) this.#readSlice();
    }
    this.#isReading = false;
    this.#serve();
  }

  #readSlice(): void {
    try {
      const { batches, through } = this.#options.readHistory(this.range, this.#seen);
      for (const batch of batches) {
        this.#waiting.push(batch);
        this.#waitingBytes += sizeOf(batch);
      }
      this.#seen = through;
      if (through === this.#options.hub.revision) this.#goLive();
    } catch (reason) {
      this.#finish({ reason });
    }
  }

  #goLive(): void {
    this.#state = 'live';
    this.#options.hub.add(this);
  }

  /** `missed` is the batch there was no room for; everything before it that matches waits or was delivered. */
  #fallBehind(missed: Revision): void {
    this.#options.hub.delete(this);
    this.#seen = ((this.#waiting[0]?.revision ?? missed) - 1) as Revision;
    this.#state = 'behind';
    this.#drop();
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #finish(error?: { readonly reason: unknown }): void {
    if (this.#state === 'over') return;
    if (this.#state === 'live' && this.#waiting.length === 0) this.#seen = this.#options.hub.revision;
    this.#state = 'over';
    this.#error = error;
    if (error) this.#drop();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.hub.delete(this);
    this.#options.onEnd?.(this);
    this.#serve();
  }

  /** Throws an error once; then the iterator is done. */
  #answerOver(): void {
    for (const reader of this.#readers.splice(0)) {
      if (this.#error) reader.reject(this.#error.reason);
      else reader.resolve({ done: true, value: undefined });
      this.#error = undefined;
    }
  }

  readonly #onAbort = () => this.#finish({ reason: this.#options.signal!.reason });
}

/** Waiting batches and bytes beyond which a watch has fallen behind. */
const MAX_WAITING_BATCHES = 128;
const MAX_WAITING_BYTES = 1024 * 1024;

/** Revisions that a watch may be behind to catch up at once. */
const REVISIONS_AT_ONCE = 64;
/** Separate from the turns of long requests, which do not wait for the history of many watches. */
const historyTurns = new TurnQueue(1);

interface Reader {
  readonly resolve: (result: IteratorResult<WatchBatch, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

function sizeOf(batch: WatchBatch): number {
  let bytes = 0;
  for (const event of batch.events) {
    if (event.type === 'put') bytes += event.record.value.length;
    bytes += event.previous?.value.length ?? 0;
  }
  return bytes;
}

import type { Clock, Timer } from '@pintle/async';
import { Fifo, onAbort, realClock } from '@pintle/async';
import type { RateLimiter } from './rate-limiter.ts';
import { ExponentialLimiter } from './rate-limiter.ts';
import type { ReadyItem } from './ready-list.ts';
import { ReadyList } from './ready-list.ts';
import { TimerHeap } from './timer-heap.ts';

export interface WorkQueueOptions<T> {
  readonly clock?: Clock;
  /** Items with the same key are the same work. Default: the item itself. */
  readonly keyOf?: (item: T) => unknown;
  /** How long `retry` makes an item wait. Default: 5 ms, doubled with each failure. */
  readonly limiter?: RateLimiter<unknown>;
  /** Waiting so long is worth one step of priority. Default: 1 s for 100 steps, so that no priority starves another. */
  readonly ageingMs?: number;
  /** Groups take turns within a priority: one busy namespace does not hold up the others. */
  readonly groupOf?: (item: T) => string;
  /** How many items of one group may be worked on at a time. Default: any number. */
  readonly maxActivePerGroup?: number;
  readonly observer?: QueueObserver;
}

/** Hears what a queue does, for metrics. */
export interface QueueObserver {
  added?(): void;
  started?(waitedMs: number): void;
  finished?(workedMs: number): void;
  retried?(): void;
}

export interface AddOptions {
  /** Higher comes first. Default 0. Of several adds the highest counts. */
  readonly priority?: number;
  /** Not before so long. Of several adds the earliest counts. */
  readonly afterMs?: number;
}

export interface QueueStats {
  /** Ready for somebody to take. */
  readonly ready: number;
  /** Waiting for their time. */
  readonly delayed: number;
  /** How long until the first of those is due. */
  readonly nextDueMs?: number;
  readonly active: number;
  readonly longestActiveMs: number;
  /** How long all that is worked on has taken so far, together. */
  readonly activeMs: number;
}

/** An item somebody works on. */
export interface Held<T> {
  readonly item: T;
  readonly key: unknown;
  readonly priority: number;
  /** The work is over. Call it always; what was added meanwhile then gets its turn. */
  done(): void;
}

/**
 * Work to do, each item once however often it was added.
 *
 *     new ──► delayed ──► ready ──► active ──► gone
 *                                     │ ▲
 *                 added while active: └─┘ again, once it is done
 *
 * An item is never worked on twice at the same time, and nothing added is forgotten. As an iterator the queue holds an
 * item for the worker until the body of the loop ends:
 *
 *     for await (const key of queue) await reconcile(key);
 */
export class WorkQueue<T> implements AsyncIterable<T> {
  readonly #clock: Clock;
  readonly #options: WorkQueueOptions<T>;
  readonly #limiter: RateLimiter<unknown>;
  readonly #entries = new Map<unknown, Entry<T>>();
  readonly #ready: ReadyList<Entry<T>>;
  readonly #delayed = new TimerHeap<Due<T>>();
  readonly #takers = new Fifo<(held: Held<T> | undefined) => void>();
  readonly #activeByGroup = new Map<string, number>();
  readonly #active = new Set<Entry<T>>();
  readonly #drained: (() => void)[] = [];
  #delayedCount = 0;
  #timer: { readonly atMs: number; readonly timer: Timer } | undefined;
  #state: 'open' | 'draining' | 'closed' = 'open';

  constructor(options: WorkQueueOptions<T> = {}) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#limiter = options.limiter ?? new ExponentialLimiter<unknown>();
    this.#ready = new ReadyList(options.ageingMs ?? 10);
  }

  /** How many items are ready to be taken. */
  get size(): number {
    return this.#ready.size;
  }

  stats(): QueueStats {
    const nowMs = this.#clock.monotonic();
    let [longestActiveMs, activeMs] = [0, 0];
    for (const { startedMs } of this.#active) {
      longestActiveMs = Math.max(longestActiveMs, nowMs - startedMs);
      activeMs += nowMs - startedMs;
    }
    const { nextMs } = this.#delayed;
    return {
      ready: this.size,
      delayed: this.#delayedCount,
      active: this.#active.size,
      longestActiveMs,
      activeMs,
      ...(this.#delayedCount > 0 && nextMs !== undefined && { nextDueMs: Math.max(0, nextMs - nowMs) }),
    };
  }

  /** Does nothing once the queue is closed. */
  add(item: T, { priority, afterMs = 0 }: AddOptions = {}): void {
    if (this.#state !== 'open') return;
    const entry = this.#entryOf(item);
    if (priority !== undefined && priority > entry.nextPriority) entry.nextPriority = priority;
    if (entry.place === 'none' || entry.place === 'delayed') this.#options.observer?.added?.();
    if (afterMs > 0) this.#delay(entry, this.#clock.monotonic() + afterMs);
    else this.#makeReady(entry);
  }

  /** Adds the item after the wait its failures have earned. Gives that wait. */
  retry(item: T, options: Pick<AddOptions, 'priority'> = {}): number {
    const afterMs = this.#limiter.next(this.#keyOf(item));
    this.#options.observer?.retried?.();
    this.add(item, { ...options, afterMs });
    return afterMs;
  }

  /** The item is fine: its next failure waits as if it were the first. */
  forget(item: T): void {
    this.#limiter.forget(this.#keyOf(item));
  }

  failures(item: T): number {
    return this.#limiter.failures(this.#keyOf(item));
  }

  /** The next item; `undefined` once the queue is closed. Waits for one, and takers are served in order. */
  take({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Held<T> | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const held = this.takeNow();
    if (held !== undefined) return Promise.resolve(held);
    if (this.#isOver()) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const taker = (value: Held<T> | undefined): void => {
        listener[Symbol.dispose]();
        resolve(value);
      };
      const listener = onAbort(signal, (reason) => {
        this.#takers.remove(taker);
        reject(reason);
      });
      this.#takers.push(taker);
    });
  }

  /** The next item, if one is ready: whoever waited for it would have to be woken. */
  takeNow(): Held<T> | undefined {
    return this.#next();
  }

  /** Nothing is taken or added any more; whoever waits for an item gets none. */
  close(): void {
    this.#state = 'closed';
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#release();
  }

  /** Nothing is added any more; resolves once what is ready has been worked off. What is delayed is dropped. */
  drain(): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#release();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (let held = await this.take(); held !== undefined; held = await this.take()) {
      try {
        yield held.item;
      } finally {
        held.done();
      }
    }
  }

  #keyOf(item: T): unknown {
    return this.#options.keyOf === undefined ? item : this.#options.keyOf(item);
  }

  #entryOf(item: T): Entry<T> {
    const key = this.#keyOf(item);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = new Entry(key, item, this.#options.groupOf?.(item) ?? '');
      this.#entries.set(key, entry);
    }
    entry.item = item;
    return entry;
  }

  #delay(entry: Entry<T>, atMs: number): void {
    if (entry.place === 'ready' || entry.isAgain) return;
    if (entry.place === 'delayed' && entry.dueMs <= atMs) return;
    if (entry.dueMs <= atMs) return;
    if (!entry.isDelayed) this.#delayedCount++;
    entry.dueMs = atMs;
    if (entry.place === 'none') entry.place = 'delayed';
    this.#delayed.push(atMs, { entry, atMs });
    this.#setTimer();
  }

  #makeReady(entry: Entry<T>): void {
    this.#undelay(entry);
    if (entry.place === 'active') {
      entry.isAgain = true;
      return;
    }
    if (entry.place === 'ready' && entry.nextPriority <= entry.priority) return;
    if (entry.place === 'ready') this.#ready.leave();
    else entry.readyMs = this.#clock.monotonic();
    entry.place = 'ready';
    entry.priority = entry.nextPriority === Number.NEGATIVE_INFINITY ? 0 : entry.nextPriority;
    entry.ticket++;
    this.#ready.push(entry);
    this.#serve();
  }

  #undelay(entry: Entry<T>): void {
    if (!entry.isDelayed) return;
    entry.dueMs = Number.POSITIVE_INFINITY;
    this.#delayedCount--;
  }

  #serve(): void {
    while (this.#takers.size > 0) {
      const held = this.#next();
      if (held === undefined) return;
      this.#takers.shift()!(held);
    }
  }

  #next(): Held<T> | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#ready.size === 0) return undefined;
    const nowMs = this.#clock.monotonic();
    const entry = this.#ready.take(nowMs, this.#isAllowed);
    return entry && this.#hold(entry, nowMs);
  }

  readonly #isAllowed = (group: string): boolean => {
    const { maxActivePerGroup } = this.#options;
    return maxActivePerGroup === undefined || (this.#activeByGroup.get(group) ?? 0) < maxActivePerGroup;
  };

  #hold(entry: Entry<T>, nowMs: number): Held<T> {
    entry.place = 'active';
    entry.ticket++;
    entry.startedMs = nowMs;
    entry.nextPriority = Number.NEGATIVE_INFINITY;
    this.#active.add(entry);
    this.#countActive(entry, 1);
    this.#options.observer?.started?.(nowMs - entry.readyMs);
    let isHeld = true;
    const done = (): void => {
      if (isHeld) this.#finish(entry);
      isHeld = false;
    };
    return { item: entry.item, key: entry.key, priority: entry.priority, done };
  }

  #finish(entry: Entry<T>): void {
    this.#active.delete(entry);
    this.#countActive(entry, -1);
    const { observer } = this.#options;
    if (observer?.finished) observer.finished(this.#clock.monotonic() - entry.startedMs);
    const { isAgain } = entry;
    entry.isAgain = false;
    entry.place = entry.isDelayed ? 'delayed' : 'none';
    if (isAgain) this.#makeReady(entry);
    else if (entry.place === 'none') this.#entries.delete(entry.key);
    if (this.#options.maxActivePerGroup !== undefined) this.#serve();
    if (this.#state !== 'open') this.#release();
  }

  #countActive({ group }: Entry<T>, by: number): void {
    if (this.#options.maxActivePerGroup === undefined) return;
    const count = (this.#activeByGroup.get(group) ?? 0) + by;
    if (count === 0) this.#activeByGroup.delete(group);
    else this.#activeByGroup.set(group, count);
  }

  #isOver(): boolean {
    return (
      this.#state === 'closed' || (this.#state === 'draining' && this.#ready.size === 0 && this.#active.size === 0)
    );
  }

  #release(): void {
    if (!this.#isOver()) return;
    for (let taker = this.#takers.shift(); taker !== undefined; taker = this.#takers.shift()) taker(undefined);
    if (this.#active.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  #setTimer(): void {
    const atMs = this.#delayed.nextMs;
    if (atMs === undefined || this.#state !== 'open' || (this.#timer && this.#timer.atMs <= atMs)) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.setTimer(Math.max(0, atMs - this.#clock.monotonic()), () => this.#ripen());
    this.#timer = { atMs, timer };
  }

  #ripen(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    for (let due = this.#delayed.popDue(nowMs); due !== undefined; due = this.#delayed.popDue(nowMs)) {
      if (due.entry.dueMs === due.atMs) this.#makeReady(due.entry);
    }
    this.#setTimer();
  }
}

/** A place in the heap; void when the entry is due at another time by now. */
interface Due<T> {
  readonly entry: Entry<T>;
  readonly atMs: number;
}

class Entry<T> implements ReadyItem {
  readonly key: unknown;
  readonly group: string;
  item: T;
  place: 'none' | 'delayed' | 'ready' | 'active' = 'none';
  /** What its next turn has been asked for with. */
  nextPriority = Number.NEGATIVE_INFINITY;
  priority = 0;
  readyMs = 0;
  ticket = 0;
  startedMs = 0;
  /** Added while active. */
  isAgain = false;
  /** Infinite unless it is delayed, which it may be while active too. */
  dueMs = Number.POSITIVE_INFINITY;

  constructor(key: unknown, item: T, group: string) {
    this.key = key;
    this.item = item;
    this.group = group;
  }

  get isDelayed(): boolean {
    return this.dueMs !== Number.POSITIVE_INFINITY;
  }
}

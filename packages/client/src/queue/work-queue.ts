import type { Clock, Timer } from '@pintle/async';
import { Fifo, onAbort, realClock } from '@pintle/async';
import type { RateLimiter } from './rate-limiter.ts';
import { ExponentialLimiter } from './rate-limiter.ts';
import type { ReadyItem } from './ready-list.ts';
import { ReadyList } from './ready-list.ts';
import { TimerHeap } from './timer-heap.ts';

export interface WorkQueueOptions<T> {
  readonly clock?: Clock;
  /** Items with the same key are one entry. Default: the item itself. */
  readonly keyOf?: (item: T) => unknown;
  /** Delay of `retry`. Default: 5 ms, doubled with each failure. */
  readonly limiter?: RateLimiter<unknown>;
  /** Waiting time that raises the priority by one. Default: 10 ms, so that no priority starves another. */
  readonly ageingMs?: number;
  /** Groups take turns within a priority: one busy namespace does not delay the others. */
  readonly groupOf?: (item: T) => string;
  /** Items of one group that may be active at a time. Default: unlimited. */
  readonly maxActivePerGroup?: number;
  readonly observer?: QueueObserver;
}

/** Receives what a queue does, for metrics. */
export interface QueueObserver {
  added?(): void;
  started?(waitedMs: number): void;
  finished?(workedMs: number): void;
  retried?(): void;
}

export interface AddOptions {
  /** Higher comes first. Default: 0. Of several adds the highest counts. */
  readonly priority?: number;
  /** Delay before the item is ready. Of several adds the earliest time counts. */
  readonly afterMs?: number;
}

export interface QueueStats {
  /** Items ready to be taken. */
  readonly ready: number;
  /** Items that wait until they are due. */
  readonly delayed: number;
  /** Time until the first of those is due. */
  readonly nextDueMs?: number;
  readonly active: number;
  readonly longestActiveMs: number;
  /** Sum of the times that the active items have taken so far. */
  readonly activeMs: number;
}

/** Item of a queue, and its state. */
export interface QueuedItem<T> {
  readonly item: T;
  readonly state: 'ready' | 'delayed' | 'active';
  /** Time until a delayed item is due. */
  readonly dueInMs?: number;
}

/** Item that a worker has taken. */
export interface WorkItem<T> {
  readonly item: T;
  readonly key: unknown;
  readonly priority: number;
  /** Ends the work; the worker always calls it. An item that was added meanwhile becomes ready again. */
  done(): void;
}

/**
 * Queues work, each item once however often it is added.
 *
 *     new ──► delayed ──► ready ──► active ──► gone
 *                                     │ ▲
 *                 added while active: └─┘ again, once it is done
 *
 * No item is active twice at the same time, and no added item is lost. The iterator keeps an item active until the body
 * of the loop ends:
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
  readonly #waiters = new Fifo<(work: WorkItem<T> | undefined) => void>();
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

  /** Number of items ready to be taken. */
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

  /** Returns the first `limit` items, for people: active ones, then ready ones, then delayed ones by due time. */
  items(limit: number): QueuedItem<T>[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#entries.values()]
      .filter(({ state }) => state !== 'none')
      .sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.dueMs - b.dueMs || 0)
      .slice(0, limit)
      .map(({ item, state, isDelayed, dueMs }) => ({
        item,
        state: state as QueuedItem<T>['state'],
        ...(isDelayed && { dueInMs: Math.max(0, dueMs - nowMs) }),
      }));
  }

  /** Does nothing once the queue is closed. */
  add(item: T, { priority, afterMs = 0 }: AddOptions = {}): void {
    if (this.#state !== 'open') return;
    const entry = this.#entryOf(item);
    if (priority !== undefined && priority > entry.nextPriority) entry.nextPriority = priority;
    if (entry.state === 'none' || entry.state === 'delayed') this.#options.observer?.added?.();
    if (afterMs > 0) this.#delay(entry, this.#clock.monotonic() + afterMs);
    else this.#makeReady(entry);
  }

  /** Adds the item after a delay that grows with its failures. Returns the delay in milliseconds. */
  retry(item: T, options: Pick<AddOptions, 'priority'> = {}): number {
    const afterMs = this.#limiter.next(this.#keyOf(item));
    this.#options.observer?.retried?.();
    this.add(item, { ...options, afterMs });
    return afterMs;
  }

  /** Resets the failures of the item. */
  forget(item: T): void {
    this.#limiter.forget(this.#keyOf(item));
  }

  failures(item: T): number {
    return this.#limiter.failures(this.#keyOf(item));
  }

  /** Waits for the next item; resolves with `undefined` once the queue is closed. Callers are served in order. */
  take({ signal }: { readonly signal?: AbortSignal } = {}): Promise<WorkItem<T> | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const work = this.takeNow();
    if (work !== undefined) return Promise.resolve(work);
    if (this.#isOver()) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const waiter = (value: WorkItem<T> | undefined): void => {
        listener[Symbol.dispose]();
        resolve(value);
      };
      const listener = onAbort(signal, (reason) => {
        this.#waiters.remove(waiter);
        reject(reason);
      });
      this.#waiters.push(waiter);
    });
  }

  /** Takes the next item if one is ready, which saves the promise of `take`. */
  takeNow(): WorkItem<T> | undefined {
    return this.#next();
  }

  /** Stops adds and takes; pending takes resolve with `undefined`. */
  close(): void {
    this.#state = 'closed';
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#release();
  }

  /** Stops adds, drops delayed items, and resolves once the ready and active items are done. */
  drain(): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#release();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (let work = await this.take(); work !== undefined; work = await this.take()) {
      try {
        yield work.item;
      } finally {
        work.done();
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
    if (entry.state === 'ready' || entry.isReadded) return;
    if (entry.state === 'delayed' && entry.dueMs <= atMs) return;
    if (entry.dueMs <= atMs) return;
    if (!entry.isDelayed) this.#delayedCount++;
    entry.dueMs = atMs;
    if (entry.state === 'none') entry.state = 'delayed';
    this.#delayed.push(atMs, { entry, atMs });
    this.#setTimer();
  }

  #makeReady(entry: Entry<T>): void {
    this.#undelay(entry);
    if (entry.state === 'active') {
      entry.isReadded = true;
      return;
    }
    if (entry.state === 'ready' && entry.nextPriority <= entry.priority) return;
    if (entry.state === 'ready') this.#ready.dropVoid();
    else entry.readyMs = this.#clock.monotonic();
    entry.state = 'ready';
    entry.priority = entry.nextPriority === Number.NEGATIVE_INFINITY ? 0 : entry.nextPriority;
    entry.ticket++;
    this.#ready.push(entry);
    this.#serveWaiters();
  }

  #undelay(entry: Entry<T>): void {
    if (!entry.isDelayed) return;
    entry.dueMs = Number.POSITIVE_INFINITY;
    this.#delayedCount--;
  }

  #serveWaiters(): void {
    while (this.#waiters.size > 0) {
      const work = this.#next();
      if (work === undefined) return;
      this.#waiters.shift()!(work);
    }
  }

  #next(): WorkItem<T> | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#ready.size === 0) return undefined;
    const nowMs = this.#clock.monotonic();
    const entry = this.#ready.take(nowMs, this.#isAllowed);
    return entry && this.#activate(entry, nowMs);
  }

  readonly #isAllowed = (group: string): boolean => {
    const { maxActivePerGroup } = this.#options;
    return maxActivePerGroup === undefined || (this.#activeByGroup.get(group) ?? 0) < maxActivePerGroup;
  };

  #activate(entry: Entry<T>, nowMs: number): WorkItem<T> {
    entry.state = 'active';
    entry.ticket++;
    entry.startedMs = nowMs;
    entry.nextPriority = Number.NEGATIVE_INFINITY;
    this.#active.add(entry);
    this.#countActive(entry, 1);
    this.#options.observer?.started?.(nowMs - entry.readyMs);
    let isActive = true;
    const done = (): void => {
      if (isActive) this.#finish(entry);
      isActive = false;
    };
    return { item: entry.item, key: entry.key, priority: entry.priority, done };
  }

  #finish(entry: Entry<T>): void {
    this.#active.delete(entry);
    this.#countActive(entry, -1);
    const { observer } = this.#options;
    if (observer?.finished) observer.finished(this.#clock.monotonic() - entry.startedMs);
    const { isReadded } = entry;
    entry.isReadded = false;
    entry.state = entry.isDelayed ? 'delayed' : 'none';
    if (isReadded) this.#makeReady(entry);
    else if (entry.state === 'none') this.#entries.delete(entry.key);
    if (this.#options.maxActivePerGroup !== undefined) this.#serveWaiters();
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
    for (let waiter = this.#waiters.shift(); waiter !== undefined; waiter = this.#waiters.shift()) waiter(undefined);
    if (this.#active.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  #setTimer(): void {
    const atMs = this.#delayed.nextMs;
    if (atMs === undefined || this.#state !== 'open' || (this.#timer && this.#timer.atMs <= atMs)) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.setTimer(Math.max(0, atMs - this.#clock.monotonic()), () => this.#makeDueReady());
    this.#timer = { atMs, timer };
  }

  #makeDueReady(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    for (let due = this.#delayed.popDue(nowMs); due !== undefined; due = this.#delayed.popDue(nowMs)) {
      if (due.entry.dueMs === due.atMs) this.#makeReady(due.entry);
    }
    this.#setTimer();
  }
}

const ORDER = { active: 0, ready: 1, delayed: 2, none: 3 } as const;

/** Slot in the heap; void when the entry is due at another time by now. */
interface Due<T> {
  readonly entry: Entry<T>;
  readonly atMs: number;
}

class Entry<T> implements ReadyItem {
  readonly key: unknown;
  readonly group: string;
  item: T;
  state: 'none' | 'delayed' | 'ready' | 'active' = 'none';
  /** Priority of the next run: the highest that was added. */
  nextPriority = Number.NEGATIVE_INFINITY;
  priority = 0;
  readyMs = 0;
  ticket = 0;
  startedMs = 0;
  /** True when it was added while active. */
  isReadded = false;
  /** Infinity unless it is delayed; an active entry may be delayed too. */
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

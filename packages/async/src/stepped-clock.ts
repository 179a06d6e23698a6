import type { Clock, Timer } from './clock.ts';
import { yieldToEventLoop } from './cooperative.ts';
import { sleepWith } from './sleep.ts';

export interface SteppedClockOptions {
  /** Wall-clock time at the start. Default: 2000-01-01T00:00:00Z. */
  readonly startMs?: number;
  /** Waits until all work that needs no time to pass is done. Default: one turn of the event loop. */
  readonly settle?: () => Promise<void>;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until a test moves it.
 *
 *     const clock = new SteppedClock();
 *     const done = clock.sleep(5_000);
 *     await clock.advance(5_000);
 *     await done;
 *
 * Due timers fire in order of time, then in the order in which they were set. Before the first timer, and after each one, all
 * promise chains run to their end, so that the same `advance` fires timers set by them. The clock does not wait for real I/O:
 * await that work's own promise.
 */
export class SteppedClock implements Clock {
  /** Ordered by time, then by sequence. */
  readonly #timers: PendingTimer[] = [];
  readonly #settle: () => Promise<void>;
  #elapsedMs = 0;
  #startMs: number;
  #sequence = 0;
  /** The last requested move; the next one starts after it. */
  #lastMove: Promise<unknown> = Promise.resolve();

  constructor(options: SteppedClockOptions = {}) {
    this.#startMs = options.startMs ?? Date.UTC(2000, 0, 1);
    // Promise chains of any length run before the next turn; counting awaits would miss long ones.
    this.#settle = options.settle ?? yieldToEventLoop;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void> {
    return sleepWith((callback) => this.setTimer(ms, callback), options?.signal);
  }

  setTimer(ms: number, callback: () => void): Timer {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, ms), sequence: this.#sequence++, callback };
    this.#timers.splice(this.#positionOf(timer), 0, timer);
    const cancel = () => this.#remove(timer);
    return { cancel, [Symbol.dispose]: cancel };
  }

  /** Number of pending timers and sleeps. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /**
   * Moves time forward by `ms` and fires the timers that become due. Rejects with what a callback throws; time stands at that
   * callback then. Concurrent moves run one after the other.
   */
  advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`Cannot advance the clock by ${ms} ms: time only goes forward`);
    return this.#move(async () => {
      const targetMs = this.#elapsedMs + ms;
      await this.#settle();
      while (await this.#fireNext(targetMs));
      this.#elapsedMs = targetMs;
    });
  }

  /** Moves time to the next timer and fires all that are due then. Returns false, and does not move, when none is pending. */
  advanceToNext(): Promise<boolean> {
    return this.#move(async () => {
      await this.#settle();
      const next = this.#timers[0];
      if (next === undefined || next.dueMs === Number.POSITIVE_INFINITY) return false;
      while (await this.#fireNext(next.dueMs));
      return true;
    });
  }

  /**
   * Moves from timer to timer until `promise` settles, and settles as it does. Rejects when no timer is pending, or when it
   * has not settled after `limitMs` of the clock's time (default: one day).
   */
  async advanceUntil<T>(promise: Promise<T>, options: { readonly limitMs?: number } = {}): Promise<T> {
    const limitMs = this.#elapsedMs + (options.limitMs ?? 86_400_000);
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.advance(0);
    while (!isSettled) {
      if (this.#elapsedMs > limitMs) throw new Error('Cannot wait for the promise: the time limit has passed');
      if (!(await this.advanceToNext())) throw new Error('Cannot wait for the promise: no timer is pending');
    }
    return promise;
  }

  /** Sets the wall clock, as an administrator would: `now` jumps, while `monotonic` and timers are unaffected. */
  setNow(ms: number): void {
    this.#startMs = ms - this.#elapsedMs;
  }

  #move<T>(action: () => Promise<T>): Promise<T> {
    const move = this.#lastMove.then(action);
    this.#lastMove = move.catch(() => {});
    return move;
  }

  async #fireNext(untilMs: number): Promise<boolean> {
    const next = this.#timers[0];
    if (next === undefined || next.dueMs > untilMs) return false;
    this.#timers.shift();
    this.#elapsedMs = next.dueMs;
    next.callback();
    await this.#settle();
    return true;
  }

  #remove(timer: PendingTimer): void {
    const position = this.#positionOf(timer);
    if (this.#timers[position] === timer) this.#timers.splice(position, 1);
  }

  /** Returns the index of `timer`, or where it would be inserted. */
  #positionOf(timer: PendingTimer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#timers[middle]!, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: PendingTimer, b: PendingTimer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}

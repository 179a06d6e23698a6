import type { Clock, SteppedClock, Timer } from '@pintle/async';
import { onAbort } from '@pintle/async';

/** Timers fire at whole microseconds, never early: who waits for the last 1e-12 ms would otherwise wait for ever. */
const TICKS_PER_MS = 1_000;

interface ReplicaTimer {
  readonly dueMs: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/**
 * Clock of one process on the time of the simulation. It runs too fast or too slowly, tells another time of day, and can be
 * paused with its process: timers that come due meanwhile fire when the process resumes.
 */
export class ReplicaClock implements Clock {
  readonly #base: SteppedClock;
  readonly #rate: number;
  readonly #offsetMs: number;
  /** Both times when the clock last started or stopped. */
  #anchor: { readonly baseMs: number; readonly ownMs: number };
  #pause: 'process' | 'machine' | undefined;
  #due: ReplicaTimer[] = [];
  #isDead = false;

  constructor(base: SteppedClock, { rate, offsetMs }: { readonly rate: number; readonly offsetMs: number }) {
    this.#base = base;
    this.#rate = rate;
    this.#offsetMs = offsetMs;
    this.#anchor = { baseMs: base.monotonic(), ownMs: 0 };
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  monotonic(): number {
    const { baseMs, ownMs } = this.#anchor;
    return this.#pause === 'machine' ? ownMs : ownMs + (this.#base.monotonic() - baseMs) * this.#rate;
  }

  sleep(ms: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = this.setTimer(ms, () => {
        listener[Symbol.dispose]();
        resolve();
      });
      const listener = onAbort(signal, (reason) => {
        timer.cancel();
        reject(reason);
      });
    });
  }

  setTimer(ms: number, callback: () => void): Timer {
    const timer: ReplicaTimer = { dueMs: this.monotonic() + Math.max(0, ms), callback, isCancelled: false };
    const cancel = this.#arm(timer);
    return { cancel, [Symbol.dispose]: cancel };
  }

  /** Stops timers; with `machine` also the time. */
  pause(what: 'process' | 'machine'): void {
    this.#anchor = { baseMs: this.#base.monotonic(), ownMs: this.monotonic() };
    this.#pause = what;
  }

  resume(): void {
    this.#anchor = { baseMs: this.#base.monotonic(), ownMs: this.monotonic() };
    this.#pause = undefined;
    const due = this.#due;
    this.#due = [];
    for (const timer of due) this.#fire(timer);
  }

  /** No timer fires any more. */
  kill(): void {
    this.#isDead = true;
    this.#due = [];
  }

  #arm(timer: ReplicaTimer): () => void {
    const leftMs = Math.max(0, timer.dueMs - this.monotonic());
    if (leftMs === Number.POSITIVE_INFINITY) return () => undefined;
    const armed = this.#base.setTimer(Math.ceil((leftMs / this.#rate) * TICKS_PER_MS) / TICKS_PER_MS, () =>
      this.#fire(timer),
    );
    return () => {
      timer.isCancelled = true;
      armed.cancel();
    };
  }

  #fire(timer: ReplicaTimer): void {
    if (this.#isDead || timer.isCancelled) return;
    if (this.#pause !== undefined) this.#due.push(timer);
    else if (timer.dueMs > this.monotonic()) this.#arm(timer);
    else timer.callback();
  }
}

import type { Timer } from '@pintle/async';
import { Fifo, realClock } from '@pintle/async';

/** A holder that keeps the lock for so long waits for a request behind it. */
const BLOCKED_AFTER_MS = 5_000;

/**
 * Lets one request pass at a time, in the order they came. The first use of a kind loads code, which takes an unknown time;
 * with one request at a time that changes how long a test runs, not what happens in it.
 */
export class RequestLock {
  readonly #waiting = new Fifo<() => void>();
  #isTaken = false;
  /** Number of suspensions in effect. */
  #suspensions = 0;
  /** Number of acquisitions so far. */
  #acquired = 0;
  /** Runs while requests wait. */
  #watchdog: Timer | undefined;

  /** Waits for the lock and returns the function that releases it. */
  async acquire(): Promise<() => void> {
    if (this.#suspensions === 0 && this.#isTaken) await this.#wait();
    this.#isTaken = true;
    this.#acquired++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  /** Lets all requests pass until the result is disposed of: the holder calls a webhook that may send requests. */
  suspend(): Disposable {
    this.#suspensions++;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next();
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#suspensions--;
        isOpen = false;
      },
    };
  }

  #wait(): Promise<void> {
    this.#watchdog ??= this.#watch(this.#acquired);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the next request pass when the lock was not acquired for long. */
  #watch(acquired: number): Timer {
    return realClock.setTimer(BLOCKED_AFTER_MS, () => {
      this.#watchdog = undefined;
      if (this.#acquired === acquired) this.#waiting.shift()?.();
      if (this.#waiting.size > 0) this.#watchdog = this.#watch(this.#acquired);
    });
  }

  #release(): void {
    this.#isTaken = false;
    this.#waiting.shift()?.();
  }
}

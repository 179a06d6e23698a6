import type { Timer } from '@pintle/async';
import { Fifo, realClock } from '@pintle/async';

/** Whoever is on the lane for so long waits for somebody behind it. */
const BLOCKED_AFTER_MS = 5_000;

/**
 * Lets requests pass one at a time, in the order they came. The first use of a kind loads code, which takes as long as
 * it takes: with one request at a time that changes how long a test runs, not what happens in it.
 */
export class Lane {
  readonly #waiting = new Fifo<() => void>();
  #isTaken = false;
  /** How many reasons there are to let everybody pass. */
  #opened = 0;
  /** How many have entered. */
  #entered = 0;
  /** Runs while somebody waits. */
  #watchdog: Timer | undefined;

  /** Resolves with the way to leave, once it is one's turn. */
  async enter(): Promise<() => void> {
    if (this.#opened === 0 && this.#isTaken) await this.#turn();
    this.#isTaken = true;
    this.#entered++;
    let isIn = true;
    return () => {
      if (isIn) this.#leave();
      isIn = false;
    };
  }

  /** Everybody passes until the result is disposed of: who is on the lane asks somebody who may want to pass. */
  open(): Disposable {
    this.#opened++;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next();
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#opened--;
        isOpen = false;
      },
    };
  }

  #turn(): Promise<void> {
    this.#watchdog ??= this.#watch(this.#entered);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** When nobody has entered for long, the next may. */
  #watch(entered: number): Timer {
    return realClock.setTimer(BLOCKED_AFTER_MS, () => {
      this.#watchdog = undefined;
      if (this.#entered === entered) this.#waiting.shift()?.();
      if (this.#waiting.size > 0) this.#watchdog = this.#watch(this.#entered);
    });
  }

  #leave(): void {
    this.#isTaken = false;
    this.#waiting.shift()?.();
  }
}

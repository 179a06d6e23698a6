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

  /** Resolves with the way to leave, once it is one's turn. */
  async enter(): Promise<() => void> {
    if (this.#opened === 0 && this.#isTaken) await this.#turn();
    this.#isTaken = true;
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

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => {
      const pass = (): void => {
        timer.cancel();
        this.#waiting.remove(pass);
        resolve();
      };
      const timer = realClock.setTimer(BLOCKED_AFTER_MS, pass);
      this.#waiting.push(pass);
    });
  }

  #leave(): void {
    this.#isTaken = false;
    this.#waiting.shift()?.();
  }
}

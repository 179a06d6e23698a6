import type { Clock } from '@pintle/async';

/** So many at once, and so many more in every second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** How often somebody may do what is of use to nobody. */
export class Budget {
  readonly #clock: Clock;
  readonly #rate: Rate;
  #left: number;
  #filledAt: number;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate.burst;
    this.#filledAt = clock.monotonic();
  }

  /** False: it is used up. */
  spend(): boolean {
    if (--this.#left >= 0) return true;
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#rate.burst, Math.floor(((now - this.#filledAt) * this.#rate.perSecond) / 1_000)) - 1;
    this.#filledAt = now;
    return this.#left >= 0;
  }
}

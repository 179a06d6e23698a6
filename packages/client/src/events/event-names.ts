import type { Clock, Random } from '@pintle/async';

const MAX_NAME = 253;

/** Names for events: `web.18a2f…`, the object's name and a time in nanoseconds, which no two share. */
export class EventNames {
  readonly #clock: Clock;
  readonly #random: Random;
  #lastNanos = 0n;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  next(object: string): string {
    const now = BigInt(Math.floor(this.#clock.now() * 1_000)) * 1_000n;
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    const name = `${object}.${this.#lastNanos.toString(16)}`;
    return name.length > MAX_NAME ? this.#random.uuid() : name;
  }
}

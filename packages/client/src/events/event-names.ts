import type { Clock, Random } from '@pintle/async';

const MAX_NAME = 253;
const NANOS_PER_MS = 1_000_000;

/**
 * Makes names for events: `web.18a2f…`, the object's name and a time in nanoseconds. One recorder never makes a name twice.
 * Clocks have milliseconds: each recorder draws the nanoseconds below at random once, so that two recorders rarely make the
 * same name for objects of the same name in the same millisecond.
 */
export class EventNames {
  readonly #clock: Clock;
  readonly #random: Random;
  #belowMs: bigint | undefined;
  #lastNanos = 0n;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  next(object: string): string {
    this.#belowMs ??= this.#draw();
    const now = BigInt(Math.floor(this.#clock.now())) * BigInt(NANOS_PER_MS) + this.#belowMs;
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    const name = `${object}.${this.#lastNanos.toString(16)}`;
    return name.length > MAX_NAME ? this.#random.uuid() : name;
  }

  /** Returns a name with newly drawn nanoseconds, for an event whose name is taken. */
  another(object: string): string {
    this.#belowMs = this.#draw();
    return this.next(object);
  }

  #draw(): bigint {
    return BigInt(this.#random.below(NANOS_PER_MS));
  }
}

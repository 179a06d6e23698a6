import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';

const MAX_ANSWERS = 10_000;

/** Answers of the cluster, believed for a while. */
export class ShortMemory<V> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #answers = new BoundedCache<{ readonly value: V; readonly untilMs: number }>(MAX_ANSWERS);

  constructor(clock: Clock, forMs: number) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** What was answered lately; else what `ask` gives. An answer of `undefined` is not kept. */
  async of(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#answers.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonic()) return known.value;
    const value = await ask();
    if (value !== undefined) this.#answers.set(key, { value, untilMs: this.#clock.monotonic() + this.#forMs });
    return value;
  }
}

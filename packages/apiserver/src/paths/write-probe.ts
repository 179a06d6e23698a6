import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import type { Store } from '@pintle/store';

/** Key outside of all objects: no group begins with an underscore. */
const READINESS_KEY = '_pintle/readiness';
const BUDGET_MS = 1_000;
/** Time for which a success is cached, so that frequent checks do not keep the disk busy. */
const FRESH_MS = 1_000;

interface WriteProbeOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Checks that the store accepts a write and returns it. Concurrent checks share one write. */
export class WriteProbe {
  readonly #store: Store;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #provedMs = Number.NEGATIVE_INFINITY;

  constructor({ store, clock }: WriteProbeOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects when the store refuses the write, loses it, or takes more than a second. */
  async check(): Promise<void> {
    if (this.#clock.monotonic() - this.#provedMs < FRESH_MS) return;
    this.#running ??= this.#prove().finally(() => {
      this.#running = undefined;
    });
    const running = this.#running;
    await withTimeout(() => running, BUDGET_MS, { clock: this.#clock });
  }

  async #prove(): Promise<void> {
    const value = Buffer.from(String(this.#clock.now()));
    const { revision } = await this.#store.commit([{ type: 'put', key: READINESS_KEY, value }]);
    const record = await this.#store.get(READINESS_KEY, { revision });
    if (record === undefined || !value.equals(record.value))
      throw new Error('Cannot write to the store: it returned another value');
    this.#provedMs = this.#clock.monotonic();
  }
}

import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import type { Store } from '@pintle/store';

/** Beside all objects: no group begins with an underscore. */
const READINESS_KEY = '_pintle/readiness';
const BUDGET_MS = 1_000;
/** What was proved so recently is not proved again: whoever asks all the time does not keep the disk busy. */
const FRESH_MS = 1_000;

interface WriteProbeOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Whether the store takes a write and gives it back, found out by doing so. One at a time, however many ask. */
export class WriteProbe {
  readonly #store: Store;
  readonly #clock: Clock;
  #running: Promise<void> | undefined;
  #provedMs = Number.NEGATIVE_INFINITY;

  constructor({ store, clock }: WriteProbeOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Rejects when the store refuses, forgets, or does not answer within a second. */
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
    if (record === undefined || !value.equals(record.value)) throw new Error('The store gave back something else');
    this.#provedMs = this.#clock.monotonic();
  }
}

import type { Clock } from './clock.ts';

export interface TokenBucketOptions {
  /** How many tokens come back in a second. */
  readonly ratePerSecond: number;
  /** How many there are at most, and at the start. */
  readonly burst: number;
  readonly clock: Clock;
}

export interface Reservation {
  /** How long to wait before using the token. 0: use it now. */
  readonly waitMs: number;
  /** Gives the token back, for whoever will not use it after all. May be called twice. */
  cancel(): void;
}

/** A limit on how often something happens: `burst` times at once, `ratePerSecond` in the long run. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #msPerToken: number;
  /** When the bucket will be full again if nothing more is taken. The only state: how many tokens there are follows. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ ratePerSecond, burst, clock }: TokenBucketOptions) {
    if (!(ratePerSecond > 0) || !(burst >= 1))
      throw new RangeError(`Cannot limit to ${ratePerSecond}/s with a burst of ${burst}: nothing would ever pass`);
    this.#clock = clock;
    this.#burst = burst;
    this.#msPerToken = 1_000 / ratePerSecond;
  }

  /** Takes `tokens` if there are as many now, else none. */
  tryTake(tokens = 1): boolean {
    if (this.#waitMsAfterTaking(tokens) > 0) return false;
    this.#fullAtMs = this.#fullAtAfterTaking(tokens);
    return true;
  }

  /** Takes a token, from the future if need be, and tells how long that is. Never refuses. */
  reserve(): Reservation {
    const waitMs = this.#waitMsAfterTaking();
    this.#fullAtMs = this.#fullAtAfterTaking();
    let isHeld = true;
    const cancel = () => {
      if (isHeld) this.#fullAtMs -= this.#msPerToken;
      isHeld = false;
    };
    return { waitMs, cancel };
  }

  /** Waits for its turn; turns come in the order of calls. When `signal` aborts first the token is given back. */
  async take(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const { waitMs, cancel } = this.reserve();
    if (waitMs === 0) return;
    try {
      await this.#clock.sleep(waitMs, options);
    } catch (reason) {
      cancel();
      throw reason;
    }
  }

  #fullAtAfterTaking(tokens = 1): number {
    return Math.max(this.#fullAtMs, this.#clock.monotonic()) + tokens * this.#msPerToken;
  }

  /** A millionth of a millisecond is not waited for: that is how far sums of fractions drift. */
  #waitMsAfterTaking(tokens = 1): number {
    const waitMs = this.#fullAtAfterTaking(tokens) - this.#clock.monotonic() - this.#burst * this.#msPerToken;
    return Math.max(0, Math.ceil(waitMs - 1e-6));
  }
}

import type { Clock } from './clock.ts';

export interface TokenBucketOptions {
  /** Tokens that are added per second. */
  readonly ratePerSecond: number;
  /** Largest number of tokens, and the number at the start. */
  readonly burst: number;
  readonly clock: Clock;
}

export interface Reservation {
  /** Milliseconds to wait before the token may be used. */
  readonly waitMs: number;
  /** Returns an unused token. May be called twice. */
  cancel(): void;
}

/** Limits how often something happens: `burst` times at once, `ratePerSecond` in the long run. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #msPerToken: number;
  /** Time at which the bucket is full again if nothing more is taken. The number of tokens follows from it. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor({ ratePerSecond, burst, clock }: TokenBucketOptions) {
    if (!(ratePerSecond > 0) || !(burst >= 1))
      throw new RangeError(`Cannot limit to ${ratePerSecond}/s with a burst of ${burst}: nothing would ever pass`);
    this.#clock = clock;
    this.#burst = burst;
    this.#msPerToken = 1_000 / ratePerSecond;
  }

  /** True when it limits nothing that a new one would not limit. */
  get isFull(): boolean {
    return this.#clock.monotonic() >= this.#fullAtMs;
  }

  /** Takes `tokens`. Returns false, and takes none, when there are fewer. */
  tryTake(tokens = 1): boolean {
    if (this.#waitMsAfterTaking(tokens) > 0) return false;
    this.#fullAtMs = this.#fullAtAfterTaking(tokens);
    return true;
  }

  /** Takes a token, from the future if necessary, and returns the wait for it. Never refuses. */
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

  /** Waits for a token, in the order of calls. Returns the token when `signal` aborts first. */
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

  /** Ignores a millionth of a millisecond, the rounding error of sums of fractions. */
  #waitMsAfterTaking(tokens = 1): number {
    const waitMs = this.#fullAtAfterTaking(tokens) - this.#clock.monotonic() - this.#burst * this.#msPerToken;
    return Math.max(0, Math.ceil(waitMs - 1e-6));
  }
}

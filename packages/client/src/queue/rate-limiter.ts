import type { Clock } from '@pintle/async';
import { TokenBucket } from '@pintle/async';

/** Delays keys after failures. */
export interface RateLimiter<K> {
  /** Counts a failure of the key and returns its delay in milliseconds. */
  next(key: K): number;
  /** Resets the failures of the key. */
  forget(key: K): void;
  /** Number of failures since the last `forget`. */
  failures(key: K): number;
}

/** Doubles the delay with each failure of a key: 5 ms, 10 ms, … up to about 17 minutes. */
export class ExponentialLimiter<K> implements RateLimiter<K> {
  readonly #failures = new Map<K, number>();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ baseMs = 5, maxMs = 1_000_000 }: { readonly baseMs?: number; readonly maxMs?: number } = {}) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  next(key: K): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
  }

  forget(key: K): void {
    if (this.#failures.size > 0) this.#failures.delete(key);
  }

  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** Limits all keys with one token bucket: `burst` at once, then `ratePerSecond`. */
export class BucketLimiter<K> implements RateLimiter<K> {
  readonly #bucket: TokenBucket;

  constructor(options: { readonly clock: Clock; readonly ratePerSecond: number; readonly burst: number }) {
    this.#bucket = new TokenBucket(options);
  }

  next(): number {
    return this.#bucket.reserve().waitMs;
  }

  forget(): void {
    // The bucket has no state per key.
  }

  failures(): number {
    return 0;
  }
}

/** Returns the longest delay of several limiters; each of them counts the failure. */
export class SlowestLimiter<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  next(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.next(key)));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  failures(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.failures(key)));
  }
}

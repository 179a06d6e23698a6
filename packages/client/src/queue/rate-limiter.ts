import type { Clock } from '@pintle/async';
import { TokenBucket } from '@pintle/async';

/** Says how long a key that failed has to wait before its next turn. */
export interface RateLimiter<K> {
  /** Counts a failure of the key and gives its wait in milliseconds. */
  next(key: K): number;
  /** The key is fine again. */
  forget(key: K): void;
  /** How often it failed since it was last forgotten. */
  failures(key: K): number;
}

/** Waits twice as long after each failure of a key: 5 ms, 10 ms, … up to about 17 minutes. */
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

/** All keys share one bucket: `burst` at once, `ratePerSecond` in the long run. */
export class BucketLimiter<K> implements RateLimiter<K> {
  readonly #bucket: TokenBucket;

  constructor(options: { readonly clock: Clock; readonly ratePerSecond: number; readonly burst: number }) {
    this.#bucket = new TokenBucket(options);
  }

  next(): number {
    return this.#bucket.reserve().waitMs;
  }

  forget(): void {
    // A bucket does not know keys.
  }

  failures(): number {
    return 0;
  }
}

/** The longest wait of several limiters; each of them counts the failure. */
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

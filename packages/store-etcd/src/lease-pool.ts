import type { Clock } from '@pintle/async';
import { StoreError } from '@pintle/store';

interface LeasePoolOptions {
  readonly clock: Clock;
  /** Requests a lease of `seconds`. The engine may grant more. */
  readonly grant: (seconds: number) => Promise<{ readonly id: bigint; readonly seconds: number }>;
}

/** A lease that keys may still join. */
interface OpenLease {
  readonly id: bigint;
  /** Time on the monotonic clock, not after the engine's expiry. */
  readonly endsMs: number;
  keys: number;
}

/** Kubernetes' limits: many small leases are costly for etcd to keep, and large ones to expire. */
const MAX_KEYS = 1_000;
const MAX_SHARED_MS = 60_000;
const SHARED_PART = 0.05;
/** Leases in a row that may end too soon: one that was opened before, or whose grant took long. */
const MAX_TOO_SHORT = 10;

/**
 * Assigns keys with a time to live leases that they share with others of nearly the same expiry: at most 1,000 keys,
 * and no key lives longer than it should by more than 5 % of its time, or a minute.
 */
export class LeasePool {
  readonly #options: LeasePoolOptions;
  /** Leases by time to live. */
  readonly #open = new Map<number, Promise<OpenLease>>();

  constructor(options: LeasePoolOptions) {
    this.#options = options;
  }

  /**
   * Returns the lease for `keys` more keys that must live for `ttlMs` from now. Throws Unavailable when the engine grants leases
   * that are too short.
   */
  async leaseFor(ttlMs: number, keys = 1): Promise<bigint> {
    for (let tooShort = 0; tooShort < MAX_TOO_SHORT; ) {
      const opening = this.#open.get(ttlMs) ?? this.#grant(ttlMs);
      const lease = await opening;
      const isLong = lease.endsMs >= this.#options.clock.monotonic() + ttlMs;
      if (isLong && lease.keys + keys <= Math.max(MAX_KEYS, keys)) {
        lease.keys += keys;
        return lease.id;
      }
      if (!isLong) tooShort++;
      this.#forget(ttlMs, opening);
    }
    throw new StoreError({ code: 'Unavailable', problem: `etcd grants no lease of ${ttlMs} ms` });
  }

  /** Forgets a lease that the engine does not know any more. */
  drop(id: bigint): void {
    for (const [ttlMs, opening] of this.#open)
      void opening.then((lease) => lease.id === id && this.#forget(ttlMs, opening)).catch(() => undefined);
  }

  #grant(ttlMs: number): Promise<OpenLease> {
    const sharedMs = Math.min(ttlMs * SHARED_PART, MAX_SHARED_MS);
    const seconds = Math.max(1, Math.ceil((ttlMs + sharedMs) / 1000));
    const askedMs = this.#options.clock.monotonic();
    const opening = this.#options
      .grant(seconds)
      .then((granted): OpenLease => ({ id: granted.id, endsMs: askedMs + granted.seconds * 1000, keys: 0 }));
    if (this.#open.size >= MAX_TIMES) this.#open.clear();
    this.#open.set(ttlMs, opening);
    opening.catch(() => this.#forget(ttlMs, opening));
    return opening;
  }

  #forget(ttlMs: number, opening: Promise<OpenLease>): void {
    if (this.#open.get(ttlMs) === opening) this.#open.delete(ttlMs);
  }
}

/** Different times to live whose leases are cached. */
const MAX_TIMES = 1_000;

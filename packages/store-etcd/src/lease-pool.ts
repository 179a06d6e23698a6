import type { Clock } from '@pintle/async';

interface LeasePoolOptions {
  readonly clock: Clock;
  /** Asks the engine for a lease of so many seconds. It may give more. */
  readonly grant: (seconds: number) => Promise<{ readonly id: bigint; readonly seconds: number }>;
}

/** A lease that keys may still join. */
interface OpenLease {
  readonly id: bigint;
  /** On the monotonic clock, not after the moment at which the engine ends it. */
  readonly endsMs: number;
  keys: number;
}

/** What Kubernetes allows: many small leases are costly for etcd to keep, and large ones to end. */
const MAX_KEYS = 1_000;
const MAX_SHARED_MS = 60_000;
const SHARED_PART = 0.05;

/**
 * Gives keys with a time to live a lease that they share with others of nearly the same end: at most 1,000 keys, and no
 * key lives longer than it should by more than 5 % of its time, or a minute.
 */
export class LeasePool {
  readonly #options: LeasePoolOptions;
  /** By time to live. */
  readonly #open = new Map<number, Promise<OpenLease>>();

  constructor(options: LeasePoolOptions) {
    this.#options = options;
  }

  /** The lease for `keys` more keys that must live for `ttlMs` from now. */
  async leaseFor(ttlMs: number, keys = 1): Promise<bigint> {
    for (;;) {
      const opening = this.#open.get(ttlMs) ?? this.#grant(ttlMs);
      const lease = await opening;
      const isLong = lease.endsMs >= this.#options.clock.monotonic() + ttlMs;
      if (isLong && lease.keys + keys <= Math.max(MAX_KEYS, keys)) {
        lease.keys += keys;
        return lease.id;
      }
      this.#forget(ttlMs, opening);
    }
  }

  /** The engine no longer knows this lease. */
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

/** Different times to live whose leases are remembered. */
const MAX_TIMES = 1_000;

import type { Clock, Random } from '@pintle/async';
import { onAbort, realClock, systemRandom } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { HeldLease, LeaseTiming } from './lease-lock.ts';
import { LeaseLock } from './lease-lock.ts';

export interface LeaderElectorOptions {
  readonly client: Client;
  /** Lease that candidates compete for. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unique among the candidates. Default: a random one. */
  readonly identity?: string;
  /** Time that other candidates wait for a leader that does not renew. Default: 15 s. */
  readonly leaseDurationMs?: number;
  /** Time that a leader that cannot renew continues to lead. Default: 10 s. */
  readonly renewDeadlineMs?: number;
  /** Interval at which the leader renews and others try to acquire. Default: 2 s. */
  readonly retryPeriodMs?: number;
  /** True to release the lease at the end, so that the next leader need not wait. Default: true. */
  readonly isReleasedOnCancel?: boolean;
  /** Called with each new leader, this candidate included. */
  readonly onNewLeader?: (identity: string) => void;
  /** Called when the lease could not be read or written; the elector retries. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** One term of leading. */
export interface Leadership {
  /** Aborts when leading ends: the caller stopped it, or the lease was lost. All work must then stop at once. */
  readonly signal: AbortSignal;
  /**
   * Grows with every term. A resource that refuses tokens smaller than the largest it has seen is safe even from a leader
   * that was suspended while another took over. Compare with `compareResourceVersions`.
   */
  readonly fencingToken: string;
  /** Number of times the lease changed its holder. */
  readonly leaseTransitions: number;
}

const JITTER = 1.2;
/** Reason of ended waits. Created once, because errors are costly to create. */
const ENDED = new ClientError({ code: 'Closed', what: 'the wait' });

/**
 * Elects one leader among the candidates for a lease.
 *
 *     candidate ──► leader ──► ended     the work was done or cancelled: the lease is released
 *                      │
 *                      └─────► lost      no renewal for `renewDeadlineMs`, or another took the lease
 *
 * At most one candidate's `isLeader` is true at a time, as long as no clock runs `leaseDurationMs / renewDeadlineMs`
 * times as fast as another: a leader counts from before it sent its last renewal, others from when they saw it, and
 * the times in the lease are ignored.
 */
export class LeaderElector {
  readonly identity: string;
  readonly #lock: LeaseLock;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #timing: LeaseTiming;
  readonly #options: LeaderElectorOptions;
  #held: HeldLease | undefined;

  constructor(options: LeaderElectorOptions) {
    const { client, lease, clock = realClock, random = systemRandom, onNewLeader = () => undefined } = options;
    this.identity = options.identity ?? random.uuid();
    this.#timing = timingOf(options);
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#lock = new LeaseLock({ client, lease, identity: this.identity, clock, timing: this.#timing, onNewLeader });
  }

  /** Reads the clock: false at once after the process was suspended for longer than the lease lasts. */
  get isLeader(): boolean {
    return this.#held !== undefined && this.#clock.monotonic() < this.#held.validUntil;
  }

  /** Identity of the leader when the lease was last read. */
  get leader(): string | undefined {
    return this.#lock.holder;
  }

  /**
   * Waits to become the leader, then leads until `lead` ends or `signal` aborts, and resolves when `lead` has ended.
   * Rejects with what `lead` throws, or with a `ClientError` of code LeaseLost; to compete again, call it again.
   */
  async run(lead: (leadership: Leadership) => Promise<void>, { signal }: { readonly signal: AbortSignal }) {
    const held = await this.#acquire(signal);
    if (held === undefined) return;
    this.#held = held;
    try {
      await this.#lead(held, lead, signal);
    } finally {
      const last = this.isLeader ? this.#held : undefined;
      this.#held = undefined;
      if (last !== undefined && this.#options.isReleasedOnCancel !== false) await this.#lock.release(last);
    }
  }

  /** Resolves with `undefined` when the signal aborts first. */
  async #acquire(signal: AbortSignal): Promise<HeldLease | undefined> {
    const done = new AbortController();
    using _cancelled = onAbort(signal, (reason) => done.abort(reason));
    const changes = new Changes();
    let isFollowing = false;
    try {
      while (!signal.aborted) {
        const held = await this.#lock.tryAcquire().catch((error: unknown) => this.#report(error));
        // After a late response the lease may have expired.
        if (held !== undefined && this.#clock.monotonic() < held.validUntil) return held;
        // Never rejects, and ends when `done` aborts: waiting for that would waste lease time.
        if (!isFollowing) void this.#lock.follow(() => changes.notify(), done);
        isFollowing = true;
        await this.#untilFree(changes, done.signal);
      }
      return undefined;
    } finally {
      done.abort(ENDED);
    }
  }

  /** Waits until the lease may be free, or until the next try is due. While renewals are watched, there are no tries. */
  async #untilFree(changes: Changes, signal: AbortSignal): Promise<void> {
    let lookAt = this.#nextLook();
    while (!signal.aborted) {
      const leftMs = lookAt - this.#clock.monotonic();
      if (leftMs <= 0) return;
      const freeInMs = this.#lock.heldForMs;
      const waitMs = freeInMs > 0 ? Math.min(leftMs, freeInMs) : leftMs;
      const isOver = await this.#sleep(waitMs, [changes.next(), signal]);
      if (isOver || this.#lock.holder === undefined) return;
      lookAt = this.#nextLook();
    }
  }

  #nextLook(): number {
    return this.#clock.monotonic() + this.#timing.retryPeriodMs * (1 + JITTER * this.#random.next());
  }

  /** Resolves with false when a signal aborts first. */
  async #sleep(ms: number, signals: readonly AbortSignal[]): Promise<boolean> {
    return await this.#clock.sleep(ms, { signal: AbortSignal.any([...signals]) }).then(
      () => true,
      () => false,
    );
  }

  /** Renews the lease until the work has ended, also while it stops. */
  async #lead(held: HeldLease, lead: (leadership: Leadership) => Promise<void>, signal: AbortSignal): Promise<void> {
    const term = new AbortController();
    const worked = new AbortController();
    using _cancelled = onAbort(signal, (reason) => term.abort(reason));
    const { fencingToken, leaseTransitions } = held;
    const renewing = this.#renew(term, worked.signal);
    try {
      if (!term.signal.aborted) await lead({ signal: term.signal, fencingToken, leaseTransitions });
    } catch (error) {
      if (!term.signal.aborted) throw error;
    } finally {
      worked.abort(ENDED);
      await renewing;
    }
    if (isLost(term.signal.reason)) throw term.signal.reason;
  }

  /** Aborts the term as soon as another candidate may hold the lease. */
  async #renew(term: AbortController, worked: AbortSignal): Promise<void> {
    const lose = () => term.abort(this.#lost());
    let expiry = this.#clock.setTimer(this.#remainingMs(), lose);
    while (!worked.aborted && !isLost(term.signal.reason)) {
      await this.#clock.sleep(this.#timing.retryPeriodMs, { signal: worked }).catch(() => undefined);
      if (worked.aborted) break;
      if (!this.isLeader) lose();
      else {
        const renewed = await this.#lock
          .renew(this.#held!)
          .catch((error: unknown) => this.#report(error) ?? this.#held!);
        if (renewed === undefined) {
          this.#held = undefined;
          lose();
        } else if (this.isLeader) {
          this.#held = renewed;
          expiry.cancel();
          expiry = this.#clock.setTimer(this.#remainingMs(), lose);
        }
      }
    }
    expiry.cancel();
  }

  #report(error: unknown): undefined {
    this.#options.onError?.(error);
    return undefined;
  }

  #remainingMs(): number {
    return this.#held!.validUntil - this.#clock.monotonic();
  }

  #lost(): ClientError {
    const { namespace, name } = this.#options.lease;
    return new ClientError({ code: 'LeaseLost', lease: `${namespace}/${name}` });
  }
}

/** Signals the next change to one waiter. */
class Changes {
  #next = new AbortController();

  notify(): void {
    this.#next.abort(ENDED);
  }

  /** Aborts with the next change. */
  next(): AbortSignal {
    this.#next = new AbortController();
    return this.#next.signal;
  }
}

function isLost(reason: unknown): reason is ClientError {
  return reason instanceof ClientError && reason.failure.code === 'LeaseLost';
}

function timingOf(options: LeaderElectorOptions): LeaseTiming {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
  const isOrdered = leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * JITTER && retryPeriodMs > 0;
  if (!isOrdered || leaseDurationMs % 1_000 !== 0) {
    const times = `${leaseDurationMs}, ${renewDeadlineMs}, ${retryPeriodMs} ms`;
    throw new RangeError(
      `Cannot elect leaders with ${times}: the lease must last whole seconds and longer than the renew deadline, which must be longer than 1.2 retry periods`,
    );
  }
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}

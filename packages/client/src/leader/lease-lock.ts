import type { Clock } from '@pintle/async';
import { Lease } from '@pintle/kinds/coordination/v1';
import { isConflict, isForbidden, isNotFound } from '@pintle/machinery/errors';
import { stringifyJson } from '@pintle/machinery/json';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Client } from '../rest/client.ts';

export interface LeaseTiming {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Lease held by this candidate. */
export interface HeldLease {
  /** Lease as stored on the server. */
  readonly lease: Lease;
  /** Time by the monotonic clock after which another candidate may hold it. */
  readonly validUntil: number;
  readonly fencingToken: string;
  readonly leaseTransitions: number;
}

interface LeaseLockOptions {
  readonly client: Client;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly identity: string;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
  readonly onNewLeader: (identity: string) => void;
}

/** Tries to release a lease while others write to it. */
const RELEASE_TRIES = 3;
const FOLLOW_SECONDS = 300;

/** Uses a Lease as a lock. Every write has the resourceVersion that it replaces, so one of two competing writes fails. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #clock: Clock;
  /** Last change of the lease, and when it was observed. */
  #observed:
    | { readonly text: string; readonly at: number; readonly durationMs: number; readonly holder: string }
    | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  get holder(): string | undefined {
    return this.#observed?.holder || undefined;
  }

  /** Time until the lease of another holder expires, as far as is known; 0 when it may be free. */
  get heldForMs(): number {
    return this.#isHeldByAnother() ? this.#observed!.at + this.#observed!.durationMs - this.#clock.monotonic() : 0;
  }

  /** Watches the lease until `signal` aborts or the server forbids it. */
  async follow(onChange: () => void, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { client, lease, timing } = this.#options;
    const select = { namespace: lease.namespace, fieldSelector: `metadata.name=${lease.name}` };
    while (!signal.aborted) {
      try {
        for await (const event of client.watch(Lease, { ...select, timeoutSeconds: FOLLOW_SECONDS, signal })) {
          if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
          this.#observe(event.object);
          onChange();
        }
      } catch (error) {
        if (isForbidden(error)) return;
      }
      await this.#clock.sleep(timing.retryPeriodMs, { signal }).catch(() => undefined);
    }
  }

  /** Acquires the lease if it is free or expired. Resolves with `undefined` when another candidate holds it. */
  async tryAcquire(): Promise<HeldLease | undefined> {
    const { client, lease, identity } = this.#options;
    const found = await client.find(Lease, lease, this.#callOptions);
    if (found !== undefined) this.#observe(found);
    if (this.#isHeldByAnother()) return undefined;
    const spec = found?.spec;
    const leaseTransitions = spec === undefined ? 0 : (spec.leaseTransitions ?? 0) + 1;
    const sentAt = this.#clock.monotonic();
    const now = this.#now();
    const mine = {
      ...spec,
      ...this.#duration,
      holderIdentity: identity,
      acquireTime: now,
      renewTime: now,
      leaseTransitions,
    };
    const written = await (found === undefined
      ? client.create(Lease, { metadata: lease, spec: mine }, this.#callOptions)
      : client.update(Lease, { ...found, spec: mine }, this.#callOptions));
    return this.#hold(written, sentAt, written.metadata.resourceVersion ?? '');
  }

  /** Resolves with `undefined` when the lease is lost. Rejects when that is unknown. */
  async renew(held: HeldLease): Promise<HeldLease | undefined> {
    try {
      return await this.#renewAs(held, held.lease);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
    }
    const { client, lease, identity } = this.#options;
    const found = await client.get(Lease, lease, this.#callOptions);
    this.#observe(found);
    const isOurs =
      found.spec?.holderIdentity === identity && (found.spec.leaseTransitions ?? 0) === held.leaseTransitions;
    return isOurs ? await this.#renewAs(held, found) : undefined;
  }

  /** Releases the lease, so that the next candidate need not wait. When that fails, the lease expires. */
  async release(held: HeldLease): Promise<void> {
    const { client, lease, identity } = this.#options;
    let last: Lease | undefined = held.lease;
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      if (last?.spec?.holderIdentity !== identity) return;
      const spec = { ...last.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#now() };
      try {
        this.#observe(await client.update(Lease, { ...last, spec }, this.#callOptions));
        return;
      } catch (error) {
        if (!isConflict(error)) return;
        last = await client.find(Lease, lease, this.#callOptions).catch(() => undefined);
      }
    }
  }

  async #renewAs(held: HeldLease, lease: Lease): Promise<HeldLease> {
    const sentAt = this.#clock.monotonic();
    const spec = { ...lease.spec, ...this.#duration, renewTime: this.#now() };
    const written = await this.#options.client.update(Lease, { ...lease, spec }, this.#callOptions);
    return this.#hold(written, sentAt, held.fencingToken);
  }

  #hold(lease: Lease, sentAt: number, fencingToken: string): HeldLease {
    this.#observe(lease);
    const validUntil = sentAt + this.#options.timing.renewDeadlineMs;
    return { lease, validUntil, fencingToken, leaseTransitions: lease.spec?.leaseTransitions ?? 0 };
  }

  #observe({ metadata, spec = {} }: Lease): void {
    const text = stringifyJson({ ...spec, uid: metadata.uid ?? '' });
    if (text === this.#observed?.text) return;
    const { holderIdentity: holder = '', leaseDurationSeconds } = spec;
    const durationMs = leaseDurationSeconds ? leaseDurationSeconds * 1_000 : this.#options.timing.leaseDurationMs;
    const isNew = holder !== '' && holder !== this.#observed?.holder;
    this.#observed = { text, at: this.#clock.monotonic(), durationMs, holder };
    if (isNew) this.#options.onNewLeader(holder);
  }

  /** Also true after the lease was deleted: its holder may not have noticed yet. */
  #isHeldByAnother(): boolean {
    if (
      this.#observed === undefined ||
      this.#observed.holder === '' ||
      this.#observed.holder === this.#options.identity
    )
      return false;
    return this.#clock.monotonic() < this.#observed.at + this.#observed.durationMs;
  }

  get #duration() {
    return { leaseDurationSeconds: this.#options.timing.leaseDurationMs / 1_000 };
  }

  /** Limits each call to half of the renew deadline, which leaves time for another. */
  get #callOptions() {
    return { timeoutMs: Math.max(1_000, this.#options.timing.renewDeadlineMs / 2) };
  }

  #now(): string {
    return formatMicroTime(Math.floor(this.#clock.now() * 1_000));
  }
}

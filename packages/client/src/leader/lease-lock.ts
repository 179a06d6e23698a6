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

/** The lease is ours. */
export interface Held {
  /** As the server has it. */
  readonly lease: Lease;
  /** By the monotonic clock: from then on somebody else may hold it. */
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

/** How often a lease is given back while others write to it. */
const RELEASE_TRIES = 3;
const FOLLOW_SECONDS = 300;

/** A Lease as a lock. Every write names the version it replaces, so of two that compete one fails. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #clock: Clock;
  /** What the lease said when it last said something new, and when we saw that. */
  #seen:
    | { readonly text: string; readonly at: number; readonly durationMs: number; readonly holder: string }
    | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  get holder(): string | undefined {
    return this.#seen?.holder || undefined;
  }

  /** How long nobody else can take it, as far as is known. 0: it may be free. */
  get heldForMs(): number {
    return this.#isHeldByAnother() ? this.#seen!.at + this.#seen!.durationMs - this.#clock.monotonic() : 0;
  }

  /** Hears at once what becomes of the lease, until `signal` aborts or the server does not let us. */
  async follow(onChange: () => void, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { client, lease, timing } = this.#options;
    const select = { namespace: lease.namespace, fieldSelector: `metadata.name=${lease.name}` };
    while (!signal.aborted) {
      try {
        for await (const event of client.watch(Lease, { ...select, timeoutSeconds: FOLLOW_SECONDS, signal })) {
          if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
          this.#see(event.object);
          onChange();
        }
      } catch (error) {
        if (isForbidden(error)) return;
      }
      await this.#clock.sleep(timing.retryPeriodMs, { signal }).catch(() => undefined);
    }
  }

  /** Takes the lease if it is free, or nobody has renewed it for as long as it lasts. `undefined`: it is another's. */
  async tryAcquire(): Promise<Held | undefined> {
    const { client, lease, identity } = this.#options;
    const found = await client.find(Lease, lease, this.#callOptions);
    if (found !== undefined) this.#see(found);
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

  /** `undefined`: it is no longer ours. Rejects when that is unknown. */
  async renew(held: Held): Promise<Held | undefined> {
    try {
      return await this.#renewAs(held, held.lease);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
    }
    const { client, lease, identity } = this.#options;
    const found = await client.get(Lease, lease, this.#callOptions);
    this.#see(found);
    const isOurs =
      found.spec?.holderIdentity === identity && (found.spec.leaseTransitions ?? 0) === held.leaseTransitions;
    return isOurs ? await this.#renewAs(held, found) : undefined;
  }

  /** Lets the next one in at once. What cannot be given back runs out. */
  async release(held: Held): Promise<void> {
    const { client, lease, identity } = this.#options;
    let last: Lease | undefined = held.lease;
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      if (last?.spec?.holderIdentity !== identity) return;
      const spec = { ...last.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#now() };
      try {
        this.#see(await client.update(Lease, { ...last, spec }, this.#callOptions));
        return;
      } catch (error) {
        if (!isConflict(error)) return;
        last = await client.find(Lease, lease, this.#callOptions).catch(() => undefined);
      }
    }
  }

  async #renewAs(held: Held, lease: Lease): Promise<Held> {
    const sentAt = this.#clock.monotonic();
    const spec = { ...lease.spec, ...this.#duration, renewTime: this.#now() };
    const written = await this.#options.client.update(Lease, { ...lease, spec }, this.#callOptions);
    return this.#hold(written, sentAt, held.fencingToken);
  }

  #hold(lease: Lease, sentAt: number, fencingToken: string): Held {
    this.#see(lease);
    const validUntil = sentAt + this.#options.timing.renewDeadlineMs;
    return { lease, validUntil, fencingToken, leaseTransitions: lease.spec?.leaseTransitions ?? 0 };
  }

  #see({ metadata, spec = {} }: Lease): void {
    const text = stringifyJson({ ...spec, uid: metadata.uid ?? '' });
    if (text === this.#seen?.text) return;
    const { holderIdentity: holder = '', leaseDurationSeconds } = spec;
    const durationMs = leaseDurationSeconds ? leaseDurationSeconds * 1_000 : this.#options.timing.leaseDurationMs;
    const isNew = holder !== '' && holder !== this.#seen?.holder;
    this.#seen = { text, at: this.#clock.monotonic(), durationMs, holder };
    if (isNew) this.#options.onNewLeader(holder);
  }

  /** Also when the lease was deleted: its holder may not know yet. */
  #isHeldByAnother(): boolean {
    if (this.#seen === undefined || this.#seen.holder === '' || this.#seen.holder === this.#options.identity)
      return false;
    return this.#clock.monotonic() < this.#seen.at + this.#seen.durationMs;
  }

  get #duration() {
    return { leaseDurationSeconds: this.#options.timing.leaseDurationMs / 1_000 };
  }

  /** A call that hangs leaves time for another before the deadline. */
  get #callOptions() {
    return { timeoutMs: Math.max(1_000, this.#options.timing.renewDeadlineMs / 2) };
  }

  #now(): string {
    return formatMicroTime(Math.floor(this.#clock.now() * 1_000));
  }
}

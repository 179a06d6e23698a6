import type { Clock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import type { Cached } from '@pintle/machinery';
import { isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';

/** Label of the leases of members; its value is the name of the shards. */
export const MEMBER_LABEL = 'pintle.dev/shard-member';

export interface MemberTiming {
  /** Time after which a member that does not renew its lease is dead. */
  readonly leaseDurationMs: number;
  /** Time that a member that cannot renew goes on. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

interface MemberDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly shards: string;
  readonly identity: string;
  readonly timing: MemberTiming;
}

/** Lease of this process, by which the others see that it lives. */
export class MemberLease {
  readonly #dependencies: MemberDependencies;
  #validUntil = Number.NEGATIVE_INFINITY;

  constructor(dependencies: MemberDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the clock: false at once after the process was suspended for long. */
  get isValid(): boolean {
    return this.#dependencies.clock.monotonic() < this.#validUntil;
  }

  /** Counts from before the request, so that this process gives up before others take over. */
  async renew(signal: AbortSignal): Promise<void> {
    const { client, clock, lease, shards, identity, timing } = this.#dependencies;
    const sentMs = clock.monotonic();
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: timing.leaseDurationMs / 1_000,
      renewTime: formatMicroTime(Math.floor(clock.now() * 1_000)),
    };
    const options = { signal, timeoutMs: timing.renewDeadlineMs / 2 };
    try {
      await client.patch(Lease, lease, { type: 'merge', body: { spec } }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      try {
        await client.create(Lease, { metadata: { ...lease, labels: { [MEMBER_LABEL]: shards } }, spec }, options);
      } catch (failure) {
        if (!isAlreadyExists(failure)) throw failure;
      }
    }
    this.#validUntil = sentMs + timing.renewDeadlineMs;
  }

  /** Deletes the lease: the others take over at once. */
  async release(): Promise<void> {
    this.#validUntil = Number.NEGATIVE_INFINITY;
    const { client, lease, timing } = this.#dependencies;
    await client.delete(Lease, lease, { timeoutMs: timing.renewDeadlineMs / 2 }).catch(() => undefined);
  }
}

/** Members as this process sees them. Counts the time since each lease changed on its own clock; times in leases are ignored. */
export class Members {
  readonly #clock: Clock;
  readonly #leaseDurationMs: number;
  readonly #seen = new Map<string, { readonly identity: string; readonly version: string; readonly atMs: number }>();

  constructor(clock: Clock, { leaseDurationMs }: MemberTiming) {
    this.#clock = clock;
    this.#leaseDurationMs = leaseDurationMs;
  }

  note({ metadata, spec }: Cached<Lease>): void {
    const { name, resourceVersion: version } = metadata;
    if (this.#seen.get(name)?.version === version) return;
    this.#seen.set(name, { identity: spec?.holderIdentity ?? '', version, atMs: this.#clock.monotonic() });
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  live(): Set<string> {
    const nowMs = this.#clock.monotonic();
    const live = new Set<string>();
    for (const { identity, atMs } of this.#seen.values())
      if (identity !== '' && nowMs - atMs < this.#leaseDurationMs) live.add(identity);
    return live;
  }

  /** Names of the leases of dead members. */
  dead(): string[] {
    const live = this.live();
    return [...this.#seen].filter(([, { identity }]) => !live.has(identity)).map(([name]) => name);
  }

  /** Time until the next member is dead, unless it renews. */
  get nextEndMs(): number {
    const ends = [...this.#seen.values()].map(({ atMs }) => atMs + this.#leaseDurationMs - this.#clock.monotonic());
    return Math.min(...ends.filter((ms) => ms > 0), this.#leaseDurationMs);
  }
}

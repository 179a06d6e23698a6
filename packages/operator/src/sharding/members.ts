import type { Clock } from '@pintle/async';
import { type CallOptions, type Client, compareResourceVersions } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import type { Cached } from '@pintle/machinery';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';

/** Label of the leases of members; its value is the name of the shards. */
export const MEMBER_LABEL = 'pintle.dev/shard-member';

export interface MemberTiming {
  /** Time after which a member that does not renew its lease is dead. */
  readonly leaseDurationMs: number;
  /** Time that a member that cannot renew goes on. */
  readonly renewDeadlineMs: number;
  /** Interval of renewals. */
  readonly renewPeriodMs: number;
  /** Time until the next try after a renewal that failed. */
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

const RENEW_TRIES = 1;

/** Lease of this process, by which the others see that it lives. */
export class MemberLease {
  readonly #dependencies: MemberDependencies;
  #validUntil = Number.NEGATIVE_INFINITY;
  /** Version that the next renewal replaces; `undefined` when it is not known. */
  #version: string | undefined;

  constructor(dependencies: MemberDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the clock: false at once after the process was suspended for long. */
  get isValid(): boolean {
    return this.#dependencies.clock.monotonic() < this.#validUntil;
  }

  /**
   * Counts from before the request, so that this process gives up before others take over. Replaces the version of the lease
   * that was read or written last, and reads it again after a failure or once the lease has ended: a process that does not
   * hear the server, which still hears it, renews once at most, and in time. Resolves with false when the lease had ended
   * before the answer: others may have taken over.
   */
  async renew(signal: AbortSignal): Promise<boolean> {
    const { client, lease, timing } = this.#dependencies;
    const options = { signal, timeoutMs: timing.renewDeadlineMs / 2 };
    for (let tries = RENEW_TRIES; ; tries--) {
      const known = this.isValid ? this.#version : undefined;
      const version = known ?? (await client.find(Lease, lease, options))?.metadata.resourceVersion;
      this.#version = undefined;
      try {
        return await this.#write(version, options);
      } catch (error) {
        const isStale = isNotFound(error) || isConflict(error) || isAlreadyExists(error);
        if (!isStale || tries === 0) throw error;
      }
    }
  }

  async #write(version: string | undefined, options: CallOptions): Promise<boolean> {
    const { client, clock, lease, shards, identity, timing } = this.#dependencies;
    const sentMs = clock.monotonic();
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: timing.leaseDurationMs / 1_000,
      renewTime: formatMicroTime(Math.floor(clock.now() * 1_000)),
    };
    const { metadata } = await (version === undefined
      ? client.create(Lease, { metadata: { ...lease, labels: { [MEMBER_LABEL]: shards } }, spec }, options)
      : client.patch(Lease, lease, { type: 'merge', body: { metadata: { resourceVersion: version }, spec } }, options));
    const wasValid = this.isValid;
    this.#version = metadata.resourceVersion;
    this.#validUntil = sentMs + timing.renewDeadlineMs;
    return wasValid;
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
  /** Rounded once: the end of a lease is the same time for all that compare with it. */
  readonly #seen = new Map<string, { readonly identity: string; readonly version: string; readonly endMs: number }>();

  constructor(clock: Clock, { leaseDurationMs }: MemberTiming) {
    this.#clock = clock;
    this.#leaseDurationMs = leaseDurationMs;
  }

  /** Returns true when the member was not known to live. Ignores an answer that is older than what was seen meanwhile. */
  note({ metadata, spec }: Cached<Lease>): boolean {
    const { name, resourceVersion: version } = metadata;
    const known = this.#seen.get(name);
    if (known !== undefined && !isNewer(version, known.version)) return false;
    const nowMs = this.#clock.monotonic();
    this.#seen.set(name, { identity: spec?.holderIdentity ?? '', version, endMs: nowMs + this.#leaseDurationMs });
    return known === undefined || nowMs >= known.endMs;
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }

  live(): Set<string> {
    const nowMs = this.#clock.monotonic();
    const live = new Set<string>();
    for (const { identity, endMs } of this.#seen.values()) if (identity !== '' && nowMs < endMs) live.add(identity);
    return live;
  }

  /** Names of the leases of dead members. */
  dead(): string[] {
    const live = this.live();
    return [...this.#seen].filter(([, { identity }]) => !live.has(identity)).map(([name]) => name);
  }

  /** Time until the next member is dead, unless it renews. */
  get nextEndMs(): number {
    const nowMs = this.#clock.monotonic();
    const left = [...this.#seen.values()].map(({ endMs }) => endMs - nowMs);
    return Math.min(...left.filter((ms) => ms > 0), this.#leaseDurationMs);
  }
}

/** True also for versions that cannot be compared, when they differ. */
function isNewer(version: string, known: string): boolean {
  return version !== known && (compareResourceVersions(version, known) ?? 1) > 0;
}

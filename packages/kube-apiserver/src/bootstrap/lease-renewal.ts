import { collectionRange, decodeObject, encodeObject } from '@pintle/apiserver/storage';
import type { Clock, Runnable } from '@pintle/async';
import type { Lease } from '@pintle/kinds/coordination/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { Seed, SeedContext } from './seed.ts';
import { seedKey, seedWrite } from './seed.ts';

const RENEW_MS = 10_000;
/** Renewals between two searches for expired leases of other servers. */
const SWEEP_EVERY = 360;
const IDENTITY = 'apiserver.kubernetes.io/identity';

/**
 * Renews the lease of this server. Creates it again when it was deleted, and removes expired leases of other servers.
 */
export class LeaseRenewal implements Runnable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #lease: Seed;
  readonly #uuid: () => string;

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly lease: Seed; uuid(): string }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#lease = options.lease;
    this.#uuid = () => options.uuid();
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    for (let renewals = 1; ; renewals++) {
      await this.#clock.sleep(RENEW_MS, { signal });
      await this.#renew();
      if (renewals % SWEEP_EVERY === 0) await this.#sweep();
    }
  }

  /** Tries again soon when the store fails: the lease lasts longer than that. */
  async #renew(): Promise<void> {
    const nowMs = this.#clock.now();
    const context: SeedContext = { nowMs, uuid: this.#uuid };
    const renewed = renewedAt(this.#lease.object, nowMs);
    try {
      const stored = await this.#store.get(seedKey(this.#lease));
      if (stored === undefined) await this.#store.commit([seedWrite({ ...this.#lease, object: renewed }, context)]);
      else {
        const { metadata, ...rest } = decodeObject(stored, 'Lease');
        const value = encodeObject({ ...rest, metadata, spec: (renewed as Lease).spec } as KubernetesObject);
        await this.#store.commit([{ type: 'put', key: stored.key, value, expected: stored.modRevision }]);
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #sweep(): Promise<void> {
    const { gvr, object } = this.#lease;
    const range = collectionRange(gvr, object.metadata.namespace ?? '');
    for (const record of (await this.#store.range(range, { onDamaged: () => {} })).records) {
      if (!isExpired(decodeObject(record, 'Lease') as Lease, this.#clock.now())) continue;
      try {
        await this.#store.commit([{ type: 'delete', key: record.key, expected: record.modRevision }]);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }
}

function isExpired({ metadata, spec }: Lease, nowMs: number): boolean {
  if (metadata.labels?.[IDENTITY] !== 'kube-apiserver') return false;
  const renewedMs = Date.parse(spec?.renewTime ?? '');
  return Number.isNaN(renewedMs) || renewedMs + (spec?.leaseDurationSeconds ?? 0) * 1_000 < nowMs;
}

function renewedAt(object: KubernetesObject, nowMs: number): KubernetesObject {
  const lease = object as Lease;
  return { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(nowMs * 1000) } } as KubernetesObject;
}

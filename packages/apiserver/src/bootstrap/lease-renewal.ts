import type { Clock, Runnable } from '@pintle/async';
import type { Lease } from '@pintle/kinds/coordination/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { decodeObject, encodeObject } from '../storage/object-codec.ts';
import type { Seed, SeedContext } from './seed.ts';
import { seedKey, seedWrite } from './seed.ts';

const RENEW_MS = 10_000;

/** Says again and again that this server is alive. A lease that somebody took away is made anew. */
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
    for (;;) {
      await this.#clock.sleep(RENEW_MS, { signal });
      await this.#renew();
    }
  }

  /** What the store refuses now is tried again soon: the lease holds for longer than that. */
  async #renew(): Promise<void> {
    const nowMs = this.#clock.now();
    const stored = await this.#store.get(seedKey(this.#lease));
    const context: SeedContext = { nowMs, uuid: this.#uuid };
    const renewed = renewedAt(this.#lease.object, nowMs);
    try {
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
}

function renewedAt(object: KubernetesObject, nowMs: number): KubernetesObject {
  const lease = object as Lease;
  return { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(nowMs * 1000) } } as KubernetesObject;
}

import { collectionRange, decodeObject, encodeObject, objectKey } from '@pintle/apiserver/storage';
import { type Clock, type Runnable, withTimeout } from '@pintle/async';
import type { Endpoints } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { parseIp } from '@pintle/machinery/names';
import { type Store, StoreError } from '@pintle/store';
import type { Seed, SeedContext } from './seed.ts';
import { seedKey, seedWrite } from './seed.ts';
import { serverEndpointSeeds } from './server-endpoints.ts';

/** Where servers of one cluster announce their addresses, as kube-apiserver does. */
const ANNOUNCED = { group: '', resource: 'apiServerIPInfo' };
const RENEW_MS = 10_000;
/** An address whose server does not renew it is removed by the store. */
const LEASE_MS = 15_000;
/** The time that a stopping server takes to remove its address. */
const LEAVE_MS = 2_000;

interface ServerAddressesDependencies {
  readonly store: Store;
  readonly clock: Clock;
  uuid(): string;
}

/**
 * Announces the address of this server beside those of the others that share the store, and keeps the endpoints of
 * `default/kubernetes`. When a server stops or fails, one of the others removes its address within 25 seconds.
 */
export class ServerAddresses implements Runnable {
  readonly #dependencies: ServerAddressesDependencies;
  readonly #address: string;
  readonly #port: number;
  #renewals = 0;

  constructor(dependencies: ServerAddressesDependencies, address: string, port: number) {
    this.#dependencies = dependencies;
    this.#address = address;
    this.#port = port;
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock } = this.#dependencies;
    try {
      for (;;) {
        await this.#attempt(async () => {
          await this.#announce();
          await this.#writeEndpoints();
        });
        await clock.sleep(RENEW_MS, { signal });
      }
    } finally {
      // When this takes too long or fails, the store removes the address at the end of its lease.
      await withTimeout(this.#leave(), LEAVE_MS, { clock }).catch(() => {});
    }
  }

  /** Tries again soon when the store fails, or when another server was faster. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** The generation changes with every renewal, as in Kubernetes, which renews nothing otherwise. */
  async #announce(): Promise<void> {
    const object = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { generation: ++this.#renewals },
      subsets: [{ addresses: [{ ip: this.#address }] }],
    } as unknown as KubernetesObject;
    const value = encodeObject(object);
    await this.#dependencies.store.commit([{ type: 'put', key: keyOf(this.#address), value, ttlMs: LEASE_MS }]);
  }

  async #leave(): Promise<void> {
    await this.#dependencies.store.commit([{ type: 'delete', key: keyOf(this.#address) }]);
    await this.#writeEndpoints();
  }

  async #writeEndpoints(): Promise<void> {
    const addresses = await this.#announced();
    if (addresses.length === 0) return;
    for (const seed of serverEndpointSeeds(addresses, this.#port)) await this.#write(seed, addresses);
  }

  async #announced(): Promise<string[]> {
    const { records } = await this.#dependencies.store.range(collectionRange(ANNOUNCED, ''), { onDamaged: () => {} });
    const addresses = records.flatMap((record) => addressesOf(decodeObject(record, 'Endpoints') as Endpoints));
    return [...new Set(addresses.filter((address) => parseIp(address) !== undefined))].sort();
  }

  async #write(seed: Seed, addresses: readonly string[]): Promise<void> {
    const { store, clock } = this.#dependencies;
    const context: SeedContext = { nowMs: clock.now(), uuid: () => this.#dependencies.uuid() };
    const record = await store.get(seedKey(seed));
    if (record === undefined) {
      await store.commit([seedWrite(seed, context)]);
      return;
    }
    const stored = decodeObject(record, seed.object.kind);
    const next = seed.upkeep?.(stored, withPortOf(stored, seed.object, addresses, this.#address));
    if (next === undefined) return;
    await store.commit([{ type: 'put', key: record.key, value: encodeObject(next), expected: record.modRevision }]);
  }
}

function keyOf(address: string): string {
  return objectKey(ANNOUNCED, '', address);
}

function addressesOf({ subsets }: Pick<Endpoints, 'subsets'>): string[] {
  return (subsets ?? []).flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip));
}

/** All servers have one port: that of the servers that were there before. */
function withPortOf(
  stored: KubernetesObject,
  wanted: KubernetesObject,
  addresses: readonly string[],
  own: string,
): KubernetesObject {
  if (!addresses.some((address) => address !== own)) return wanted;
  const { subsets, ports } = stored as Pick<Endpoints, 'subsets'> & { readonly ports?: unknown };
  const kept = ports ?? subsets?.[0]?.ports;
  if (kept === undefined) return wanted;
  if (ports !== undefined) return { ...wanted, ports: kept } as KubernetesObject;
  const [subset] = (wanted as Pick<Endpoints, 'subsets'>).subsets ?? [];
  return { ...wanted, subsets: [{ ...subset, ports: kept }] } as unknown as KubernetesObject;
}

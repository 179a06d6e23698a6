import type { Clock } from '@pintle/async';
import type { KeySpace } from './key-space.ts';
import { checkKeys } from './load.ts';
import type { Cluster } from './rpc/cluster.ts';
import { LEASE_TIME_TO_LIVE, RANGE } from './rpc/methods.ts';

interface ExpirationsOptions {
  readonly cluster: Cluster;
  readonly keys: KeySpace;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const PAGE_KEYS = 10_000;

/**
 * Reads when the keys under leases end: all keys without their values, then the time of each lease. It takes as long as the store has
 * keys, and is meant for moving a store.
 */
export async function readExpirations(options: ExpirationsOptions): Promise<ReadonlyMap<string, number>> {
  const leases = await readLeases(options);
  const ends = new Map<bigint, number>();
  for (const id of new Set(leases.values())) ends.set(id, await readEnd(id, options));
  return new Map([...leases].map(([key, id]) => [key, ends.get(id)!]));
}

async function readLeases(options: ExpirationsOptions): Promise<Map<string, bigint>> {
  const { cluster, keys, timeoutMs, signal } = options;
  const leases = new Map<string, bigint>();
  for (let key: Uint8Array = keys.prefix, more = true; more; ) {
    const read = { key, rangeEnd: keys.end, limit: PAGE_KEYS, keysOnly: true };
    const page = await cluster.read(RANGE, read, { timeoutMs, signal });
    checkKeys(page.kvs, key, keys.end);
    for (const found of page.kvs) {
      const name = keys.fromEtcd(found.key);
      if (name !== undefined && found.lease !== 0n) leases.set(name, found.lease);
    }
    const last = page.kvs.at(-1);
    more = page.more && last !== undefined;
    if (last !== undefined) key = Buffer.concat([last.key, Buffer.alloc(1)]);
  }
  return leases;
}

/** A lease that has ended by now is -1 s: its keys are gone in a moment. */
async function readEnd(id: bigint, { cluster, clock, timeoutMs, signal }: ExpirationsOptions): Promise<number> {
  const { ttl } = await cluster.read(LEASE_TIME_TO_LIVE, { id }, { timeoutMs, signal });
  return clock.now() + Math.max(ttl, 0) * 1000;
}

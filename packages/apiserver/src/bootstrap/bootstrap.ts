import type { Clock, Random } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { formatIp, parseCidr } from '@pintle/machinery/names';
import { formatTime } from '@pintle/machinery/time';
import type { Operation, Revision, Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { CatalogGroup } from '../discovery/catalog.ts';
import { objectKey } from '../storage/keys.ts';
import { decodeObject, encodeObject } from '../storage/object-codec.ts';
import { apiServiceSeeds } from './api-services.ts';
import { flowControlSeeds } from './flow-control.ts';
import { rbacSeeds } from './rbac/rbac-seeds.ts';
import type { Seed, SeedContext } from './seed.ts';
import { serverLease } from './server-lease.ts';
import type { SystemOptions } from './system-objects.ts';
import { systemSeeds } from './system-objects.ts';

export interface BootstrapOptions {
  /** Where services get their addresses from. Default: `10.0.0.0/24`. Counts at the first start only. */
  readonly serviceCidr?: string;
  /** The port clients reach this server at. Default: 6443. */
  readonly port?: number;
  /** The machine this server runs on. Default: `localhost`. */
  readonly host?: string;
  /** Certificates that clients' certificates are checked against, in PEM; for servers that extend this one. */
  readonly clientCa?: string;
}

interface Ground {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly groups: readonly CatalogGroup[];
}

const ABSENT = 0 as Revision;

/** Creates what every server has, all of it in one write. What is there already stays, save for what needs upkeep. */
export async function bootstrap(ground: Ground, options: BootstrapOptions = {}): Promise<void> {
  const { store, clock, random } = ground;
  const context: SeedContext = { nowMs: clock.now(), uuid: () => random.uuid() };
  const { port = 6443, host = 'localhost' } = options;
  const seeds = [
    ...systemSeeds(systemOptions(options, port), context),
    ...flowControlSeeds(context),
    ...apiServiceSeeds(ground.groups, context),
    serverLease(host, port, context),
    ...rbacSeeds(),
  ];
  for (;;) {
    const writes = await writesFor(ground, seeds, context);
    if (writes.length === 0 || (await isWritten(store, writes))) return;
  }
}

function systemOptions({ serviceCidr = '10.0.0.0/24', clientCa }: BootstrapOptions, port: number): SystemOptions {
  return { serviceCidr, serviceAddress: firstAddressOf(serviceCidr), port, ...(clientCa && { clientCa }) };
}

function firstAddressOf(range: string): string {
  const cidr = parseCidr(range);
  if (cidr === undefined) throw new RangeError(`Cannot give addresses to services: ${range} is no range of addresses`);
  const bytes = Uint8Array.from(cidr.address.bytes);
  bytes[bytes.length - 1]! += 1;
  return formatIp({ bytes, hasLeadingZeros: false });
}

async function writesFor(ground: Ground, seeds: readonly Seed[], context: SeedContext): Promise<Operation[]> {
  const writes: Operation[] = [];
  for (const seed of seeds) {
    const stored = await ground.store.get(keyOf(seed));
    if (stored !== undefined) writes.push(...upkeepOf(seed, stored));
    else if (seed.claim === undefined) writes.push(writeOf(seed, context));
    else if ((await ground.store.get(keyOf(seed.claim))) === undefined)
      writes.push(writeOf(seed, context), writeOf(seed.claim, context));
  }
  return writes;
}

function upkeepOf({ object, upkeep }: Seed, record: StoreRecord): Operation[] {
  const next = upkeep?.(decodeObject(record, object.kind), object);
  if (next === undefined) return [];
  return [{ type: 'put', key: record.key, value: encodeObject(next), expected: record.modRevision }];
}

/** False when another server that starts at the same time was faster with one of them. */
async function isWritten(store: Store, writes: readonly Operation[]): Promise<boolean> {
  try {
    await store.commit(writes);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.failure.code === 'Conflict') return false;
    throw error;
  }
}

function writeOf(seed: Seed, { nowMs, uuid }: SeedContext): Operation {
  const { metadata, ...rest } = seed.object;
  const { name, namespace, ...more } = metadata;
  const object = {
    ...rest,
    metadata: {
      name,
      ...(namespace && { namespace }),
      uid: uuid(),
      ...(seed.hasGeneration && { generation: 1 }),
      creationTimestamp: formatTime(nowMs),
      ...more,
    },
  } as KubernetesObject;
  return { type: 'put', key: keyOf(seed), value: encodeObject(object), expected: ABSENT };
}

function keyOf({ gvr, object }: Seed): string {
  return objectKey(gvr, object.metadata.namespace ?? '', object.metadata.name ?? '');
}

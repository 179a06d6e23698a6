import type { RequestHeaderOptions } from '@pintle/apiserver';
import type { CatalogGroup } from '@pintle/apiserver/discovery';
import { decodeObject, encodeObject } from '@pintle/apiserver/storage';
import type { Clock, Random } from '@pintle/async';
import { formatIp, parseCidr } from '@pintle/machinery/names';
import type { Operation, Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { apiServiceSeeds } from './api-services.ts';
import { flowControlSeeds } from './flow-control.ts';
import { rbacSeeds } from './rbac/rbac-seeds.ts';
import type { Seed, SeedContext } from './seed.ts';
import { seedKey, seedWrite } from './seed.ts';
import { serverEndpointSeeds } from './server-endpoints.ts';
import { serverLease } from './server-lease.ts';
import type { SystemOptions } from './system-objects.ts';
import { systemSeeds } from './system-objects.ts';

/** Port of a server for clients. */
export const DEFAULT_PORT = 6443;

export interface BootstrapOptions {
  /**
   * CIDR of service addresses. Default: `10.0.0.0/24`; one more, of the other family, may follow after a comma. Used at
   * the first start only.
   */
  readonly serviceCidr?: string;
  /** Port of this server for clients. Default: 6443. */
  readonly port?: number;
  /** IP address of this server for others, not a loopback one. Without it `default/kubernetes` has no endpoints. */
  readonly advertiseAddress?: string;
  /** Host name of this server's machine. Default: `localhost`. */
  readonly host?: string;
  /** PEM certificates of the authorities of client certificates, for extension servers. */
  readonly clientCa?: string;
  /** Headers of front proxies, for extension servers. */
  readonly requestHeaders?: RequestHeaderOptions;
  /** True for a copy of the store of a server that has just run: its objects are neither created nor updated. */
  readonly isComplete?: boolean;
}

interface Dependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly groups: readonly CatalogGroup[];
}

/**
 * Creates the objects that every cluster has, in one batch. Existing ones stay, except for those with upkeep. Returns
 * the lease of this server, to be renewed; a store that is complete has its last holder until then.
 */
export async function bootstrap(
  dependencies: Dependencies,
  options: BootstrapOptions = {},
): Promise<{ readonly lease: Seed }> {
  const { store, clock, random } = dependencies;
  const context: SeedContext = { nowMs: clock.now(), uuid: () => random.uuid() };
  const { port = DEFAULT_PORT, host = 'localhost', advertiseAddress } = options;
  const lease = serverLease(host, port, context);
  if (options.isComplete) return { lease };
  const seeds = [
    ...systemSeeds(systemOptions(options, port), context),
    ...flowControlSeeds(context),
    ...apiServiceSeeds(dependencies.groups, context),
    lease,
    // Servers that share a store keep these together.
    ...(advertiseAddress === undefined || store.isShared ? [] : serverEndpointSeeds([advertiseAddress], port)),
    ...rbacSeeds(),
  ];
  for (;;) {
    const writes = await writesFor(dependencies, seeds, context);
    if (writes.length === 0 || (await isWritten(store, writes))) return { lease };
  }
}

function systemOptions(options: BootstrapOptions, port: number): SystemOptions {
  const { serviceCidr = '10.0.0.0/24', clientCa, requestHeaders } = options;
  const serviceCidrs = serviceCidr.split(',');
  return {
    serviceCidrs,
    serviceAddress: firstAddressOf(serviceCidrs[0]!),
    port,
    ...(clientCa && { clientCa }),
    ...(requestHeaders && { requestHeaders }),
  };
}

function firstAddressOf(range: string): string {
  const cidr = parseCidr(range);
  if (cidr === undefined) throw new RangeError(`Cannot allocate service addresses: ${range} is not a CIDR`);
  const bytes = Uint8Array.from(cidr.address.bytes);
  bytes[bytes.length - 1]! += 1;
  return formatIp({ bytes, hasLeadingZeros: false });
}

/** Returns the operations for objects that are missing or outdated; each group is one transaction. */
async function writesFor(
  dependencies: Dependencies,
  seeds: readonly Seed[],
  context: SeedContext,
): Promise<Operation[][]> {
  const writes: Operation[][] = [];
  for (const seed of seeds) {
    const stored = await find(dependencies.store, seed);
    if (stored === 'damaged') continue;
    if (stored !== undefined) writes.push(...upkeepOf(seed, stored));
    else if (seed.claim === undefined) writes.push([seedWrite(seed, context)]);
    else if ((await find(dependencies.store, seed.claim)) === undefined)
      writes.push([seedWrite(seed, context), seedWrite(seed.claim, context)]);
  }
  return writes;
}

/** Leaves a damaged object alone until a user deletes it: its content may matter. */
async function find(store: Store, seed: Seed): Promise<StoreRecord | 'damaged' | undefined> {
  try {
    return await store.get(seedKey(seed));
  } catch (error) {
    if (error instanceof StoreError && error.failure.code === 'Corrupt') return 'damaged';
    throw error;
  }
}

function upkeepOf({ object, upkeep }: Seed, record: StoreRecord): Operation[][] {
  const next = upkeep?.(decodeObject(record, object.kind), object);
  if (next === undefined) return [];
  return [[{ type: 'put', key: record.key, value: encodeObject(next), expected: record.modRevision }]];
}

/**
 * Leaves objects that find no disk space for the next start: a server with a full disk must run, so that objects can be
 * deleted. Returns false when another server that starts at the same time was first. Each object gets its own resource
 * version; the store flushes them together.
 */
async function isWritten(store: Store, writes: readonly Operation[][]): Promise<boolean> {
  const outcomes = await Promise.allSettled(writes.map((operations) => store.commit(operations)));
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason);
  const unexpected = failed.find((reason) => !has(reason, 'Conflict') && !has(reason, 'NoSpace'));
  if (unexpected !== undefined) throw unexpected;
  return !failed.some((reason) => has(reason, 'Conflict'));
}

function has(error: unknown, code: 'Conflict' | 'NoSpace'): boolean {
  return error instanceof StoreError && error.failure.code === code;
}

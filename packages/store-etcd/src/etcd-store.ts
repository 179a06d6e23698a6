import { setMaxListeners } from 'node:events';
import { type Clock, type Eventual, type Random, realClock, systemRandom } from '@pintle/async';
import {
  type CommitResult,
  type HistoryLimits,
  type HistoryUsage,
  type KeyRange,
  type Operation,
  type RangeOptions,
  type RangeResult,
  type ReadOptions,
  type Revision,
  type Store,
  StoreError,
  type StoreLayout,
  type StoreLimits,
  type StoreRecord,
  type StoreWatch,
  type ValueSeal,
  type WatchOptions,
} from '@pintle/store';
import { type PreparedOperation, prepare, Replica } from '@pintle/store/replica';
import { COMPACT_KEY, compactAt, readCompacted, SharedCompaction } from './compaction.ts';
import { readExpirations } from './expirations.ts';
import { Follower } from './follower.ts';
import { KeySpace } from './key-space.ts';
import { LeasePool } from './lease-pool.ts';
import { probe } from './probe.ts';
import { Cluster } from './rpc/cluster.ts';
import type { TlsOptions } from './rpc/endpoint.ts';
import { LEASE_GRANT, RANGE, TXN, type TxnResponse } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';
import { conflictOf, toTxn } from './txn.ts';
import { WaitTimeouts } from './wait-timeouts.ts';

export interface EtcdStoreOptions {
  /** Servers of one cluster, as `https://host:port`. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsOptions;
  /** Prefix of the store's keys in etcd, which ends in `/`. Default: `/pintle/`. */
  readonly prefix?: string;
  /** Encoding of values in etcd. Default: as written. */
  readonly seal?: ValueSeal;
  /** Keys and values in etcd, in the place of `seal`. Default: keys are paths below the prefix. */
  readonly layout?: StoreLayout;
  /** Limits of the history that this process holds in memory. Default: 128 MiB. */
  readonly history?: HistoryLimits;
  /** Interval in which one of the servers compacts history. 0: never. Default: five minutes. */
  readonly compactionIntervalMs?: number;
  readonly maxValueBytes?: number;
  /** Value of etcd's flag `--max-txn-ops`. Default: 128. */
  readonly maxOperations?: number;
  /** Value of etcd's flag `--max-request-bytes`. Default: 1.5 MiB. */
  readonly maxBytes?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for members that do not answer or should be newer, and when the connection is lost and restored. */
  readonly onWarning?: (problem: string) => void;
}

const DEFAULT_PREFIX = '/pintle/';
const COMPACTION_MS = 5 * 60_000;
const MAX_OPERATIONS = 128;
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
/** Bytes that etcd adds to a request before it checks its size. */
const REQUEST_HEAD_BYTES = 128;
const WRITE_TIMEOUT_MS = 10_000;
const READ_TIMEOUT_MS = 5_000;
const SEEN_TIMEOUT_MS = 10_000;

/**
 * Opens the store under a prefix of an etcd cluster. Any number of processes may. Throws Unavailable when the cluster
 * does not answer, or cannot be relied on.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  return await EtcdStore.open(options);
}

/**
 * A replica of everything under the prefix, which one watch keeps up to date; reads are served from it. Writes are
 * transactions of etcd, acknowledged once the replica has them.
 *
 *     commit ──► txn ──► etcd ──► watch ──► replica ──► acknowledge
 *     latest ──► linearizable read ──► wait for the replica to be there
 */
class EtcdStore implements Store {
  readonly isShared = true;
  readonly limits: StoreLimits;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #keys: KeySpace;
  readonly #seal: ValueSeal | undefined;
  readonly #layout: StoreLayout | undefined;
  readonly #replica: Replica;
  readonly #follower: Follower;
  readonly #waits: WaitTimeouts;
  readonly #leases: LeasePool;
  readonly #stop = new AbortController();
  readonly #background: Promise<void>[] = [];
  readonly #writes = new Set<Promise<unknown>>();
  /** Read that callers of this turn share; it is not sent yet. */
  #nextLatest: Promise<Revision> | undefined;
  #closing: Promise<void> | undefined;

  static async open(options: EtcdStoreOptions): Promise<EtcdStore> {
    const { clock = realClock, random = systemRandom } = options;
    const cluster = new Cluster({ endpoints: options.endpoints, tls: options.tls, clock, random });
    try {
      await probe(cluster, options.onWarning ?? (() => {}));
      const store = new EtcdStore(cluster, clock, options);
      await store.#follower.start();
      store.#start(options.compactionIntervalMs ?? COMPACTION_MS, clock);
      return store;
    } catch (error) {
      cluster.close();
      throw error instanceof RpcError ? unavailable(error) : error;
    }
  }

  private constructor(cluster: Cluster, clock: Clock, options: EtcdStoreOptions) {
    const { maxBytes = MAX_REQUEST_BYTES, maxOperations = MAX_OPERATIONS, maxValueBytes = maxBytes } = options;
    this.limits = { maxBytes, maxOperations, maxValueBytes };
    // Every pending read listens to it.
    setMaxListeners(0, this.#stop.signal);
    this.#cluster = cluster;
    this.#clock = clock;
    this.#layout = options.layout;
    this.#seal = options.layout ?? options.seal;
    this.#keys = new KeySpace(options.prefix ?? DEFAULT_PREFIX, options.layout);
    this.#replica = new Replica({ seal: this.#seal, history: options.history });
    this.#layout?.useRecords?.((key) => this.#replica.get(key));
    this.#follower = new Follower({
      cluster,
      clock,
      keys: this.#keys,
      replica: this.#replica,
      extraKey: COMPACT_KEY,
      onExtraKey: ({ value }) => this.#forgetBefore(readCompacted(value)),
      signal: this.#stop.signal,
      warn: options.onWarning ?? (() => {}),
    });
    this.#waits = new WaitTimeouts({
      clock,
      requestProgress: () => this.#follower.requestProgress(),
      timeoutMs: SEEN_TIMEOUT_MS,
    });
    this.#leases = new LeasePool({ clock, grant: (seconds) => this.#grant(seconds) });
  }

  get revision(): Revision {
    return this.#replica.revision;
  }

  get compactedRevision(): Revision {
    return this.#replica.compactedRevision;
  }

  get history(): HistoryUsage {
    return this.#replica.history;
  }

  get damagedKeys(): ReadonlySet<string> {
    return this.#replica.damagedKeys;
  }

  get staleMs(): number {
    return this.#follower.staleMs;
  }

  /** Sends one linearizable read for all callers of the same turn; later callers may need a newer one. */
  latest({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Revision> {
    if (this.#closing) return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#nextLatest ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
      this.#nextLatest = undefined;
      return this.#readLatest();
    });
    return this.#nextLatest;
  }

  get(key: string, options?: ReadOptions): StoreRecord | undefined {
    return this.#replica.get(key, options);
  }

  range(range: KeyRange, options?: RangeOptions): Promise<RangeResult> {
    return this.#replica.range(range, options);
  }

  count(range: KeyRange, options?: ReadOptions): Promise<number> {
    return this.#replica.count(range, options);
  }

  watch(range: KeyRange, options?: WatchOptions): StoreWatch {
    return this.#replica.watch(range, options);
  }

  async commit(operations: readonly Operation[]): Promise<CommitResult> {
    if (this.#closing) throw closed();
    const write = this.#commit(prepare(operations, this.limits, this.#seal));
    this.#writes.add(write);
    try {
      return await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  async expirations(): Promise<ReadonlyMap<string, number>> {
    if (this.#closing) throw closed();
    const reads = { timeoutMs: READ_TIMEOUT_MS, signal: this.#stop.signal };
    return await readExpirations({ cluster: this.#cluster, keys: this.#keys, clock: this.#clock, ...reads }).catch(
      rethrow,
    );
  }

  isOutdated({ value }: StoreRecord): boolean {
    return this.#layout?.isOutdated?.(value) ?? false;
  }

  async compact(revision: Revision): Promise<void> {
    if (this.#closing) throw closed();
    if (revision > this.revision) throw new StoreError({ code: 'Future', requested: revision, current: this.revision });
    if (revision > this.compactedRevision) await compactAt(this.#cluster, revision).catch(rethrow);
    await this.#replica.compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    this.#stop.abort(closed());
    await Promise.allSettled(this.#background);
    await this.#replica.close(closed());
    this.#cluster.close();
  }

  #start(compactionIntervalMs: number, clock: Clock): void {
    this.#background.push(
      this.#follower.run().catch(async (error: unknown) => {
        if (!this.#stop.signal.aborted) await this.#replica.close(unavailable(error));
      }),
    );
    if (compactionIntervalMs <= 0) return;
    const compaction = new SharedCompaction({ cluster: this.#cluster, clock, intervalMs: compactionIntervalMs });
    this.#background.push(compaction.run(this.#stop.signal));
  }

  async #readLatest(): Promise<Revision> {
    const read = { key: this.#keys.prefix, countOnly: true };
    const seen = this.revision;
    const { header } = await this.#cluster
      .read(RANGE, read, { timeoutMs: READ_TIMEOUT_MS, signal: this.#stop.signal })
      .catch(rethrow);
    const { revision } = header;
    refuseOlder(revision, seen);
    if (this.revision < revision) this.#follower.requestProgress();
    await this.#seen(revision);
    return revision;
  }

  async #commit(operations: readonly PreparedOperation[]): Promise<CommitResult> {
    const leases = await this.#leasesOf(operations);
    const request = TXN.encode(toTxn(operations, this.#keys, leases));
    this.#refuseLarge(operations, request.length);
    const seen = this.revision;
    const answer = await this.#send(request, operations, leases);
    const { revision } = answer.header;
    refuseOlder(revision, seen);
    await this.#seen(revision);
    if (!answer.succeeded) throw conflictOf(operations, answer);
    return { revision };
  }

  /** Never sends a transaction again, unless etcd reports that it did nothing: a lease has expired meanwhile. */
  async #send(
    request: Uint8Array,
    operations: readonly PreparedOperation[],
    leases: ReadonlyMap<number, bigint>,
  ): Promise<TxnResponse> {
    try {
      return await this.#cluster.write(TXN, request, { timeoutMs: WRITE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof RpcError) || !error.isLeaseGone) throw failureOf(error);
      for (const id of leases.values()) this.#leases.drop(id);
      const renewed = TXN.encode(toTxn(operations, this.#keys, await this.#leasesOf(operations)));
      return await this.#cluster.write(TXN, renewed, { timeoutMs: WRITE_TIMEOUT_MS }).catch((again) => {
        throw failureOf(again);
      });
    }
  }

  /** Returns leases by time to live. */
  async #leasesOf(operations: readonly PreparedOperation[]): Promise<ReadonlyMap<number, bigint>> {
    const keys = new Map<number, number>();
    for (const operation of operations)
      if (operation.type === 'put' && operation.ttlMs !== undefined)
        keys.set(operation.ttlMs, (keys.get(operation.ttlMs) ?? 0) + 1);
    const leases = new Map<number, bigint>();
    for (const [ttlMs, count] of keys) leases.set(ttlMs, await this.#leases.leaseFor(ttlMs, count).catch(rethrow));
    return leases;
  }

  /** A lease that is granted twice, because a response was lost, expires without keys. */
  async #grant(seconds: number): Promise<{ readonly id: bigint; readonly seconds: number }> {
    const { id, ttl } = await this.#cluster.read(LEASE_GRANT, { ttl: seconds }, { timeoutMs: READ_TIMEOUT_MS });
    return { id, seconds: ttl };
  }

  #refuseLarge(operations: readonly PreparedOperation[], bytes: number): void {
    const maxBytes = this.limits.maxBytes - REQUEST_HEAD_BYTES;
    if (bytes <= maxBytes) return;
    const size = (operation: PreparedOperation) => (operation.type === 'put' ? operation.sealed.length : 0);
    const largest = operations.reduce((a, b) => (size(b) > size(a) ? b : a));
    throw new StoreError({ code: 'TooLarge', key: largest.key, bytes, maxBytes });
  }

  #seen(revision: Revision): Eventual<void> {
    const reached = this.#replica.reached(revision);
    return reached instanceof Promise ? this.#waits.wait(reached) : undefined;
  }

  #forgetBefore(revision: Revision): void {
    if (revision > this.compactedRevision && revision <= this.revision)
      void this.#replica.compact(revision).catch(() => undefined);
  }
}

function closed(): StoreError {
  return new StoreError({ code: 'Unavailable', problem: 'it is closed' });
}

function unavailable(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError(
    { code: 'Unavailable', problem: cause instanceof Error ? cause.message : String(cause) },
    { cause },
  );
}

/** Throws when the cluster has lost revisions that this process has seen, for example by a restore. */
function refuseOlder(revision: Revision, seen: Revision): void {
  if (revision < seen) throw unavailable(`etcd went back from revision ${seen} to ${revision}: it lost writes`);
}

function rethrow(error: unknown): never {
  throw error instanceof RpcError ? unavailable(error) : error;
}

/** Returns the error of a write that was not acknowledged. */
function failureOf(error: unknown): StoreError {
  if (!(error instanceof RpcError)) return unavailable(error);
  // The write that finds no space may have been the last one that etcd applied.
  if (error.isNoSpace) return new StoreError({ code: 'NoSpace', isUnknown: true }, { cause: error });
  return unavailable(error);
}

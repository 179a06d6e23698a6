import type { Clock } from '@pintle/async';
import type { Engine } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type {
  CommitResult,
  HistoryUsage,
  Operation,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Store,
  StoreEvent,
  StoreLimits,
  StoreRecord,
  StoreWatch,
  ValueSeal,
  WatchOptions,
} from '../store.ts';
import { WatchHub } from '../watch/watch-hub.ts';
import { Watcher } from '../watch/watcher.ts';
import type { Change, SequencedTransaction } from './batch.ts';
import { Compactor } from './compaction.ts';
import { HistoryReader } from './history-reader.ts';
import { DEFAULT_HISTORY_LIMITS, type HistoryLimits, HistorySize, VERSION_BYTES } from './history-size.ts';
import type { Version } from './key-history.ts';
import { KeyIndex } from './key-index.ts';
import { LeaseKeeper } from './lease.ts';
import { checksumOf } from './record.ts';
import { type RecoveredStore, recover } from './recovery.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { EMPTY_SUPERBLOCK, superblockChange } from './superblock.ts';
import { prepare } from './transaction.ts';
import { VerifiedValues } from './verified-values.ts';
import { Writer } from './writer.ts';

interface MvccStoreOptions {
  readonly clock: Clock;
  readonly limits: StoreLimits;
  readonly seal?: ValueSeal | undefined;
  readonly history?: HistoryLimits | undefined;
}

/** Store over any engine: an index of all keys in memory, their values and the log of all writes in the engine. */
export class MvccStore implements Store {
  readonly limits: StoreLimits;
  /** One process has the engine to itself. */
  readonly isShared = false;
  readonly #engine: Engine;
  readonly #options: MvccStoreOptions;
  readonly #index: KeyIndex;
  readonly #writer: Writer;
  readonly #hub: WatchHub<Change>;
  readonly #compactor: Compactor;
  readonly #leases: LeaseKeeper;
  readonly #history: HistoryReader;
  readonly #verified: VerifiedValues;
  readonly #historySize: HistorySize;
  /** Pending compaction that the store started by itself. */
  #autoCompaction: Promise<void> | undefined;
  readonly #damagedKeys = new Set<string>();
  readonly #watchers = new Set<Watcher>();
  readonly #snapshots: SnapshotReader;
  #compacted: Revision;
  #closing: Promise<void> | undefined;

  /** Throws Corrupt when the engine's content is not what was written. */
  static async open(engine: Engine, options: MvccStoreOptions): Promise<MvccStore> {
    const recovered = recover(engine);
    if (recovered) return new MvccStore(engine, options, recovered);
    await engine.write({ log: [superblockChange(EMPTY_SUPERBLOCK)], values: [] });
    return new MvccStore(engine, options, { superblock: EMPTY_SUPERBLOCK, index: new KeyIndex(), history: [] });
  }

  private constructor(engine: Engine, options: MvccStoreOptions, { superblock, index, history }: RecoveredStore) {
    this.#engine = engine;
    this.#historySize = new HistorySize(options.history ?? DEFAULT_HISTORY_LIMITS);
    for (const { revision, key } of history) this.#historySize.add(revision, VERSION_BYTES + key.length, 0);
    this.#options = options;
    this.limits = options.limits;
    this.#index = index;
    this.#verified = new VerifiedValues(engine.holdsValues && !options.seal ? Number.POSITIVE_INFINITY : undefined);
    this.#compacted = superblock.compacted;
    this.#hub = new WatchHub(superblock.last, (change) => this.#toEvent(change));
    this.#snapshots = new SnapshotReader({
      index: () => index,
      revision: () => this.revision,
      snapshot: (requested) => this.#snapshot(requested),
      read: (key, version) => this.#read(key, version),
    });
    this.#history = new HistoryReader(engine, index, (key, version) => this.#readChecked(key, version));
    this.#writer = new Writer({
      engine,
      index,
      superblock,
      now: () => options.clock.now(),
      apply: (transaction) => this.#apply(transaction),
      publish: (transaction) => this.#hub.publish(transaction),
      makeRoom: () => this.#compactAutomatically(this.#writer.superblock.last),
    });
    this.#leases = new LeaseKeeper({
      clock: options.clock,
      isCurrent: (key, revision) => index.find(key)?.newest?.revision === revision,
      expire: (key, revision) => this.commit([{ type: 'delete', key, expected: revision }]),
    });
    this.#compactor = new Compactor({
      engine,
      index,
      writer: this.#writer,
      refuseBefore: (revision) => {
        this.#compacted = revision;
      },
      onForgotten: (version) => this.#verified.forget(version),
      onSwept: (revision) => this.#historySize.forget(revision),
      readsBefore: (revision) => this.#snapshots.readsBefore(revision),
    });
    this.#resume();
  }

  get revision(): Revision {
    return this.#hub.revision;
  }

  get compactedRevision(): Revision {
    return this.#compacted;
  }

  get damagedKeys(): ReadonlySet<string> {
    return this.#damagedKeys;
  }

  get history(): HistoryUsage {
    const { memoryBytes, diskBytes } = this.#historySize;
    return { revisions: this.revision - this.#compacted, memoryBytes, diskBytes };
  }

  /** No other process writes, so this is the newest revision. */
  latest(): Revision {
    if (this.#closing) this.#refuseWhenClosed();
    return this.revision;
  }

  get(key: string, options?: ReadOptions): StoreRecord | undefined {
    options?.signal?.throwIfAborted();
    const revision = this.#snapshot(options?.revision);
    const version = this.#index.find(key)?.at(revision);
    return version && this.#read(key, version);
  }

  range(range: KeyRange, options: RangeOptions = {}): Promise<RangeResult> {
    return this.#snapshots.range(range, options);
  }

  count(range: KeyRange, options: ReadOptions = {}): Promise<number> {
    return this.#snapshots.count(range, options);
  }

  commit(operations: readonly Operation[]): Promise<CommitResult> {
    try {
      this.#refuseWhenClosed();
      return this.#writer.commit(prepare(operations, this.limits, this.#options.seal));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  watch(range: KeyRange, options: WatchOptions = {}): StoreWatch {
    const watcher = new Watcher({
      hub: this.#hub,
      range,
      after: options.after ?? this.revision,
      readHistory: (within, after) => this.#readHistory(within, after),
      signal: options.signal,
      owner: options.owner,
      refusal: this.#refusalOf(options.after),
      onEnd: (ended) => this.#watchers.delete(ended),
    });
    if (this.#closing) watcher.end();
    else if (!watcher.isOver) this.#watchers.add(watcher);
    return watcher;
  }

  expirations(): ReadonlyMap<string, number> {
    this.#refuseWhenClosed();
    return this.#leases.expirations();
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseWhenClosed();
    await this.#compactor.compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#leases.close();
    await this.#writer.drain();
    this.#writer.stop('it is closed');
    await this.#compactor.drain();
    await this.#writer.drain();
    for (const watcher of [...this.#watchers]) watcher.end();
    await this.#snapshots.readsBefore(Number.POSITIVE_INFINITY as Revision);
    await this.#engine.close();
  }

  /** Resumes leases, and a compaction that was interrupted. */
  #resume(): void {
    this.#index.walk({ start: '' }, ({ key, newest }) => {
      if (newest?.lease) this.#leases.resume(key, newest, newest.lease);
      return true;
    });
    if (this.#compacted > 0) this.#compactor.resume();
  }

  #apply(transaction: SequencedTransaction): void {
    for (const { entry, value, sealed } of transaction.changes) {
      this.#index.add(entry.key, entry);
      if (this.#damagedKeys.size > 0) this.#damagedKeys.delete(entry.key);
      const valueBytes = sealed?.length ?? 0;
      const memoryBytes = VERSION_BYTES + entry.key.length + (this.#engine.holdsValues ? valueBytes : 0);
      this.#historySize.add(entry.revision, memoryBytes, this.#engine.holdsValues ? 0 : valueBytes);
      if (value !== undefined) this.#verified.add(entry, value);
      if (entry.lease) this.#leases.grant(entry.key, entry, entry.lease);
    }
    if (this.#historySize.isOverLimit) this.#compactHalf();
  }

  #compactHalf(): void {
    const { middle } = this.#historySize;
    if (middle !== undefined) void this.#compactAutomatically(middle);
  }

  /** Compacts history before `revision`, one compaction at a time. After a failure the next need tries again. */
  #compactAutomatically(revision: Revision): Promise<void> {
    if (this.#closing) return Promise.resolve();
    this.#autoCompaction ??= this.#compactor
      .compact(revision)
      .catch(() => undefined)
      .finally(() => {
        this.#autoCompaction = undefined;
      });
    return this.#autoCompaction;
  }

  #toEvent({ entry, value, previous }: Change): StoreEvent {
    const before = previous && this.#read(entry.key, previous);
    if (value === undefined) return { type: 'delete', key: entry.key, revision: entry.revision, previous: before! };
    return { type: 'put', record: toRecord(entry.key, entry, value), ...(before && { previous: before }) };
  }

  #readHistory(range: KeyRange, after: Revision) {
    const refusal = this.#refusalOf(after);
    if (refusal) throw refusal;
    return this.#history.read(range, after, this.revision);
  }

  /** Returns the revision to read at. Throws Compacted, Future or Unavailable. */
  #snapshot(requested: Revision | undefined): Revision {
    if (this.#closing) this.#refuseWhenClosed();
    if (requested === undefined) return this.revision;
    const refusal = this.#refusalOf(requested);
    if (refusal) throw refusal;
    return requested;
  }

  #refusalOf(requested: Revision | undefined): StoreError | undefined {
    if (requested === undefined) return undefined;
    if (requested < this.#compacted) return new StoreError({ code: 'Compacted', requested, oldest: this.#compacted });
    if (requested > this.revision) return new StoreError({ code: 'Future', requested, current: this.revision });
    return undefined;
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new StoreError({ code: 'Unavailable', problem: 'it is closed' });
  }

  /** Reads a version of the index. Its value is read and checked once, as long as there is room to hold it. */
  #read(key: string, version: Version): StoreRecord {
    const held = this.#verified.find(version);
    if (held !== undefined) return toRecord(key, version, held);
    const record = this.#readChecked(key, version);
    this.#verified.add(version, record.value);
    return record;
  }

  /** Throws Corrupt when the engine does not have what was written. */
  #readChecked(key: string, version: Version): StoreRecord {
    const value = this.#engine.readValue(version.revision, version.sub);
    if (value === undefined || checksumOf(value) !== version.checksum)
      throw this.#damaged(
        key,
        version,
        value === undefined ? 'its value is missing' : 'the checksum of its value is wrong',
      );
    return toRecord(key, version, this.#options.seal === undefined ? value : this.#open(key, version, value));
  }

  #open(key: string, version: Version, sealed: Uint8Array): Uint8Array {
    try {
      return this.#options.seal!.open(key, sealed);
    } catch (cause) {
      throw this.#damaged(key, version, (cause as Error).message, { cause });
    }
  }

  #damaged(key: string, version: Version, problem: string, options?: ErrorOptions): StoreError {
    const isNewest = this.#index.find(key)?.newest === version;
    if (isNewest && this.#damagedKeys.size < MAX_DAMAGED_KEYS) this.#damagedKeys.add(key);
    return new StoreError({ code: 'Corrupt', key, revision: version.revision, problem }, options);
  }
}

const MAX_DAMAGED_KEYS = 1000;

function toRecord(key: string, version: Version, value: Uint8Array): StoreRecord {
  return {
    key,
    value,
    modRevision: version.revision,
    createRevision: version.createRevision,
    version: version.version,
  };
}

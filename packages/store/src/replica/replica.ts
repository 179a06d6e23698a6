import { deferred, type Eventual, yieldToEventLoop } from '@pintle/async';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import { DEFAULT_HISTORY_LIMITS, type HistoryLimits, HistorySize, VERSION_BYTES } from '../mvcc/history-size.ts';
import type { Version } from '../mvcc/key-history.ts';
import { KeyIndex } from '../mvcc/key-index.ts';
import { SnapshotReader } from '../mvcc/snapshot-reader.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import type {
  HistoryUsage,
  RangeOptions,
  RangeResult,
  ReadOptions,
  StoreEvent,
  StoreRecord,
  StoreWatch,
  ValueSeal,
  WatchOptions,
} from '../store.ts';
import { WatchHub } from '../watch/watch-hub.ts';
import { Watcher } from '../watch/watcher.ts';
import { type ReplicaChange, ReplicaHistory } from './replica-history.ts';

/** Effect on one key of a transaction that was decided elsewhere. Values are as the engine stores them. */
export type ReplicatedChange =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly createRevision: Revision;
      readonly version: number;
    }
  | { readonly type: 'delete'; readonly key: string };

/** A record as the engine stores it. With `damage`, the engine could not read its value: reads throw Corrupt with it. */
export interface ReplicatedRecord extends StoreRecord {
  readonly damage?: string;
}

interface ReplicaOptions {
  readonly seal?: ValueSeal | undefined;
  readonly history?: HistoryLimits | undefined;
}

/**
 * The reading half of a store whose transactions are decided elsewhere: all keys with their values, and the history
 * since it was loaded, in the memory of this process. The owner follows the engine and passes every transaction in
 * order.
 *
 *     load ──► apply, advance ──► apply …     one transaction after the other, or a stretch without any
 *      ▲              │
 *      └──────────────┘                       something was missed: all is loaded again, and watches end with Compacted
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #hub: WatchHub<ReplicaChange>;
  readonly #watchers = new Set<Watcher>();
  readonly #snapshots: SnapshotReader;
  readonly #damage = new WeakMap<Version, string>();
  readonly #damagedKeys = new Set<string>();
  #index = new KeyIndex();
  #history = new ReplicaHistory();
  #historySize: HistorySize;
  #compacted = FIRST_REVISION;
  /** Callers that wait for a revision, in no order. */
  #waiting: { readonly revision: Revision; readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    [];
  #compacting: Promise<void> = Promise.resolve();
  #isCompactingHalf = false;
  #end: StoreError | undefined;

  constructor(options: ReplicaOptions = {}) {
    this.#options = options;
    this.#historySize = this.#newHistorySize();
    this.#hub = new WatchHub(FIRST_REVISION, (change) => this.#toEvent(change));
    this.#snapshots = new SnapshotReader({
      index: () => this.#index,
      revision: () => this.revision,
      snapshot: (requested) => this.#snapshot(requested),
      read: (key, version) => this.#read(key, version),
      effortOf: ({ heldIn, held }) => (heldIn === SEALED ? OPENING_EFFORT + held!.length / BYTES_OPENED_LIKE_A_KEY : 0),
    });
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
    if (this.#end) watcher.end();
    else if (!watcher.isOver) this.#watchers.add(watcher);
    return watcher;
  }

  /** Returns the newest version of a key that this replica has seen, without its value. */
  newest(key: string): Pick<Version, 'createRevision' | 'revision' | 'version'> | undefined {
    return this.#index.find(key)?.newest;
  }

  /** Resolves once `revision` has been seen: at once if it has. Rejects when the replica ends first. */
  reached(revision: Revision): Eventual<void> {
    if (this.#end) return Promise.reject(this.#end);
    if (this.revision >= revision) return undefined;
    const { promise, resolve, reject } = deferred();
    this.#waiting.push({ revision, resolve, reject });
    return promise;
  }

  /**
   * Replaces all content with the records at `revision`. Earlier revisions cannot be read; watches end with Compacted.
   */
  load(revision: Revision, records: readonly ReplicatedRecord[]): void {
    this.#damagedKeys.clear();
    this.#index = KeyIndex.load(
      records.map((record) => ({ key: record.key, ...this.#versionOf(record, record.modRevision, 0) })),
    );
    for (const { key, damage } of records)
      if (damage !== undefined) this.#markDamaged(key, this.#index.find(key)!.newest!, damage);
    this.#history = new ReplicaHistory();
    this.#historySize = this.#newHistorySize();
    this.#compacted = revision;
    for (const watcher of [...this.#watchers])
      watcher.fail(new StoreError({ code: 'Compacted', requested: watcher.progress, oldest: revision }));
    this.#publish(revision, []);
  }

  /** Applies the next transaction. */
  apply(revision: Revision, changes: readonly ReplicatedChange[]): void {
    const applied = changes.map((change, sub) => this.#change(revision, sub, change));
    this.#history.add(revision, applied);
    this.#publish(revision, applied);
    if (this.#historySize.isOverLimit) this.#compactHalf();
  }

  /** Advances to `revision`, up to which there were no changes here. */
  advance(revision: Revision): void {
    if (revision > this.revision) this.#publish(revision, []);
  }

  /**
   * Removes history before `revision`. Yields to the event loop first, so that compacting in a loop does not block
   * reads.
   */
  compact(revision: Revision): Promise<void> {
    if (revision > this.revision)
      return Promise.reject(new StoreError({ code: 'Future', requested: revision, current: this.revision }));
    const done = this.#compacting.then(yieldToEventLoop).then(() => this.#compact(revision));
    this.#compacting = done.catch(() => undefined);
    return done;
  }

  /** Refuses reads from now on, ends watches, and waits for reads that are under way. */
  async close(reason: StoreError): Promise<void> {
    this.#end ??= reason;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
    for (const watcher of [...this.#watchers]) watcher.end();
    await this.#compacting;
    await this.#snapshots.readsBefore(Number.POSITIVE_INFINITY as Revision);
  }

  #publish(revision: Revision, changes: readonly ReplicaChange[]): void {
    this.#hub.publish({ revision, changes });
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((waiting) => waiting.revision <= revision);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.revision > revision);
    for (const { resolve } of due) resolve();
  }

  #change(revision: Revision, sub: number, change: ReplicatedChange): ReplicaChange {
    const { key } = change;
    const previous = this.#index.find(key)?.newest;
    const version =
      change.type === 'put'
        ? this.#versionOf(change, revision, sub)
        : deletion(revision, sub, previous!.createRevision);
    if (change.type === 'delete' && this.#damagedKeys.size > 0) this.#damagedKeys.delete(key);
    this.#index.add(key, version);
    this.#historySize.add(revision, VERSION_BYTES + key.length + (version.held?.length ?? 0), 0);
    return { entry: { key }, version, previous };
  }

  #versionOf(
    { key, value, createRevision, version }: Pick<StoreRecord, 'key' | 'value' | 'createRevision' | 'version'>,
    revision: Revision,
    sub: number,
  ): Version {
    if (this.#damagedKeys.size > 0) this.#damagedKeys.delete(key);
    return {
      revision,
      sub,
      createRevision,
      version,
      checksum: 0,
      lease: undefined,
      held: value,
      heldIn: this.#options.seal === undefined ? OPEN : SEALED,
      summary: undefined,
    };
  }

  /** Opens a value when it is first read, because most are not read soon. A damaged one is no longer held. */
  #open(key: string, version: Version): void {
    version.heldIn = OPEN;
    try {
      version.held = this.#options.seal!.open(key, version.held!);
    } catch (cause) {
      this.#markDamaged(key, version, (cause as Error).message);
    }
  }

  #markDamaged(key: string, version: Version, problem: string): void {
    version.held = undefined;
    this.#damage.set(version, problem);
    const isNewest = this.#index.find(key)?.newest === version;
    if (isNewest && this.#damagedKeys.size < MAX_DAMAGED_KEYS) this.#damagedKeys.add(key);
  }

  #toEvent({ entry, version, previous }: ReplicaChange): StoreEvent {
    const before = previous && this.#read(entry.key, previous);
    if (version.version === 0) return { type: 'delete', ...entry, revision: version.revision, previous: before! };
    return { type: 'put', record: this.#read(entry.key, version), ...(before && { previous: before }) };
  }

  #read(key: string, version: Version): StoreRecord {
    if (version.heldIn === SEALED) this.#open(key, version);
    const { held: value, revision: modRevision, createRevision } = version;
    if (value === undefined) {
      const problem = this.#damage.get(version) ?? 'its value is missing';
      throw new StoreError({ code: 'Corrupt', key, revision: modRevision, problem });
    }
    return { key, value, modRevision, createRevision, version: version.version };
  }

  #readHistory(range: KeyRange, after: Revision) {
    const refusal = this.#refusalOf(after);
    if (refusal) throw refusal;
    return this.#history.read(range, after, this.revision, (change) => this.#toEvent(change));
  }

  #snapshot(requested: Revision | undefined): Revision {
    if (this.#end) throw this.#end;
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

  async #compact(revision: Revision): Promise<void> {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    this.#history.forget(revision);
    const index = this.#index;
    await this.#snapshots.readsBefore(revision);
    let visited = 0;
    for (const history of index.compactable) {
      index.compact(history, revision);
      if (++visited % HISTORIES_PER_TURN === 0) await yieldToEventLoop();
    }
    this.#historySize.forget(revision);
  }

  #compactHalf(): void {
    const { middle } = this.#historySize;
    if (middle === undefined || this.#isCompactingHalf) return;
    this.#isCompactingHalf = true;
    void this.compact(middle).finally(() => {
      this.#isCompactingHalf = false;
    });
  }

  #newHistorySize(): HistorySize {
    return new HistorySize(this.#options.history ?? DEFAULT_HISTORY_LIMITS);
  }
}

const MAX_DAMAGED_KEYS = 1000;
/** States of the value that a version holds. */
const [OPEN, SEALED] = [0, 1];
/** Effort of opening a value, as the snapshot reader measures it: opening a small one takes some 20 µs. */
const OPENING_EFFORT = 8;
const BYTES_OPENED_LIKE_A_KEY = 128;
const HISTORIES_PER_TURN = 1000;

function deletion(revision: Revision, sub: number, createRevision: Revision): Version {
  return {
    revision,
    sub,
    createRevision,
    version: 0,
    checksum: 0,
    lease: undefined,
    held: undefined,
    heldIn: 0,
    summary: undefined,
  };
}

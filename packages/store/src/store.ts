import type { Eventual } from '@pintle/async';
import type { StoreError } from './errors.ts';
import type { KeyRange } from './key-range.ts';
import type { Revision } from './revision.ts';

/** One version of one key. `value` belongs to the store: read, never write. */
export interface StoreRecord {
  readonly key: string;
  readonly value: Uint8Array;
  /** Revision of the transaction that wrote this version. */
  readonly modRevision: Revision;
  /** Revision of the transaction that created the key. */
  readonly createRevision: Revision;
  /** Number of writes since the creation of the key; 1 at creation. */
  readonly version: number;
}

export interface ReadOptions {
  /** Reads the state right after this revision. Default: the newest. */
  readonly revision?: Revision;
  readonly signal?: AbortSignal;
}

export interface RangeOptions extends ReadOptions {
  /** Maximum number of records. Default: all. */
  readonly limit?: number;
  /** Stops after the record with which the values reach this size, which bounds one read. Default: unlimited. */
  readonly maxBytes?: number;
  /** Called for each record that cannot be read, which is left out. Without it the range throws Corrupt. */
  readonly onDamaged?: (error: StoreError) => void;
  /**
   * Yields to other work, between slices of a long read. A rejection ends the read. Default: the next turn of the event
   * loop.
   */
  readonly turn?: () => Promise<void>;
  /** Leaves out other records. Default: none is left out. */
  readonly select?: RecordSelection;
}

/**
 * Selects records by their keys and by summaries of their values. A summary is computed once and kept beside its
 * version, so that a value that is not selected is read at most once.
 */
export interface RecordSelection {
  /** Tests a key before its value is read. Default: every key is selected. */
  readonly hasKey?: (key: string) => boolean;
  /** Default: every value is selected. */
  readonly values?: SummarySelection;
}

export interface SummarySelection<S extends Summary = Summary> {
  /** Selections with the same summarizer share its summaries. */
  readonly summarizer: Summarizer<S>;
  matches(summary: S): boolean;
}

export interface Summarizer<S extends Summary = Summary> {
  /**
   * Summarizes a record. A version keeps its last summary, which therefore must be small and hold no part of the value.
   */
  summarize(record: StoreRecord): S;
}

export interface Summary {
  /** The summarizer that created it. A summary without one is used once and not kept. */
  readonly by: Summarizer | undefined;
}

export interface RangeResult {
  /** In key order. */
  readonly records: readonly StoreRecord[];
  /**
   * True when there are further records in the range, selected or not; continue at `keyAfter` of the last one, at the
   * same revision.
   */
  readonly more: boolean;
  /** The snapshot that was read. */
  readonly revision: Revision;
}

/**
 * One write of a transaction. `expected` is the modRevision that the key must have when the transaction commits; 0: the
 * key must not exist. A write without it overwrites any version; a delete of a missing key does nothing.
 */
export type Operation =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: Uint8Array;
      readonly expected?: Revision;
      /**
       * Time after which the store deletes the key, as an ordinary delete with a revision. An engine may round the time
       * up, let keys with nearly the same time end together, and delete up to a thousand of them in one transaction.
       */
      readonly ttlMs?: number;
      /** Marks a step of the deletion of an object: like a delete, it may use the space that is held back for those. */
      readonly isForDeletion?: boolean;
    }
  | { readonly type: 'delete'; readonly key: string; readonly expected?: Revision }
  /** Writes nothing; the transaction is refused unless the key is at `expected`. */
  | { readonly type: 'check'; readonly key: string; readonly expected: Revision };

/** Limits of one transaction. */
export interface StoreLimits {
  readonly maxValueBytes: number;
  /** Operations of a transaction, checks included. */
  readonly maxOperations: number;
  /** Bytes of all keys and values. */
  readonly maxBytes: number;
}

/** Size of the history beside the present state. */
export interface HistoryUsage {
  /** Revisions that can still be read, besides the newest. */
  readonly revisions: number;
  /** Approximate upper bound of memory in this process: versions and keys, and values where the engine holds them. */
  readonly memoryBytes: number;
  /** Upper bound of values in the engine, without those from before the store was opened. */
  readonly diskBytes: number;
}

export interface CommitResult {
  /** The revision of this transaction. When nothing was changed (only checks, deletes of missing keys), the current one. */
  readonly revision: Revision;
}

/** Effect of a committed transaction on one key. */
export type StoreEvent =
  | { readonly type: 'put'; readonly record: StoreRecord; readonly previous?: StoreRecord }
  /** `revision` is the transaction that deleted; `previous` is the record before it. */
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision; readonly previous: StoreRecord };

/** All events of one transaction that match a watch, in the order of its operations. A transaction is never split. */
export interface WatchBatch {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
}

export interface WatchOptions {
  /** Delivers events after this revision. Default: the current one. */
  readonly after?: Revision;
  readonly signal?: AbortSignal;
  /** Client for whom the watch is. Those that are far behind take turns by owner. Default: one owner for all others. */
  readonly owner?: string | undefined;
}

/**
 * A watch is an async iterator of batches and promises what etcd promises: ordered (revisions grow), unique, reliable
 * (nothing matching is left out), atomic (a transaction is one batch), resumable (start again after the last revision
 * seen) and bookmarkable (`progress`).
 *
 * A watcher that does not keep up holds no memory: it falls back to reading history from the engine. Should compaction
 * overtake it, the iterator throws `Compacted`. An event never comes without the record it replaced or deleted: where
 * that is no longer kept, the watch ends with `Compacted` instead. When the store closes, the iterator ends; when `signal` aborts, it
 * throws the signal's reason. `return()` ends it and frees what it holds.
 */
export interface StoreWatch extends AsyncIterableIterator<WatchBatch> {
  /**
   * Everything at or before this revision that matches has been handed out by the iterator. Never runs ahead of an
   * undelivered batch; grows with the store's revision even when nothing matches.
   */
  readonly progress: Revision;
}

/**
 * A multi-version map from keys to bytes with one history.
 *
 * Every transaction that changes something takes the next revision. Transactions are strictly serializable: one that
 * began after another was acknowledged comes later in history. A transaction is acknowledged, visible to reads and seen
 * by watches only once it is durable. History is kept until compaction. The store compacts by itself when history takes
 * more than it may, or when there is no space left: then it forgets the older half, or all of it.
 *
 * Several processes may work on one store, where the engine lets them. `revision` is what this process has seen; reads
 * without a revision and watches begin there. A read that must show what others have written takes `latest()` first. A
 * transaction of this process is acknowledged once this process sees it, and a Conflict is thrown once it sees what stood
 * in the way.
 *
 * Keys are 1 to 1,024 bytes of well-formed UTF-8 without NUL; values up to `maxValueBytes`.
 */
export interface Store extends AsyncDisposable {
  /** The newest durable revision that this process has seen. */
  readonly revision: Revision;
  /** The oldest revision that can be read; a watch may start after it. */
  readonly compactedRevision: Revision;
  readonly history: HistoryUsage;
  readonly limits: StoreLimits;
  /**
   * True when other servers write to the same history, which the engine keeps for as long as they agreed on. Processes of
   * one server do not count.
   */
  readonly isShared: boolean;
  /** Keys whose newest value was found damaged, and that still exist; at most the first thousand. */
  readonly damagedKeys: ReadonlySet<string>;

  /**
   * Returns a revision that is not older than any transaction acknowledged before the call, by whichever process. This
   * process has seen it: `revision` is not below. Rejects with Unavailable when that cannot be determined.
   */
  latest(options?: { readonly signal?: AbortSignal }): Eventual<Revision>;

  /** Throws, or rejects with, Compacted or Future when `revision` is not kept or not reached. */
  get(key: string, options?: ReadOptions): Eventual<StoreRecord | undefined>;
  range(range: KeyRange, options?: RangeOptions): Promise<RangeResult>;
  /** Counts the keys that exist in the range, without reading values. */
  count(range: KeyRange, options?: ReadOptions): Promise<number>;

  /**
   * Applies all operations, or none and throws Conflict for the first condition that does not hold. A key occurs at
   * most once. Rejects with TooLarge, TooManyOperations or NoSpace when nothing was written; with Unavailable, or a
   * NoSpace with `isUnknown`, when the outcome is unknown. A transaction whose outcome is unknown is never sent again.
   * Some space is held back for transactions that only delete: they go on when others are refused with NoSpace.
   */
  commit(operations: readonly Operation[]): Promise<CommitResult>;

  /** Throws Compacted or Future, through the iterator's first step, when `after` is not kept or not reached. */
  watch(range: KeyRange, options?: WatchOptions): StoreWatch;

  /** Returns the keys that the store will delete by itself, and when, in milliseconds since 1970. */
  expirations(): Eventual<ReadonlyMap<string, number>>;

  /** Removes history before `revision`, keeping what a read at `revision` needs. Earlier reads then throw Compacted. */
  compact(revision: Revision): Promise<void>;

  /**
   * Time in milliseconds since the engine last reported a change, or that there was none. Absent for a store that is not shared, which
   * has seen everything.
   */
  readonly staleMs?: number;

  /** True when writing the same value again would change what the engine has, for example the key of its encryption. */
  isOutdated?(record: StoreRecord): boolean;

  /** Waits for writes in flight, ends watches, releases the engine. May be called twice. */
  close(): Promise<void>;
}

/** Encodes values for the engine, such as by encryption. Reads return what was written. */
export interface ValueSeal {
  /** Returns the encoded value, or the value itself where there is nothing to hide. Neither is changed. */
  seal(key: string, value: Uint8Array): Uint8Array;
  /** Returns the value that was sealed. Throws, with the reason, when it cannot be decoded. */
  open(key: string, sealed: Uint8Array): Uint8Array;
}

/**
 * Keys and values as they lie in an engine that other programs read and write too. Keys that are not part of the layout are left
 * alone. `pathOf` and `keyOf` are each other's inverse; their orders may differ.
 */
export interface StoreLayout extends ValueSeal {
  /** Returns the engine's key. Throws when the layout has no place for it. */
  pathOf(key: string): string;
  /** Returns the key at a path, or `undefined` when it belongs to another program. */
  keyOf(path: string): string | undefined;
  /** Returns why the store must not be opened beside this path of another program. */
  refusalOf?(path: string): string | undefined;
  /** Called once, before values are read or written, with the newest records of the store, on which values may depend. */
  useRecords?(find: (key: string) => StoreRecord | undefined): void;
  /** True for a value, as `open` returned it, that `seal` would store otherwise now: in another version, or with another key. */
  isOutdated?(value: Uint8Array): boolean;
}

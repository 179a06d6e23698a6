export type { Engine, EngineBatch, LogChange, ValueChange } from './engine/engine.ts';
export { MemoryDisk } from './engine/memory-engine.ts';
export type { StoreFailure, StoreRecordSummary } from './errors.ts';
export { StoreError } from './errors.ts';
export type { KeyRange } from './key-range.ts';
export { keyAfter, prefixRange } from './key-range.ts';
export type { HistoryLimits } from './mvcc/history-size.ts';
export type { StoreOptions } from './open-store.ts';
export { openLmdbStore, openMemoryStore, openStore } from './open-store.ts';
export type { Revision } from './revision.ts';
export { FIRST_REVISION, toRevision } from './revision.ts';
export type {
  CommitResult,
  HistoryUsage,
  Operation,
  RangeOptions,
  RangeResult,
  ReadOptions,
  RecordSelection,
  Store,
  StoreEvent,
  StoreLayout,
  StoreLimits,
  StoreRecord,
  StoreWatch,
  Summarizer,
  Summary,
  SummarySelection,
  ValueSeal,
  WatchBatch,
  WatchOptions,
} from './store.ts';

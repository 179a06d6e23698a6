import type { Revision } from './revision.ts';

/** Why a store refused an operation. A code means the same thing in every backend. */
export type StoreFailure =
  /** A condition of a transaction did not hold; nothing was written. `actual` is absent when the key does not exist. */
  | {
      readonly code: 'Conflict';
      readonly key: string;
      readonly expected: Revision;
      readonly actual?: StoreRecordSummary;
    }
  /** The history before `oldest` is gone. */
  | { readonly code: 'Compacted'; readonly requested: Revision; readonly oldest: Revision }
  /** The store has not reached that revision yet. */
  | { readonly code: 'Future'; readonly requested: Revision; readonly current: Revision }
  | { readonly code: 'TooLarge'; readonly key: string; readonly bytes: number; readonly maxBytes: number }
  | { readonly code: 'TooManyOperations'; readonly operations: number; readonly maxOperations: number }
  | { readonly code: 'InvalidKey'; readonly key: string; readonly problem: string }
  /** The bytes on disk are not those that were written. */
  | { readonly code: 'Corrupt'; readonly key?: string; readonly revision?: Revision; readonly problem: string }
  /** A newer version of Pintle wrote the store. Nothing was changed. */
  | { readonly code: 'NewerFormat'; readonly format: number; readonly supported: number }
  /** No room on the disk. Nothing was written, unless `isUnknown`; reads and compaction go on. */
  | { readonly code: 'NoSpace'; readonly isUnknown?: true }
  /** Another process holds the data directory. */
  | { readonly code: 'Locked'; readonly path: string; readonly holder?: string }
  /**
   * The store was closed, or its disk or its servers did not do what was asked. The outcome of a write in flight is
   * unknown. After a failure of its disk, the store takes no more writes.
   */
  | { readonly code: 'Unavailable'; readonly problem: string };

/** Version of a key that caused a conflict. */
export interface StoreRecordSummary {
  readonly modRevision: Revision;
  readonly version: number;
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: StoreFailure): string {
  switch (failure.code) {
    case 'Conflict':
      return `Cannot write ${JSON.stringify(failure.key)}: expected ${describeExpected(failure.expected)}, found ${
        failure.actual ? `revision ${failure.actual.modRevision}` : 'none'
      }`;
    case 'Compacted':
      return `Cannot read revision ${failure.requested}: history starts at ${failure.oldest}`;
    case 'Future':
      return `Cannot read revision ${failure.requested}: the store is at ${failure.current}`;
    case 'TooLarge':
      return `Cannot write ${JSON.stringify(failure.key)}: ${failure.bytes} bytes are more than ${failure.maxBytes}`;
    case 'TooManyOperations':
      return `Cannot write: ${failure.operations} operations in one transaction are more than ${failure.maxOperations}`;
    case 'InvalidKey':
      return `Cannot use key ${JSON.stringify(failure.key)}: ${failure.problem}`;
    case 'Corrupt':
      return `Cannot read ${failure.key === undefined ? 'the store' : JSON.stringify(failure.key)}: ${failure.problem}`;
    case 'NewerFormat':
      return `Cannot read the store: a newer version of Pintle wrote it, in format ${failure.format}; this version reads up to format ${failure.supported}`;
    case 'NoSpace':
      return `Cannot write: no space is left on the disk${failure.isUnknown ? '; the outcome is unknown' : ''}`;
    case 'Locked':
      return `Cannot open ${failure.path}: it is in use${failure.holder ? ` by ${failure.holder}` : ''}`;
    case 'Unavailable':
      return `Cannot use the store: ${failure.problem}`;
  }
}

function describeExpected(revision: Revision): string {
  return revision === 0 ? 'no record' : `revision ${revision}`;
}

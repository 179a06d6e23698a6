import type { StoreFailure } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { Operation, StoreLimits } from '../store.ts';

/** Question of a mirror. Those of one turn are one message; the answer has the same number. */
export type Question = { readonly id: number } & (
  | { readonly type: 'latest' }
  | { readonly type: 'commit'; readonly operations: readonly Operation[] }
  | { readonly type: 'expirations' }
  | { readonly type: 'compact'; readonly revision: Revision }
);

export interface QuestionsMessage {
  /** True in the first message, which asks for all records too. */
  readonly isFirst?: true;
  readonly questions: readonly Question[];
}

export interface MirroredRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly version: number;
  /** Present when the store said so of the record. */
  readonly isOutdated?: true;
  /** Problem of a record that the store cannot read, and whose value is empty therefore. */
  readonly damage?: string;
}

export interface MirroredTransaction {
  readonly revision: Revision;
  /** A deletion is its key. */
  readonly changes: readonly (Omit<MirroredRecord, 'modRevision'> | string)[];
}

export type Answer = { readonly id: number } & (
  | {
      readonly type: 'done';
      /** Revision that the store had seen by then. */
      readonly revision: Revision;
      readonly expirations?: ReadonlyMap<string, number>;
    }
  | { readonly type: 'refused'; readonly failure: StoreFailure; readonly revision: Revision }
);

/** Part of the reports to a mirror, in order. */
export type Report =
  /** Begins the records at a revision; earlier ones are void. */
  | {
      readonly type: 'load';
      readonly revision: Revision;
      /** Revision of the store at that time. */
      readonly current: Revision;
      readonly limits: StoreLimits;
      readonly isShared: boolean;
    }
  | { readonly type: 'page'; readonly records: readonly MirroredRecord[]; readonly isLast: boolean }
  | { readonly type: 'transaction'; readonly transaction: MirroredTransaction }
  /** There is nothing more up to `revision`, and the store has forgotten what was before `compacted`. */
  | { readonly type: 'progress'; readonly revision: Revision; readonly compacted: Revision }
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'closed'; readonly problem: string };

export type ReportsMessage = readonly Report[];

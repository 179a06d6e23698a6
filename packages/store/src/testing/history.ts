import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { Store, WatchBatch } from '../store.ts';

/** A transaction that really happened, read back from the store afterwards. */
export interface TrueTransaction {
  readonly revision: Revision;
  readonly changes: readonly TrueChange[];
}

export interface TrueChange {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** Empty for a delete. */
  readonly value: string;
}

/** Call of one client and its result, with times of one monotonic clock. */
export interface RecordedCall {
  readonly calledAt: number;
  /** Infinity when no answer came. */
  readonly returnedAt: number;
  readonly action: RecordedAction;
}

export type RecordedAction =
  | {
      readonly type: 'put' | 'delete';
      readonly key: string;
      /** Value of a put: unique in the history, so that a write without an answer can be found again. */
      readonly value: string;
      readonly expected?: number;
      readonly outcome:
        | { readonly type: 'committed'; readonly revision: number }
        /** `actual` is the modRevision that caused the conflict; 0: none. */
        | { readonly type: 'conflict'; readonly actual: number }
        | { readonly type: 'unknown' };
    }
  /** `found` is the modRevision; 0: no such key. */
  | { readonly type: 'get'; readonly key: string; readonly found: number; readonly value: string }
  /** A complete list at `revision`, as [key, modRevision]. */
  | { readonly type: 'list'; readonly revision: number; readonly entries: readonly (readonly [string, number])[] };

/** Reads back all transactions since `after`. */
export async function readTruth(store: Store, after: Revision = 0 as Revision): Promise<TrueTransaction[]> {
  const truth: TrueTransaction[] = [];
  const watch = store.watch({ start: '' }, { after });
  while (watch.progress < store.revision) truth.push(toTransaction((await watch.next()).value!));
  await watch.return?.();
  return truth;
}

/** History of every key, for queries about any revision. */
export class Replay {
  readonly transactions: readonly TrueTransaction[];
  readonly #byKey = new Map<string, { revision: Revision; change: TrueChange }[]>();
  readonly #byRevision: ReadonlyMap<number, TrueTransaction>;

  constructor(transactions: readonly TrueTransaction[]) {
    this.transactions = transactions;
    this.#byRevision = new Map(transactions.map((transaction) => [transaction.revision, transaction]));
    for (const { revision, changes } of transactions)
      for (const change of changes) {
        const past = this.#byKey.get(change.key) ?? [];
        past.push({ revision, change });
        this.#byKey.set(change.key, past);
      }
  }

  get last(): number {
    return this.transactions[this.transactions.length - 1]?.revision ?? 0;
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  changeAt(revision: number, key: string): TrueChange | undefined {
    return this.#byRevision.get(revision)?.changes.find((change) => change.key === key);
  }

  /** Returns the modRevision of `key` right after `revision`; 0: it did not exist. */
  modRevisionAt(key: string, revision: number): number {
    const past = this.#byKey.get(key)?.[this.#indexUpTo(key, revision)];
    return past?.change.type === 'put' ? past.revision : 0;
  }

  /** Returns the next revision after `revision` that changed `key`, or Infinity. */
  nextChange(key: string, revision: number): number {
    return this.#byKey.get(key)?.[this.#indexUpTo(key, revision) + 1]?.revision ?? Number.POSITIVE_INFINITY;
  }

  #indexUpTo(key: string, revision: number): number {
    const past = this.#byKey.get(key) ?? [];
    let low = 0;
    let high = past.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (past[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Parameters of one watch and what it delivered. */
export interface RecordedWatch {
  readonly range: KeyRange;
  readonly after: number;
  readonly steps: readonly RecordedWatchStep[];
}

export type RecordedWatchStep =
  | { readonly type: 'batch'; readonly batch: WatchBatch }
  /** The watch reported that everything up to here had been delivered. */
  | { readonly type: 'progress'; readonly revision: number };

/** Converts a batch. */
export function toTransaction({ revision, events }: WatchBatch): TrueTransaction {
  const changes = events.map(
    (event): TrueChange =>
      event.type === 'put'
        ? { type: 'put', key: event.record.key, value: Buffer.from(event.record.value).toString() }
        : { type: 'delete', key: event.key, value: '' },
  );
  return { revision, changes };
}

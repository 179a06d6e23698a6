import type { KeyRange } from '../key-range.ts';
import type { Version } from '../mvcc/key-history.ts';
import type { Revision } from '../revision.ts';
import type { StoreEvent, WatchBatch } from '../store.ts';
import { rangeFilter } from '../watch/range-table.ts';
import type { HistorySlice } from '../watch/watcher.ts';

/** Effect of a transaction on one key. */
export interface ReplicaChange {
  readonly entry: { readonly key: string };
  readonly version: Version;
  readonly previous: Version | undefined;
}

interface Transaction {
  readonly revision: Revision;
  readonly changes: readonly ReplicaChange[];
}

/** Past transactions, oldest first, for watches that are not live. */
export class ReplicaHistory {
  #transactions: Transaction[] = [];

  /** Revisions only grow. */
  add(revision: Revision, changes: readonly ReplicaChange[]): void {
    this.#transactions.push({ revision, changes });
  }

  /** Removes transactions up to `revision`. */
  forget(revision: Revision): void {
    this.#transactions = this.#transactions.slice(this.#indexAfter(revision));
  }

  /**
   * Returns the matching batches after `after` and up to `to`, or as many as one turn of the event loop should read.
   */
  read(range: KeyRange, after: Revision, to: Revision, toEvent: (change: ReplicaChange) => StoreEvent): HistorySlice {
    const matches = rangeFilter(range);
    const batches: WatchBatch[] = [];
    let visited = 0;
    for (let index = this.#indexAfter(after); index < this.#transactions.length; index++) {
      const { revision, changes } = this.#transactions[index]!;
      if (batches.length >= BATCHES_PER_SLICE || visited >= CHANGES_PER_SLICE)
        return { batches, through: this.#transactions[index - 1]!.revision };
      visited += changes.length;
      const events = changes.filter(({ entry }) => matches(entry.key)).map(toEvent);
      if (events.length > 0) batches.push({ revision, events });
    }
    return { batches, through: to };
  }

  /** Returns the index of the first transaction after `revision`. */
  #indexAfter(revision: Revision): number {
    let low = 0;
    let high = this.#transactions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#transactions[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const BATCHES_PER_SLICE = 64;
const CHANGES_PER_SLICE = 1000;

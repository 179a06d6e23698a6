import type { KeyRange } from '../key-range.ts';
import type { Version } from '../mvcc/key-history.ts';
import type { Revision } from '../revision.ts';
import type { StoreEvent, WatchBatch } from '../store.ts';
import { rangeFilter } from '../watch/range-table.ts';
import type { HistorySlice } from '../watch/watcher.ts';

/** What a transaction did to one key. */
export interface ReplicaChange {
  readonly entry: { readonly key: string };
  readonly version: Version;
  readonly previous: Version | undefined;
}

interface Transaction {
  readonly revision: Revision;
  readonly changes: readonly ReplicaChange[];
}

/** The transactions of the past, oldest first, for watches that are not live. */
export class ReplicaHistory {
  #transactions: Transaction[] = [];

  /** Revisions only grow. */
  add(revision: Revision, changes: readonly ReplicaChange[]): void {
    this.#transactions.push({ revision, changes });
  }

  /** What was up to `revision` is not asked for any more. */
  forget(revision: Revision): void {
    this.#transactions = this.#transactions.slice(this.#placeAfter(revision));
  }

  /** What matches after `after` and up to `to`, or as much of it as one turn of the event loop should do. */
  read(range: KeyRange, after: Revision, to: Revision, toEvent: (change: ReplicaChange) => StoreEvent): HistorySlice {
    const matches = rangeFilter(range);
    const batches: WatchBatch[] = [];
    let visited = 0;
    for (let place = this.#placeAfter(after); place < this.#transactions.length; place++) {
      const { revision, changes } = this.#transactions[place]!;
      if (batches.length >= BATCHES_PER_SLICE || visited >= CHANGES_PER_SLICE)
        return { batches, through: this.#transactions[place - 1]!.revision };
      visited += changes.length;
      const events = changes.filter(({ entry }) => matches(entry.key)).map(toEvent);
      if (events.length > 0) batches.push({ revision, events });
    }
    return { batches, through: to };
  }

  /** The place of the first transaction after `revision`. */
  #placeAfter(revision: Revision): number {
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

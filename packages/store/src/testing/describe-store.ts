import { SteppedClock } from '@pintle/async';
import { describe } from 'vitest';
import type { StoreOptions } from '../open-store.ts';
import type { Store } from '../store.ts';
import { describeCompaction } from './describe-compaction.ts';
import { describeClosing, describeEngineLeases, describeLeases } from './describe-lifetime.ts';
import { describeReads } from './describe-reads.ts';
import { describeTransactions } from './describe-transactions.ts';
import { describeWatches } from './describe-watches.ts';

/** Opens a new, empty store. The case closes it. */
export type OpenEmptyStore = (options?: StoreOptions) => Promise<Store>;

export interface StoreSuiteOptions {
  /** Clock that ends leases: that of the options, or the engine's, which may round up. */
  readonly expiry?: 'clock' | 'engine';
}

/** Suite of everything that `Store` promises, which any implementation must pass. */
export function describeStore(name: string, open: OpenEmptyStore, { expiry = 'clock' }: StoreSuiteOptions = {}): void {
  describe(name, () => {
    describeTransactions(open);
    describeReads(open);
    describeWatches(open);
    describeCompaction(open);
    if (expiry === 'clock') describeLeases(open, () => new SteppedClock());
    else describeEngineLeases(open);
    describeClosing(open);
  });
}

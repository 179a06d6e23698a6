import { type Clock, realClock } from '@pintle/async';
import type { Engine } from './engine/engine.ts';
import { type MemoryDisk, MemoryEngine } from './engine/memory-engine.ts';
import type { HistoryLimits } from './mvcc/history-size.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import type { Store, StoreLimits, ValueSeal } from './store.ts';

export interface StoreOptions {
  /** Where leases take their time from. Default: the machine's clock. */
  readonly clock?: Clock;
  /** The largest value a write may have. Default: 1.5 MiB. */
  readonly maxValueBytes?: number;
  /** The most operations of a transaction. Default: any number. */
  readonly maxOperations?: number;
  /** The most bytes of a transaction, keys and values. Default: any number. */
  readonly maxBytes?: number;
  /** How values lie in the engine. Default: as they were written. */
  readonly seal?: ValueSeal;
  /** How much history may take. Default: 128 MiB of memory and 1 GiB of values. */
  readonly history?: HistoryLimits;
}

/** A store that lives as long as the process, for tests and throw-away control planes. */
export function openMemoryStore(options: StoreOptions & { readonly disk?: MemoryDisk } = {}): Promise<Store> {
  return openStore(new MemoryEngine(options.disk), options);
}

/**
 * Opens the store in a directory of its own and creates it when there is none. Throws Locked when another store has the
 * directory open, in this process or another; Corrupt when its files are damaged.
 */
export async function openLmdbStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  // Native code, which a store in memory does without.
  const { JournaledEngine } = await import('./engine/journaled-engine.ts');
  return openStore(await JournaledEngine.open(directory), options);
}

/** A store over an engine of one's own. The store closes the engine, also when it cannot open it. */
export async function openStore(engine: Engine, options: StoreOptions = {}): Promise<Store> {
  const { clock = realClock, seal, history } = options;
  try {
    return await MvccStore.open(engine, { clock, limits: limitsOf(options), seal, history });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const DEFAULT_MAX_VALUE_BYTES = 1.5 * 1024 * 1024;

function limitsOf(options: StoreOptions): StoreLimits {
  const { maxValueBytes = DEFAULT_MAX_VALUE_BYTES } = options;
  const { maxOperations = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options;
  return { maxValueBytes, maxOperations, maxBytes };
}

import { type Clock, realClock } from '@pintle/async';
import type { Engine } from './engine/engine.ts';
import { type MemoryDisk, MemoryEngine } from './engine/memory-engine.ts';
import type { HistoryLimits } from './mvcc/history-size.ts';
import { MvccStore } from './mvcc/mvcc-store.ts';
import type { Store, StoreLimits, ValueSeal } from './store.ts';

export interface StoreOptions {
  /** Clock of leases. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Largest value of a write. Default: 1.5 MiB. */
  readonly maxValueBytes?: number;
  /** Most operations of a transaction. Default: unlimited. */
  readonly maxOperations?: number;
  /** Most bytes of a transaction, keys and values. Default: unlimited. */
  readonly maxBytes?: number;
  /** Encoding of values in the engine. Default: as written. */
  readonly seal?: ValueSeal;
  /** Limits of history. Default: 128 MiB of memory and 1 GiB of values. */
  readonly history?: HistoryLimits;
}

/** Opens a store that lives as long as the process, for tests and throw-away control planes. */
export function openMemoryStore(options: StoreOptions & { readonly disk?: MemoryDisk } = {}): Promise<Store> {
  return openStore(new MemoryEngine(options.disk), options);
}

/**
 * Opens the store in a directory, and creates it if necessary. Throws Locked when another store has the directory open,
 * in this process or another; Corrupt when its files are damaged.
 */
export async function openLmdbStore(directory: string, options: StoreOptions = {}): Promise<Store> {
  // Native code, which a memory store does not need.
  const { JournaledEngine } = await import('./engine/journaled-engine.ts');
  return openStore(await JournaledEngine.open(directory), options);
}

/** Opens a store over a given engine. The store closes the engine, also when it cannot open it. */
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

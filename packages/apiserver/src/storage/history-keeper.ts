import type { Clock } from '@pintle/async';
import type { Revision, Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { onAbort } from '../request/request-end.ts';

/** Default interval of compactions, as in Kubernetes. */
const INTERVAL_MS = 5 * 60_000;

interface HistoryKeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Interval of compactions; 0 leaves them to the limits of the store. Default: 5 minutes. */
  readonly intervalMs?: number | undefined;
  /** Time for which history is kept at least. Default: one interval. */
  readonly keepMs?: number | undefined;
}

/** Bound of the revisions that are remembered with their time: a longer history is compacted in longer intervals. */
const MAX_MARKS = 2_000;

/** A revision that the store had at a time. */
interface Mark {
  readonly ms: number;
  readonly revision: Revision;
}

/** No group has such a name. */
const ORIGIN = '_pintle/history/origin';

/**
 * Marks the start of history in a store that just got its first objects, and returns its revision. The first
 * resourceVersions are too old from the start, as in a real cluster.
 */
export async function beginHistory(store: Store, clock: Clock): Promise<Revision> {
  const value = Buffer.from(JSON.stringify({ origin: clock.now() }));
  const { revision } = await store.commit([{ type: 'put', key: ORIGIN, value }]);
  return revision;
}

/**
 * Compacts all history but that of the last one to two intervals, or of a longer time and an interval: older watches and pages start
 * over. Does nothing for a shared store, whose servers agree on compaction by themselves. The store compacts sooner when its
 * history exceeds its limit. A restart begins the time anew: what was written before it is kept as long again.
 */
export class HistoryKeeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #keepMs: number;
  readonly #begin: Revision;

  /** Compacts history before `begin` at once. */
  constructor({ store, clock, intervalMs = INTERVAL_MS, keepMs = 0 }: HistoryKeeperOptions, begin = 0 as Revision) {
    this.#begin = begin;
    this.#store = store;
    this.#clock = clock;
    this.#intervalMs = intervalMs === 0 ? 0 : Math.max(intervalMs, keepMs / MAX_MARKS);
    this.#keepMs = Math.max(keepMs, this.#intervalMs);
  }

  /** Resolves once `signal` has aborted. Rejects when the store fails. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const store = this.#store;
    if (store.isShared) return;
    await this.#forgetBefore(this.#begin);
    if (this.#intervalMs === 0) return;
    const marks: Mark[] = [];
    for (;;) {
      marks.push({ ms: this.#clock.monotonic(), revision: store.revision });
      await this.#pause(signal);
      if (signal.aborted) return;
      const before = this.#clock.monotonic() - this.#keepMs;
      const old = marks.filter(({ ms }) => ms <= before).length;
      const [last] = marks.splice(0, old).slice(-1);
      if (last !== undefined) await this.#forgetBefore(last.revision);
    }
  }

  /**
   * Compacts up to a revision. Without disk space for that, tries again next time; the store also compacts when a write
   * needs space.
   */
  async #forgetBefore(revision: Revision): Promise<void> {
    if (revision <= this.#store.compactedRevision) return;
    try {
      await this.#store.compact(revision);
    } catch (error) {
      if (!(error instanceof StoreError && error.failure.code === 'NoSpace')) throw error;
    }
  }

  /** Sleeps without keeping the process alive. */
  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(this.#intervalMs, () => {
        unlisten();
        resolve();
      });
      const unlisten = onAbort(signal, () => {
        timer.cancel();
        resolve();
      });
    });
  }
}

import type { Clock } from '@pintle/async';
import type { Revision, Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import { onAbort } from '../request/request-end.ts';

/** As long as Kubernetes keeps it. */
const KEEP_MS = 5 * 60_000;

/** No group has such a name. */
const ORIGIN = '_pintle/history/origin';

/**
 * Marks where the history of a store begins that has just been given its first objects. Nobody can have seen what was
 * before, so the first resource versions are too old from the start, as they are in any real cluster.
 */
export async function beginHistory(store: Store, clock: Clock): Promise<Revision> {
  const value = Buffer.from(JSON.stringify({ origin: clock.now() }));
  const { revision } = await store.commit([{ type: 'put', key: ORIGIN, value }]);
  return revision;
}

/**
 * Lets the store forget its past, unless it is shared, for then those who share it agree on that between themselves: all but the last five to ten minutes: watches and pages older than that start over. The
 * store itself forgets sooner when its history takes more than it may.
 */
export class HistoryKeeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #begin: Revision;

  /** What was before `begin` is forgotten at once. */
  constructor(options: { readonly store: Store; readonly clock: Clock }, begin = 0 as Revision) {
    this.#begin = begin;
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** Resolves once `signal` has aborted. Rejects when the store fails. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const store = this.#store;
    if (store.isShared) return;
    await this.#forgetBefore(this.#begin);
    for (let known = store.revision; ; ) {
      await this.#pause(signal);
      if (signal.aborted) return;
      const now = store.revision;
      await this.#forgetBefore(known);
      known = now;
    }
  }

  /** History that there is no space to forget now is forgotten the next time, or by the store when somebody needs room. */
  async #forgetBefore(revision: Revision): Promise<void> {
    if (revision <= this.#store.compactedRevision) return;
    try {
      await this.#store.compact(revision);
    } catch (error) {
      if (!(error instanceof StoreError && error.failure.code === 'NoSpace')) throw error;
    }
  }

  /** Unlike a sleep it does not keep the process alive. */
  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(KEEP_MS, () => {
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

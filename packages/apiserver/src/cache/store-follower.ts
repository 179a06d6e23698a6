import type { Runnable } from '@pintle/async';
import type { KeyRange, Revision, Store, StoreRecord, StoreWatch, WatchBatch } from '@pintle/store';
import { StoreError } from '@pintle/store';

/** State derived from a range of the store, updated with every change. */
export interface StoreView {
  /** Drops everything: all records follow again. */
  clear(): void;
  put(record: StoreRecord): void;
  /** `record` is the last version before the delete. */
  remove(record: StoreRecord): void;
}

/**
 * Keeps a view up to date with a range of the store. A batch is applied in the callback that delivers it, before its
 * writer is acknowledged, so the view always has every acknowledged write.
 */
export class StoreFollower implements Runnable {
  readonly #store: Store;
  readonly #range: KeyRange;
  readonly #view: StoreView;
  #watch: StoreWatch | undefined;
  #after = 0 as Revision;
  #waiting: (() => void)[] = [];
  readonly #mustBeWhole: boolean;
  /** Reason why a record cannot be read. */
  #damage: StoreError | undefined;
  /** Reason why the view is no longer updated. Reads reject with it rather than return old data. */
  #end: Error | undefined;

  /** `mustBeWhole`: reads reject while a record is damaged; otherwise damaged records count as absent. */
  constructor(store: Store, range: KeyRange, view: StoreView, { mustBeWhole = false } = {}) {
    this.#store = store;
    this.#mustBeWhole = mustBeWhole;
    this.#range = range;
    this.#view = view;
  }

  async load(): Promise<void> {
    let damage: StoreError | undefined;
    const onDamaged = (error: StoreError): void => {
      damage ??= error;
    };
    const { records, revision } = await this.#store.range(this.#range, { onDamaged });
    this.#damage = this.#mustBeWhole ? damage : undefined;
    this.#view.clear();
    for (const record of records) this.#view.put(record);
    this.#after = revision;
  }

  /**
   * Returns `undefined` when the view is up to date, which it nearly always is; else a promise. Rejects once following
   * has ended.
   */
  caughtUp(): Promise<void> | undefined {
    const refusal = this.#end ?? this.#damage;
    if (refusal !== undefined) return Promise.reject(refusal);
    const wanted = this.#store.revision;
    return this.#isBehind(wanted) ? this.#reach(wanted) : undefined;
  }

  /** Like `caughtUp`, without waiting. */
  get isCaughtUp(): boolean {
    return this.#end === undefined && this.#damage === undefined && !this.#isBehind(this.#store.revision);
  }

  /** Follows the store until `signal` aborts. Call `load` first. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      await this.#followOn(signal);
    } catch (cause) {
      this.#end = new Error('Cannot read the view of the store: watching the store failed', { cause });
      throw cause;
    } finally {
      this.#end ??= new Error('Cannot read the view of the store: the watch has ended');
      this.#wake();
    }
  }

  /** Loads everything again when history was compacted before it was read, or cannot be read. */
  async #followOn(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#follow(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isHistoryLost(error)) throw error;
        await this.load();
        this.#wake();
      }
    }
  }

  #follow(signal: AbortSignal): Promise<void> {
    const watch = this.#store.watch(this.#range, { after: this.#after, signal });
    this.#watch = watch;
    return new Promise((resolve, reject) => {
      const step = (): void => {
        watch
          .next()
          .then(({ done, value }) => {
            if (done) return resolve();
            this.#take(value);
            step();
          })
          .catch(reject);
      };
      step();
    });
  }

  #take({ events, revision }: WatchBatch): void {
    for (const event of events) {
      if (event.type === 'put') this.#view.put(event.record);
      else this.#view.remove(event.previous);
    }
    this.#after = revision;
    this.#wake();
  }

  #isBehind(wanted: Revision): boolean {
    return this.#after < wanted && (this.#watch === undefined || this.#watch.progress < wanted);
  }

  async #reach(wanted: Revision): Promise<void> {
    while (this.#isBehind(wanted)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (this.#end !== undefined) throw this.#end;
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** True when past events are lost while the present objects can still be listed. */
export function isHistoryLost(error: unknown): boolean {
  return error instanceof StoreError && (error.failure.code === 'Compacted' || error.failure.code === 'Corrupt');
}

import type { Revision } from '../revision.ts';

/**
 * Stores bytes. An engine knows nothing of keys, history or watches: it holds two ordered tables and applies one batch
 * at a time, atomically and durably.
 *
 * - `log`: by revision, one entry per flushed batch of transactions; entry 0 is the store's own record.
 * - `values`: by revision and sub, the bytes of one write.
 */
export interface Engine {
  /** Time that a batch gathers writers before it starts: the microtasks queued before it, or all that are due. */
  readonly gather: 'microtask' | 'tick';

  /** True when values that `readValue` returns are in memory anyway, so that holding them takes no more. */
  readonly holdsValues: boolean;

  /** Returns a copy that stays valid. */
  readValue(revision: Revision, sub: number): Uint8Array | undefined;

  /**
   * Visits log entries from the last one at or before `from` until `visit` returns false. `bytes` is valid only during
   * the visit; no write of this engine is issued meanwhile.
   */
  scanLog(from: Revision, visit: (revision: Revision, bytes: Buffer) => boolean): void;

  /**
   * Resolves once the batch is durable. Rejects with StoreError NoSpace when none of it was applied and more may be
   * tried; with anything else when the outcome is unknown, after which the engine must not be written to again. The
   * next call comes after this one has settled.
   */
  write(batch: EngineBatch): Promise<void>;

  /** Called once, with no write under way. */
  close(): Promise<void>;
}

/** Changes that become durable together. `bytes: undefined` removes. */
export interface EngineBatch {
  readonly log: readonly LogChange[];
  readonly values: readonly ValueChange[];
  /** The batch frees space: it may use all space that is held back from others. */
  readonly reclaims?: boolean;
  /** The batch only deletes, so that space can be freed later: it may use space that is held back from other writes. */
  readonly isForDeletion?: boolean;
}

export interface LogChange {
  readonly revision: Revision;
  readonly bytes: Uint8Array | undefined;
}

export interface ValueChange {
  readonly revision: Revision;
  readonly sub: number;
  readonly bytes: Uint8Array | undefined;
}

import type { Revision } from '../revision.ts';

/**
 * Where bytes are kept. An engine knows nothing of keys, history or watches: it holds two ordered tables and applies
 * one batch at a time, whole and durably.
 *
 * - `log`: by revision, one entry per flushed batch of transactions; entry 0 is the store's own record.
 * - `values`: by revision and sub, the bytes of one write.
 */
export interface Engine {
  /** How long a batch gathers writers before it starts: of the current microtasks those before it, or all that are due. */
  readonly gather: 'microtask' | 'tick';

  /** What `readValue` gives is in the memory of this process anyway: to hold on to it takes no room. */
  readonly holdsValues: boolean;

  /** A copy that stays valid. */
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
  /** This batch makes room: it may use all space that is held back from others. */
  readonly reclaims?: boolean;
  /** This batch only deletes, which lets room be made later: it may use space that is held back from other writes. */
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

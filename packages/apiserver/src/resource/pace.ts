import type { Eventual } from '@pintle/async';
import { ownTurn } from '@pintle/async';
import type { SharedTurn } from './in-turns.ts';

/** To look at all of an object of so many bytes takes some milliseconds, often ten times in a request. */
export const LARGE_BYTES = 64 * 1024;

/**
 * Lets others go first while a request works on a large object: what reads, copies, compares or writes all of it is done
 * in turns of its own. Requests for anything smaller are never put off.
 */
export class Pace {
  /** The turn that the expressions of all policies and webhooks share. */
  readonly turn: SharedTurn = {};
  #bytes = 0;

  /** Something of this size is worked on. */
  weigh(bytes: number): void {
    this.#bytes = Math.max(this.#bytes, bytes);
  }

  get isLarge(): boolean {
    return this.#bytes > LARGE_BYTES;
  }

  /** To be awaited between one look at all of the object and the next. */
  pause(): Eventual<void> {
    return this.isLarge ? ownTurn() : undefined;
  }
}

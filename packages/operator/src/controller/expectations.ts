import type { Clock } from '@pintle/async';
import { realClock } from '@pintle/async';

export interface ExpectationsOptions {
  readonly clock?: Clock;
  /** What has not been heard by then never will be. Default: 5 minutes. */
  readonly timeoutMs?: number;
}

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

const TIMEOUT_MS = 300_000;

/**
 * What a controller has done and not heard back of, by the key of the object it was done for. Reconciles read what they
 * wrote, so they rarely need it: it is for what a cache cannot show, such as objects that others make on one's behalf.
 *
 *     expectations.expect(key, { creations: 3 });
 *     // in a watch's map: expectations.created(key);
 *     if (!expectations.areMet(key)) return;
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #byKey = new Map<string, Expected>();

  constructor({ clock = realClock, timeoutMs = TIMEOUT_MS }: ExpectationsOptions = {}) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Replaces what was expected before. Say it before doing it, so that nothing is heard too early. */
  expect(key: string, { creations = 0, deletions = [] }: { creations?: number; deletions?: Iterable<string> }): void {
    this.#byKey.set(key, { creations, deletions: new Set(deletions), sinceMs: this.#clock.monotonic() });
  }

  /** One of the objects was heard of, or will not come. */
  created(key: string): void {
    const expected = this.#byKey.get(key);
    if (expected !== undefined && expected.creations > 0) expected.creations--;
  }

  /** The object of that uid is gone, or will not go. */
  deleted(key: string, uid: string): void {
    this.#byKey.get(key)?.deletions.delete(uid);
  }

  /** Everything was heard, or has been waited for long enough. */
  areMet(key: string): boolean {
    const expected = this.#byKey.get(key);
    if (expected === undefined) return true;
    const isHeard = expected.creations === 0 && expected.deletions.size === 0;
    return isHeard || this.#clock.monotonic() - expected.sinceMs >= this.#timeoutMs;
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

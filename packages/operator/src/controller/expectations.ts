import type { Clock } from '@pintle/async';
import { realClock } from '@pintle/async';

export interface ExpectationsOptions {
  readonly clock?: Clock;
  /** Time after which expectations count as met. Default: 5 minutes. */
  readonly timeoutMs?: number;
}

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

const TIMEOUT_MS = 300_000;

/**
 * Creations and deletions that a controller has requested and not observed yet, by the key of the object. Reconciles read
 * their own writes, so they rarely need it: it is for changes by other processes, such as objects that another controller
 * creates.
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

  /** Replaces earlier expectations of the key. Call it before the writes, so that no event is missed. */
  expect(key: string, { creations = 0, deletions = [] }: { creations?: number; deletions?: Iterable<string> }): void {
    this.#byKey.set(key, { creations, deletions: new Set(deletions), sinceMs: this.#clock.monotonic() });
  }

  /** Called when one of the objects was observed, or its creation failed. */
  created(key: string): void {
    const expected = this.#byKey.get(key);
    if (expected !== undefined && expected.creations > 0) expected.creations--;
  }

  /** Called when the object with that uid is gone, or its deletion failed. */
  deleted(key: string, uid: string): void {
    this.#byKey.get(key)?.deletions.delete(uid);
  }

  /** True when everything was observed, or the timeout has passed. */
  areMet(key: string): boolean {
    const expected = this.#byKey.get(key);
    if (expected === undefined) return true;
    const isObserved = expected.creations === 0 && expected.deletions.size === 0;
    return isObserved || this.#clock.monotonic() - expected.sinceMs >= this.#timeoutMs;
  }

  /** Called when the object is gone. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}

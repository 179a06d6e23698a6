import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';

/** A silent watch may be quiet or dead. Where nobody probes the connection, it is given up after so long. */
const SILENCE_MS = 25_000;
/** Where the connection is probed, only a server that used to send bookmarks and no longer does is suspect. */
const PROBED_SILENCE_MS = 150_000;

/** Ends a watch that has fallen silent. The watch is then resumed where it stopped, which costs little. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #isProbed: boolean;
  #heardMs: number;
  #knowsBookmarks = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, signal: AbortSignal, { isProbed }: { readonly isProbed: boolean }) {
    this.#clock = clock;
    this.#outer = signal;
    this.#isProbed = isProbed;
    this.#heardMs = clock.monotonic();
    if (signal.aborted) this.#abort.abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  hear(isBookmark: boolean): void {
    this.#heardMs = this.#clock.monotonic();
    this.#knowsBookmarks ||= isBookmark;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#abort.abort(new ClientError({ code: 'Closed', what: 'the watch' }));
  }

  #wait(): void {
    const limitMs = this.#isProbed ? PROBED_SILENCE_MS : SILENCE_MS;
    const leftMs = limitMs - (this.#clock.monotonic() - this.#heardMs);
    this.#timer = this.#clock.setTimer(Math.max(leftMs, 1), () => {
      const silentMs = this.#clock.monotonic() - this.#heardMs;
      if (silentMs < limitMs || (this.#isProbed && !this.#knowsBookmarks)) {
        if (silentMs >= limitMs) this.#heardMs = this.#clock.monotonic();
        this.#wait();
      } else
        this.#abort.abort(new ClientError({ code: 'TimedOut', what: 'an event or a bookmark', afterMs: silentMs }));
    });
  }

  readonly #onAbort = (): void => this.#abort.abort(this.#outer.reason);
}

import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';

/** A silent watch may be quiet or dead. Where nobody probes the connection, it is given up after so long. */
const SILENCE_MS = 25_000;
/** Where the connection is probed, only a server that used to send bookmarks and no longer does is suspect, after so
 * many times as long as it used to take, and at most so long. */
const MISSED_BOOKMARKS = 2.5;
const PROBED_SILENCE_MS = 150_000;

/** Ends a watch that has fallen silent. The watch is then resumed where it stopped, which costs little. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  #heardMs: number;
  /** The server has begun to answer, on a connection that is probed. */
  #isProbed = false;
  #bookmarkMs: number | undefined;
  /** The longest time between two bookmarks. */
  #bookmarkGapMs: number | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#outer = signal;
    this.#heardMs = clock.monotonic();
    if (signal.aborted) this.#abort.abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The answer has begun. Until then silence is suspect on every connection. */
  open({ isProbed }: { readonly isProbed: boolean }): void {
    this.#isProbed = isProbed;
    this.#heardMs = this.#clock.monotonic();
  }

  /** `isBookmark`: one of those that come time after time, not the one that ends the first events. */
  hear(isBookmark: boolean): void {
    const nowMs = this.#clock.monotonic();
    this.#heardMs = nowMs;
    if (!isBookmark) return;
    if (this.#bookmarkMs !== undefined)
      this.#bookmarkGapMs = Math.max(this.#bookmarkGapMs ?? 0, nowMs - this.#bookmarkMs);
    this.#bookmarkMs = nowMs;
  }

  /** The watch is of no use any more. */
  end(error: ClientError): void {
    this.#abort.abort(error);
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#abort.abort(new ClientError({ code: 'Closed', what: 'the watch' }));
  }

  /** How long silence is fine. */
  get #limitMs(): number {
    if (!this.#isProbed) return SILENCE_MS;
    if (this.#bookmarkMs === undefined) return Number.POSITIVE_INFINITY;
    const usualMs = this.#bookmarkGapMs === undefined ? PROBED_SILENCE_MS : this.#bookmarkGapMs * MISSED_BOOKMARKS;
    return Math.min(PROBED_SILENCE_MS, Math.max(SILENCE_MS, usualMs));
  }

  #wait(): void {
    const leftMs = this.#limitMs - (this.#clock.monotonic() - this.#heardMs);
    this.#timer = this.#clock.setTimer(Math.min(Math.max(leftMs, 1), PROBED_SILENCE_MS), () => {
      const silentMs = this.#clock.monotonic() - this.#heardMs;
      if (silentMs < this.#limitMs) this.#wait();
      else
        this.#abort.abort(
          new ClientError({ code: 'TimedOut', what: 'an event or a bookmark', afterMs: Math.round(silentMs) }),
        );
    });
  }

  readonly #onAbort = (): void => this.#abort.abort(this.#outer.reason);
}

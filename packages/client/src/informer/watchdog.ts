import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';

/** A silent watch may be quiet or dead. Without probes of the connection, it is aborted after this time. */
const SILENCE_MS = 25_000;
/** With probes, a watch is aborted only when its bookmarks stop: after 2.5 times their longest interval, at most 150 s. */
const MISSED_BOOKMARKS = 2.5;
const PROBED_SILENCE_MS = 150_000;

/** Aborts a watch that stalls. The reflector then resumes it where it stopped, which costs little. */
export class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  #lastEventMs: number;
  /** True once the response has begun on a connection that is probed. */
  #isProbed = false;
  #bookmarkMs: number | undefined;
  /** Longest time between two bookmarks. */
  #bookmarkGapMs: number | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#outer = signal;
    this.#lastEventMs = clock.monotonic();
    if (signal.aborted) this.#abort.abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Called when the response has begun. Until then the limit without probes applies. */
  open({ isProbed }: { readonly isProbed: boolean }): void {
    this.#isProbed = isProbed;
    this.#lastEventMs = this.#clock.monotonic();
  }

  /** `isBookmark`: there was a periodic bookmark among the events, not the one that ends the initial events. */
  noteEvents(isBookmark: boolean): void {
    const nowMs = this.#clock.monotonic();
    this.#lastEventMs = nowMs;
    if (!isBookmark) return;
    if (this.#bookmarkMs !== undefined)
      this.#bookmarkGapMs = Math.max(this.#bookmarkGapMs ?? 0, nowMs - this.#bookmarkMs);
    this.#bookmarkMs = nowMs;
  }

  /** Aborts the watch with an error. */
  abort(error: ClientError): void {
    this.#abort.abort(error);
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#abort.abort(new ClientError({ code: 'Closed', what: 'the watch' }));
  }

  /** Time without events after which the watch is aborted. */
  get #limitMs(): number {
    if (!this.#isProbed) return SILENCE_MS;
    if (this.#bookmarkMs === undefined) return Number.POSITIVE_INFINITY;
    const usualMs = this.#bookmarkGapMs === undefined ? PROBED_SILENCE_MS : this.#bookmarkGapMs * MISSED_BOOKMARKS;
    return Math.min(PROBED_SILENCE_MS, Math.max(SILENCE_MS, usualMs));
  }

  #wait(): void {
    const leftMs = this.#limitMs - (this.#clock.monotonic() - this.#lastEventMs);
    this.#timer = this.#clock.setTimer(Math.min(Math.max(leftMs, 1), PROBED_SILENCE_MS), () => {
      const silentMs = this.#clock.monotonic() - this.#lastEventMs;
      if (silentMs < this.#limitMs) this.#wait();
      else
        this.#abort.abort(
          new ClientError({
            code: 'TimedOut',
            what: 'the next watch event or bookmark',
            afterMs: Math.round(silentMs),
          }),
        );
    });
  }

  readonly #onAbort = (): void => this.#abort.abort(this.#outer.reason);
}

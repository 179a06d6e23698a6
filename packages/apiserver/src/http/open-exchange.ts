import type { Clock } from '@pintle/async';

/** A request that is being answered, as the listener sees it. */
export class OpenExchange {
  readonly #gone = new AbortController();
  readonly #clock: Clock;
  readonly #cut: () => void;
  #blockedSinceMs = Number.POSITIVE_INFINITY;

  /** `cut` ends the connection, or the stream of an HTTP/2 connection, at once. */
  constructor(clock: Clock, cut: () => void) {
    this.#clock = clock;
    this.#cut = cut;
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  readonly leave = (): void => this.abort('The client is gone');

  abort(why: string): void {
    this.#gone.abort(new Error(why));
  }

  /** Waits for the client to take something. */
  readonly blocked = async (taken: Promise<void>): Promise<void> => {
    this.#blockedSinceMs = this.#clock.monotonic();
    await taken;
    this.#blockedSinceMs = Number.POSITIVE_INFINITY;
  };

  /** Cuts the connection when the client has taken nothing since then. */
  cutIfBlockedSince(timeMs: number): void {
    if (this.#blockedSinceMs < timeMs) this.#cut();
  }
}

import { type Clock, runInNextTurn, type Timer } from '@pintle/async';

/** Time without data after which a ping is sent. */
const PROBE_AFTER_MS = 15_000;
/** Timeout of the ping. */
const PROBE_TIMEOUT_MS = 10_000;

interface LivenessOptions {
  readonly clock: Clock;
  /** Anything that the server then sends counts as a response. */
  readonly ping: () => void;
  readonly onTimeout: (error: Error) => void;
}

/** Finds dead connections with pings: watches would otherwise wait for ever. */
export class Liveness {
  readonly #options: LivenessOptions;
  #lastActivityAt: number;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#lastActivityAt = options.clock.monotonic();
  }

  start(): void {
    this.noteActivity();
    this.#watch();
  }

  noteActivity(): void {
    this.#lastActivityAt = this.#options.clock.monotonic();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #watch(): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    const silentMs = clock.monotonic() - this.#lastActivityAt;
    this.#timer = clock.setTimer(Math.max(PROBE_AFTER_MS - silentMs, 1), () => {
      if (clock.monotonic() - this.#lastActivityAt < PROBE_AFTER_MS) this.#watch();
      else this.#ping();
    });
  }

  #ping(): void {
    const { clock, ping } = this.#options;
    const sentAt = clock.monotonic();
    ping();
    // A process that was suspended has not read yet what arrived meanwhile.
    this.#timer = clock.setTimer(PROBE_TIMEOUT_MS, () => runInNextTurn(() => this.#check(sentAt)));
  }

  #check(sentAt: number): void {
    if (this.#isStopped) return;
    if (this.#lastActivityAt >= sentAt) this.#watch();
    else this.#options.onTimeout(new Error(`no response to a ping within ${PROBE_TIMEOUT_MS} ms`));
  }
}

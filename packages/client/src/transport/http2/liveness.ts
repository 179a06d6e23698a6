import { type Clock, inNextTurn, type Timer } from '@pintle/async';

/** A connection that was silent for so long is asked whether it lives. */
const PROBE_AFTER_MS = 15_000;
/** So long it may take to answer. */
const PROBE_TIMEOUT_MS = 10_000;

interface LivenessOptions {
  readonly clock: Clock;
  /** Anything the other end then sends is an answer. */
  readonly ask: () => void;
  readonly giveUp: (error: Error) => void;
}

/** Notices that the other end is gone without a word, which would leave watches waiting for ever. */
export class Liveness {
  readonly #options: LivenessOptions;
  #heardAt: number;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#heardAt = options.clock.monotonic();
  }

  start(): void {
    this.hear();
    this.#watch();
  }

  hear(): void {
    this.#heardAt = this.#options.clock.monotonic();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #watch(): void {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    const silentMs = clock.monotonic() - this.#heardAt;
    this.#timer = clock.setTimer(Math.max(PROBE_AFTER_MS - silentMs, 1), () => {
      if (clock.monotonic() - this.#heardAt < PROBE_AFTER_MS) this.#watch();
      else this.#ask();
    });
  }

  #ask(): void {
    const { clock, ask } = this.#options;
    const askedAt = clock.monotonic();
    ask();
    // A program that was stopped for a while has not read yet what came meanwhile.
    this.#timer = clock.setTimer(PROBE_TIMEOUT_MS, () => inNextTurn(() => this.#judge(askedAt)));
  }

  #judge(askedAt: number): void {
    if (this.#isStopped) return;
    if (this.#heardAt >= askedAt) this.#watch();
    else this.#options.giveUp(new Error(`no answer to a ping for ${PROBE_TIMEOUT_MS} ms`));
  }
}

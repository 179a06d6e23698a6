import type { Random } from './random.ts';

export interface BackoffOptions {
  /** First wait. */
  readonly initialMs: number;
  /** Longest wait. */
  readonly maxMs: number;
  /** Factor by which each wait is longer than the one before. Default 2. */
  readonly factor?: number;
  /**
   * Random part of each wait, from 0 to 1, so that clients that failed together do not retry together. 0.2 gives between
   * 80 % and 100 % of the wait. Default 0.
   */
  readonly jitter?: number;
  readonly random: Random;
}

/** Computes the wait before the next try: longer after each failure, and from the start again after `reset`. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = { factor: 2, jitter: 0, ...options };
    this.#nextMs = Math.min(options.initialMs, options.maxMs);
  }

  /** Returns the next wait in milliseconds. */
  next(): number {
    const { factor, maxMs, jitter, random } = this.#options;
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * factor, maxMs);
    return waitMs * (1 - jitter * random.next());
  }

  /** Starts over with `initialMs`, after a success. */
  reset(): void {
    this.#nextMs = Math.min(this.#options.initialMs, this.#options.maxMs);
  }
}

import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The first wait. */
  readonly initialMs: number;
  /** No wait is longer. */
  readonly maxMs: number;
  /** How much longer each wait is than the one before. Default 2. */
  readonly factor?: number;
  /**
   * The part of each wait that is left to chance, from 0 to 1, so that many who failed together do not come back
   * together. 0.2 gives between 80 % and 100 % of the wait. Default 0.
   */
  readonly jitter?: number;
  readonly random: Random;
}

/** How long to wait before the next try: longer after each failure, from the start again after `reset`. */
export class Backoff {
  readonly #options: Required<BackoffOptions>;
  #nextMs: number;

  constructor(options: BackoffOptions) {
    this.#options = { factor: 2, jitter: 0, ...options };
    this.#nextMs = Math.min(options.initialMs, options.maxMs);
  }

  /** The next wait in milliseconds. */
  next(): number {
    const { factor, maxMs, jitter, random } = this.#options;
    const waitMs = this.#nextMs;
    this.#nextMs = Math.min(waitMs * factor, maxMs);
    return waitMs * (1 - jitter * random.next());
  }

  /** It worked: the next failure starts from the beginning. */
  reset(): void {
    this.#nextMs = Math.min(this.#options.initialMs, this.#options.maxMs);
  }
}

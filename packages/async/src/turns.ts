import type { Clock } from './clock.ts';
import { ownTurn } from './own-turn.ts';

/** Whoever else shares the event loop waits no longer than this for a loop of small steps. */
const LONG_MS = 10;

export interface TurnsOptions {
  /** How long a turn may take. Default 10. */
  readonly longMs?: number;
  /** How to wait for the next turn. Default: `ownTurn`. */
  readonly turn?: () => Promise<void>;
}

/**
 * Divides a long computation into turns of the event loop. The loop asks at every step, none of which may be long:
 *
 *     const turn = turns.next();
 *     if (turn !== undefined) await turn;
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #longMs: number;
  readonly #turn: () => Promise<void>;
  #startMs: number;

  constructor(clock: Pick<Clock, 'monotonic'>, { longMs = LONG_MS, turn = ownTurn }: TurnsOptions = {}) {
    this.#clock = clock;
    this.#longMs = longMs;
    this.#turn = turn;
    this.#startMs = clock.monotonic();
  }

  /** Resolves in another turn. `undefined` while this one was not long. */
  next(): Promise<void> | undefined {
    return this.#clock.monotonic() - this.#startMs < this.#longMs ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await this.#turn();
    this.#startMs = this.#clock.monotonic();
  }
}

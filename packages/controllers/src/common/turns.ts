import type { Clock } from '@pintle/async';
import { ownTurn } from '@pintle/async';

/** Others wait no longer for a loop: controllers may share the event loop of the server. */
const TURN_MS = 10;

/**
 * Divides a long computation into turns of the event loop. The loop asks at every step, none of which may be long:
 *
 *     const turn = turns.next();
 *     if (turn !== undefined) await turn;
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #startMs: number;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  /** Resolves in another turn. `undefined` while this one was not long. */
  next(): Promise<void> | undefined {
    return this.#clock.monotonic() - this.#startMs < TURN_MS ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await ownTurn();
    this.#startMs = this.#clock.monotonic();
  }
}

import { setImmediate } from 'node:timers';
import type { Clock } from './clock.ts';
import { Fifo } from './fifo.ts';

/*
 * Ways for work that never waits for the machine to let everything else on the event loop go first. A turn is one round of
 * the loop: sockets are read, timers fire, and then all that was put off to this turn goes on.
 *
 *     nextTurn       goes on in the next turn, together with all others that asked for it
 *     ownTurn        goes on in a turn that no other piece of long work shares
 *     TurnQueue      goes on in order, so many in a turn
 *     Turns          a loop of small steps, which gives way once it has taken long
 *     oncePerTurn    gathers what is asked for in this turn, and does it once in the next
 */

/**
 * Resolves in the next turn of the event loop: lets everything else that waits go first. Imported from Node rather than
 * taken from the globals, so that a test that fakes timers does not stop a server that runs beside it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Calls back in the next turn of the event loop. */
export function inNextTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Gives a function that has `callback` called in the next turn, once for all calls until then. */
export function oncePerTurn(callback: () => void): () => void {
  let isAwaited = false;
  const call = (): void => {
    isAwaited = false;
    callback();
  };
  return () => {
    if (isAwaited) return;
    isAwaited = true;
    setImmediate(call);
  };
}

/** Lets those that wait go on in order, `perTurn` of them in each turn of the event loop. */
export class TurnQueue {
  readonly #perTurn: number;
  readonly #waiting = new Fifo<() => void>();
  readonly #giveTurn = (): void => {
    for (let given = 0; given < this.#perTurn && this.#waiting.size > 0; given++) this.#waiting.shift()!();
    if (this.#waiting.size > 0) setImmediate(this.#giveTurn);
  };

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.size === 1) setImmediate(this.#giveTurn);
    });
  }
}

const longWork = new TurnQueue(1);

/**
 * Resolves in a turn of the event loop that no other waiter here shares: for a piece of work that takes long. Many such
 * pieces in one turn would hold up everything for as long as all of them take. First come, first served.
 */
export function ownTurn(): Promise<void> {
  return longWork.wait();
}

/** A loop of small steps holds up the event loop no longer than this. */
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
 *
 * Several loops may share one: they give way, and go on, together.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #longMs: number;
  readonly #turn: () => Promise<void>;
  #startMs: number;
  #waiting: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, { longMs = LONG_MS, turn = ownTurn }: TurnsOptions = {}) {
    this.#clock = clock;
    this.#longMs = longMs;
    this.#turn = turn;
    this.#startMs = clock.monotonic();
  }

  /** Resolves in another turn. `undefined` while this one was not long. Rejects when waiting for a turn does. */
  next(): Promise<void> | undefined {
    if (this.#waiting === undefined && this.#clock.monotonic() - this.#startMs >= this.#longMs) {
      this.#waiting = this.#wait();
    }
    return this.#waiting;
  }

  async #wait(): Promise<void> {
    try {
      await this.#turn();
    } finally {
      this.#startMs = this.#clock.monotonic();
      this.#waiting = undefined;
    }
  }
}

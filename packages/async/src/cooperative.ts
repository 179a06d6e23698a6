import { setImmediate } from 'node:timers';
import type { Clock } from './clock.ts';
import { Fifo } from './fifo.ts';

/*
 * Ways for computations to yield to other work on the event loop. A turn is one iteration of the loop: sockets are read,
 * timers fire, then everything deferred to this turn runs.
 *
 *     yieldToEventLoop       resumes in the next turn, together with all other callers
 *     waitForOwnTurn        resumes in a turn that no other long computation shares
 *     TurnQueue      resumes in order, a number of callers in each turn
 *     Turns          for a loop of small steps, which yields once a turn has taken long
 *     oncePerTurn    collects calls, and runs once in the next turn
 */

/**
 * Resolves in the next turn of the event loop, after everything else that waits. Uses `setImmediate` of Node.js by import, so
 * that a test that fakes the global one does not stop a server beside it.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Calls back in the next turn of the event loop. */
export function runInNextTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Returns a function that schedules one call of `callback` in the next turn, however often it is called until then. */
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

/**
 * Resumes callers of `wait`, `perTurn` of them in each turn of the event loop. Owners take turns, so that none waits for all that
 * another has to do; the callers of one owner resume in order.
 */
export class TurnQueue {
  readonly #perTurn: number;
  /** Callers of each owner. The owner that was served longest ago comes first. */
  readonly #waiting = new Map<string, Fifo<() => void>>();
  readonly #giveTurn = (): void => {
    for (let given = 0; given < this.#perTurn && this.#waiting.size > 0; given++) this.#resumeOne();
    if (this.#waiting.size > 0) setImmediate(this.#giveTurn);
  };

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** `owner` is the client for whom the work is done. Default: one owner, for all other work. */
  wait(owner = ''): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(this.#giveTurn);
      const line = this.#waiting.get(owner) ?? new Fifo<() => void>();
      line.push(resolve);
      if (line.size === 1) this.#waiting.set(owner, line);
    });
  }

  #resumeOne(): void {
    const [[owner, line]] = this.#waiting as Iterable<[string, Fifo<() => void>]> as [[string, Fifo<() => void>]];
    this.#waiting.delete(owner);
    const resume = line.shift()!;
    if (line.size > 0) this.#waiting.set(owner, line);
    resume();
  }
}

const longWork = new TurnQueue(1);

/**
 * Resolves in a turn of the event loop that no other caller shares. Owners take turns; calls of one owner resolve in order. For
 * long pieces of work: several in one turn would block the loop for as long as all of them take.
 */
export function waitForOwnTurn(owner?: string): Promise<void> {
  return longWork.wait(owner);
}

/** Longest time for which a loop of small steps blocks the event loop. */
const LONG_MS = 10;

export interface TurnsOptions {
  /** Milliseconds that a turn may take. Default 10. */
  readonly longMs?: number;
  /** Waits for the next turn. Default: `waitForOwnTurn`. */
  readonly turn?: () => Promise<void>;
}

/**
 * Divides a long computation into turns of the event loop. Call `next` before every step; no step may be long:
 *
 *     const turn = turns.next();
 *     if (turn !== undefined) await turn;
 *
 * Several loops may share one instance: they yield and resume together.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #longMs: number;
  readonly #turn: () => Promise<void>;
  #startMs: number;
  #waiting: Promise<void> | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, { longMs = LONG_MS, turn = waitForOwnTurn }: TurnsOptions = {}) {
    this.#clock = clock;
    this.#longMs = longMs;
    this.#turn = turn;
    this.#startMs = clock.monotonic();
  }

  /** Resolves in another turn. `undefined` while the current one has not taken long. Rejects when `turn` rejects. */
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

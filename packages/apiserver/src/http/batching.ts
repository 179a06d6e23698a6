import type { Readable } from 'node:stream';
import { inNextTurn } from '@pintle/async';

/**
 * Requests that arrive in one turn of the event loop are answered together: all of them are read, then all are worked on,
 * then all are sent. Reading, working and sending are large bodies of code that drive each other out of the processor's
 * caches: request by request each of them starts cold, and that costs more than the work does (decision 33).
 */

/** Calls back once all that this turn has brought is read. `callback` must not throw. */
export const onceAllIsRead: (callback: () => void) => void = batched(inNextTurn);

/** Calls back once no more answers are due at once. `callback` must not throw. */
export const onceAllIsAnswered: (callback: () => void) => void = batched((run) => process.nextTick(run));

function batched(later: (run: () => void) => void): (callback: () => void) => void {
  let waiting: (() => void)[] = [];
  const run = (): void => {
    const due = waiting;
    waiting = [];
    for (const callback of due) callback();
  };
  return (callback) => {
    if (waiting.push(callback) === 1) later(run);
  };
}

/** So much one source may bring in a turn of the event loop. Node reads up to 2 MB of each connection, one after the other. */
const MAX_SOURCE_BYTES = 256 * 1024;
/** When all together have brought this much, each brings one read in that turn. */
const MAX_TURN_BYTES = 4 * 1024 * 1024;

let turn = 0;
let turnBytes = 0;

/**
 * Bounds what a connection, or the body of a request, brings before others have their turn. One that brings more is paused
 * until the next turn of the event loop; what it has sent stays with the kernel meanwhile, and in the end with the client.
 */
export class ReadShare {
  readonly #source: Readable;
  #turn = -1;
  #bytes = 0;
  #isPaused = false;
  #isStopped = false;

  constructor(source: Readable) {
    this.#source = source;
  }

  /** Counts what was read. */
  add(bytes: number): void {
    if (turnBytes === 0) inNextTurn(beginTurn);
    turnBytes += bytes;
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes > MAX_SOURCE_BYTES || turnBytes > MAX_TURN_BYTES) this.#pause();
  }

  /** Leaves the source as it is from now on: somebody else decides whether it flows. */
  stop(): void {
    this.#isStopped = true;
  }

  #pause(): void {
    if (this.#isPaused || this.#isStopped) return;
    this.#isPaused = true;
    this.#source.pause();
    inNextTurn(() => {
      this.#isPaused = false;
      if (!this.#isStopped) this.#source.resume();
    });
  }
}

function beginTurn(): void {
  turn++;
  turnBytes = 0;
}

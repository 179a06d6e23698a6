import type { Readable } from 'node:stream';
import { inNextTurn } from '@pintle/async';

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

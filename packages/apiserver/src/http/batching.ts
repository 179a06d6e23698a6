import type { Readable } from 'node:stream';
import { Fifo, runInNextTurn } from '@pintle/async';

/**
 * Handles the requests of one turn of the event loop together: reads all of them, then answers all, then sends all responses.
 * These steps are large bodies of code that evict each other from the processor's caches; one request at a time, each step
 * would start cold, which costs more than the work (decision 33).
 */

/** Calls back after the poll phase, when all sockets were read. `callback` must not throw. */
export const afterPollPhase: (callback: () => void) => void = batched(runInNextTurn);

/** Calls back after the synchronous responses of this turn. `callback` must not throw. */
export const afterResponses: (callback: () => void) => void = batched((run) => process.nextTick(run));

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

/** Bodies that leave in a turn of the event loop. Each costs a write, which takes about as long as a short request. */
const SENDS_PER_TURN = 64;
const sends = new Fifo<() => void>();

/**
 * Calls back after the responses of this turn, and in later turns when many wait, in order: the author of an object does not wait
 * until its event has been sent to a thousand watchers, and neither do other requests. `send` must not throw.
 */
export function afterTurn(send: () => void): void {
  sends.push(send);
  if (sends.size === 1) runInNextTurn(sendSome);
}

function sendSome(): void {
  for (let sent = 0; sent < SENDS_PER_TURN && sends.size > 0; sent++) sends.shift()!();
  if (sends.size > 0) runInNextTurn(sendSome);
}

/** Bytes of one source in a turn of the event loop. Node.js reads up to 2 MB of each connection, one after the other. */
const MAX_SOURCE_BYTES = 256 * 1024;
/** Bytes of all sources in a turn, after which each is read at most once more. */
const MAX_TURN_BYTES = 4 * 1024 * 1024;

let turn = 0;
let turnBytes = 0;

/**
 * Limits the bytes that are read of a connection, or of a request body, in one turn of the event loop. Pauses a source that
 * exceeds the limit until the next turn; its data stays in the kernel, and in the end at the client.
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

  /** Counts bytes that were read. */
  add(bytes: number): void {
    if (turnBytes === 0) runInNextTurn(beginTurn);
    turnBytes += bytes;
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes > MAX_SOURCE_BYTES || turnBytes > MAX_TURN_BYTES) this.#pause();
  }

  /** Stops pausing and resuming the source. */
  stop(): void {
    this.#isStopped = true;
  }

  #pause(): void {
    if (this.#isPaused || this.#isStopped) return;
    this.#isPaused = true;
    this.#source.pause();
    runInNextTurn(() => {
      this.#isPaused = false;
      if (!this.#isStopped) this.#source.resume();
    });
  }
}

function beginTurn(): void {
  turn++;
  turnBytes = 0;
}

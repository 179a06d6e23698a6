import type { Clock, Eventual } from '@pintle/async';
import { oncePerTurn, ownTurn, Turns } from '@pintle/async';
import { unclassifiedError } from '@pintle/machinery/errors';
import type { Steps } from '@pintle/machinery/rules';
import type { ApiRequest } from '../request/exchange.ts';

/** To look at all of an object of so many bytes takes some milliseconds, often ten times in a request. */
export const LARGE_BYTES = 64 * 1024;
/** A computation for one object that has taken so long lets other requests go first. */
export const LONG_MS = 25;

/**
 * Decides when the work for one request lets others go first. Everything that reads, copies, compares or writes all of an
 * object is passed to `inOwnTurn`: requests that came together do not do so in the same turn of the event loop. Requests
 * for small objects are never put off.
 */
export class YieldPolicy {
  #bytes = 0;
  #shared: Turns | undefined;

  /** Something of this size is worked on. */
  weigh(bytes: number): void {
    if (bytes > this.#bytes) this.#bytes = bytes;
  }

  /** Does the work at once, or in a turn of the event loop of its own where what is worked on is large. */
  inOwnTurn<T>(work: () => Eventual<T>): Eventual<T> {
    return this.#bytes > LARGE_BYTES ? ownTurn().then(work) : work();
  }

  /** The turns that all expressions of policies and webhooks share: together they take no longer turn than one may. */
  sharedTurns(clock: Pick<Clock, 'monotonic'>): Turns {
    this.#shared ??= longTurns(clock);
    return this.#shared;
  }
}

/** Turns of the event loop for a computation on one object. `turn`: how it waits for the next. */
export function longTurns(clock: Pick<Clock, 'monotonic'>, turn?: () => Promise<void>): Turns {
  return new Turns(clock, turn === undefined ? { longMs: LONG_MS } : { longMs: LONG_MS, turn });
}

/**
 * Short pieces of work for many clients that come together: once those of a turn of the event loop have taken long, each
 * further piece has a turn of its own.
 */
export class SharedTurn {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** How long the pieces have taken in this turn. */
  #spentMs = 0;
  readonly #reset = oncePerTurn(() => {
    this.#spentMs = 0;
  });

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The one for all work that is measured by a clock. */
  static of(clock: Pick<Clock, 'monotonic'>): SharedTurn {
    let shared = sharedTurns.get(clock);
    if (shared === undefined) {
      shared = new SharedTurn(clock);
      sharedTurns.set(clock, shared);
    }
    return shared;
  }

  /** Does the work at once while this turn has not been long. */
  run<T>(work: () => T): Eventual<T> {
    return this.#spentMs >= LONG_MS ? ownTurn().then(() => this.#measured(work)) : this.#measured(work);
  }

  #measured<T>(work: () => T): T {
    const startMs = this.#clock.monotonic();
    try {
      return work();
    } finally {
      this.#spentMs += this.#clock.monotonic() - startMs;
      this.#reset();
    }
  }
}

const sharedTurns = new WeakMap<Pick<Clock, 'monotonic'>, SharedTurn>();

/** Does work that pauses, in turns of the event loop. What ends within the first turn is given at once. */
export function runInTurns<T>(steps: Steps<T>, turns: Turns): Eventual<T> {
  for (;;) {
    const turn = turns.next();
    if (turn !== undefined) return turn.then(() => runInTurns(steps, turns));
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** A signal costs more than so little work: it is asked for only after these turns. */
const TURNS_WITHOUT_SIGNAL = 2;
/** As nginx has it; only the audit log and metrics show it. */
const CLIENT_GONE = 499;

/** Waits for a turn of the event loop for work that only reads, and ends the work once the client is gone. */
export function readingTurns(request: Pick<ApiRequest, 'signal'>): () => Promise<void> {
  let turns = 0;
  return async () => {
    await ownTurn();
    turns++;
    if (turns > TURNS_WITHOUT_SIGNAL) refuseUnwanted(request);
  };
}

/** Throws when the response is no longer waited for: the client is gone, or its time is over. */
export function refuseUnwanted(request: Pick<ApiRequest, 'signal'>): void {
  if (request.signal.aborted) throw unclassifiedError(CLIENT_GONE, 'the client is gone');
}

import type { Clock, Eventual } from '@pintle/async';
import { oncePerTurn, Turns, waitForOwnTurn } from '@pintle/async';
import { unclassifiedError } from '@pintle/machinery/errors';
import type { Steps } from '@pintle/machinery/rules';
import type { ApiRequest } from '../request/exchange.ts';
import { onRequestEnd } from '../request/request-end.ts';

/** Processing all of an object of this size takes some milliseconds, often ten times in a request. */
export const LARGE_BYTES = 64 * 1024;
/** Time that a computation for one object takes before it yields to other requests. */
export const LONG_MS = 25;

/**
 * Decides when the work for one request yields to others. Every step that reads, copies, compares or writes all of an
 * object goes through `inOwnTurn`, so that concurrent requests do not do so in the same turn of the event loop.
 * Requests for small objects never wait.
 */
export class YieldPolicy {
  /** Name of the client, who takes turns with others. */
  readonly #owner: string | undefined;
  #bytes = 0;
  #shared: Turns | undefined;

  constructor(owner?: string) {
    this.#owner = owner;
  }

  /** Resolves in a turn of the event loop that no other long work shares. */
  readonly ownTurn = (): Promise<void> => waitForOwnTurn(this.#owner);

  /** Reports the size of an object that is processed. */
  weigh(bytes: number): void {
    if (bytes > this.#bytes) this.#bytes = bytes;
  }

  /** Runs the work at once, or in its own turn of the event loop when the objects are large. */
  inOwnTurn<T>(work: () => Eventual<T>): Eventual<T> {
    return this.#bytes > LARGE_BYTES ? this.ownTurn().then(work) : work();
  }

  /**
   * Turns that all expressions of policies and webhooks of a request share, so that together they respect one limit.
   */
  sharedTurns(clock: Pick<Clock, 'monotonic'>): Turns {
    this.#shared ??= longTurns(clock, this.ownTurn);
    return this.#shared;
  }
}

/** Returns turns of the event loop for a computation on one object. `turn` waits for the next one. */
export function longTurns(clock: Pick<Clock, 'monotonic'>, turn?: () => Promise<void>): Turns {
  return new Turns(clock, turn === undefined ? { longMs: LONG_MS } : { longMs: LONG_MS, turn });
}

/**
 * Runs short pieces of work for many clients. Once the pieces of a turn of the event loop have taken long, each further
 * piece gets its own turn.
 */
export class SharedTurn {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Time that the pieces of this turn have taken. */
  #spentMs = 0;
  readonly #reset = oncePerTurn(() => {
    this.#spentMs = 0;
  });

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns the instance that is shared by all work on a clock. */
  static of(clock: Pick<Clock, 'monotonic'>): SharedTurn {
    let shared = sharedTurns.get(clock);
    if (shared === undefined) {
      shared = new SharedTurn(clock);
      sharedTurns.set(clock, shared);
    }
    return shared;
  }

  /** Runs the work at once while this turn has not been long, else in a turn of its own. */
  run<T>(work: () => T, ownTurn: () => Promise<void>): Eventual<T> {
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

/** Runs steps in turns of the event loop. Returns the result at once when it is there within the first turn. */
export function runInTurns<T>(steps: Steps<T>, turns: Turns): Eventual<T> {
  for (;;) {
    const turn = turns.next();
    if (turn !== undefined) return turn.then(() => runInTurns(steps, turns));
    const step = steps.next();
    if (step.done) return step.value;
  }
}

interface ReadingContext {
  readonly request: Pick<ApiRequest, 'signal' | 'onEnd'>;
  readonly yielding: YieldPolicy;
}

/** Status code of nginx for a closed connection; only the audit log and metrics show it. */
const CLIENT_GONE = 499;

/**
 * Returns a function that waits for a turn of the event loop, for work that only reads; it throws once the client is
 * gone.
 */
export function readingTurns({ request, yielding }: ReadingContext): () => Promise<void> {
  return async () => {
    await yielding.ownTurn();
    refuseUnwanted(request);
  };
}

/** Throws when nothing waits for the response: the client is gone, or the deadline has passed. */
export function refuseUnwanted(request: Pick<ApiRequest, 'signal' | 'onEnd'>): void {
  let isUnwanted = false;
  onRequestEnd(request, () => {
    isUnwanted = true;
  })();
  if (isUnwanted) throw unclassifiedError(CLIENT_GONE, 'the client is gone');
}

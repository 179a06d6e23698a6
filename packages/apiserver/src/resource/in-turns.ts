import type { Clock } from '@pintle/async';
import { ownTurn } from '@pintle/async';
import { unclassifiedError } from '@pintle/machinery/errors';
import type { Steps } from '@pintle/machinery/rules';
import type { ApiRequest } from '../request/exchange.ts';

/** Whoever worked for so long on one object lets others go first. */
export const LONG_MS = 25;
/** As nginx has it; nobody sees it but the audit log and metrics. */
const CLIENT_GONE = 499;

/**
 * Does work that pauses, and lets others go first at a pause after long work. What ends before that is given at once.
 * `turn`: how it waits until it may go on.
 */
export function inTurns<T>(steps: Steps<T>, clock: Pick<Clock, 'monotonic'>, turn = ownTurn): T | Promise<T> {
  return inSharedTurns(steps, clock, { beganMs: clock.monotonic() }, turn);
}

/** The turn of the event loop in which a request works. */
export interface SharedTurn {
  /** When it began, or a request began to work in it. */
  beganMs?: number;
}

/**
 * As `inTurns`, for one of many pieces of work that a request does one after the other: together they take no longer turn
 * than one of them may. What waits only for other such work waits for no turn of the event loop.
 */
export function inSharedTurns<T>(
  steps: Steps<T>,
  clock: Pick<Clock, 'monotonic'>,
  shared: SharedTurn,
  turn = ownTurn,
): T | Promise<T> {
  shared.beganMs ??= clock.monotonic();
  for (;;) {
    if (clock.monotonic() - shared.beganMs > LONG_MS) {
      return turn().then(() => {
        shared.beganMs = clock.monotonic();
        return inSharedTurns(steps, clock, shared, turn);
      });
    }
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Whether somebody still waits is not asked before: a signal is made for that, which costs more than so little work. */
const FEW_TURNS = 2;

/** How work that only reads lets others go first: where nobody waits for the answer any more, it ends there. */
export function readingTurns(request: Pick<ApiRequest, 'signal'>): () => Promise<void> {
  let turns = 0;
  return async () => {
    await ownTurn();
    turns++;
    if (turns > FEW_TURNS) refuseUnwanted(request);
  };
}

/** Throws when nobody waits for the answer any longer: the client is gone, or was told that it takes too long. */
export function refuseUnwanted(request: Pick<ApiRequest, 'signal'>): void {
  if (request.signal.aborted) throw unclassifiedError(CLIENT_GONE, 'the client is gone');
}

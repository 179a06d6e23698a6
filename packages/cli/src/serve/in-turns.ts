import { inNextTurn } from '@pintle/async';

/** So many calls share a turn: they are heard of together, and nobody waits for more of them. */
const CALLS_PER_TURN = 128;

/**
 * Lets everybody else have a turn before calls go on, a few at a time: sockets are read and timers fire. Work that never
 * waits for the machine would otherwise hold up the whole process for as long as it lasts.
 */
export function inTurns<R, A>(send: (request: R) => Promise<A>): (request: R) => Promise<A> {
  let waiting: (() => void)[] = [];
  const giveTurn = (): void => {
    const now = waiting.slice(0, CALLS_PER_TURN);
    waiting = waiting.slice(CALLS_PER_TURN);
    if (waiting.length > 0) inNextTurn(giveTurn);
    for (const goOn of now) goOn();
  };
  return async (request) => {
    await new Promise<void>((resolve) => {
      if (waiting.length === 0) inNextTurn(giveTurn);
      waiting.push(resolve);
    });
    return await send(request);
  };
}

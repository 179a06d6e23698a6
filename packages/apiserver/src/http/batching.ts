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

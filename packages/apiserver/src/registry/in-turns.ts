import type { Clock } from '@pintle/async';
import { ownTurn } from '@pintle/async';
import type { Steps } from '@pintle/machinery/rules';

/** Whoever worked for so long on one object lets others go first. */
export const LONG_MS = 25;

/** Does work that pauses, and lets others go first at a pause after long work. What ends before that is given at once. */
export function inTurns<T>(steps: Steps<T>, clock: Pick<Clock, 'monotonic'>): T | Promise<T> {
  const began = clock.monotonic();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (clock.monotonic() - began > LONG_MS) return ownTurn().then(() => inTurns(steps, clock));
  }
}

import { Fifo } from './fifo.ts';
import { inNextTurn } from './next-turn.ts';

const waiting = new Fifo<() => void>();

/**
 * Resolves in a turn of the event loop that nobody else who waits here shares: for a piece of work that takes long. Many
 * such pieces in one turn would hold up everybody for as long as all of them take. First come, first served.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.size === 1) inNextTurn(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.size > 0) inNextTurn(giveTurn);
}

import { setImmediate } from 'node:timers';

/**
 * Resolves in the next turn of the event loop: lets everything else that waits go first. Imported from Node rather than
 * taken from the globals, so that a test that fakes timers does not stop a server that runs beside it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Calls back in the next turn of the event loop. */
export function inNextTurn(callback: () => void): void {
  setImmediate(callback);
}

import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock, Timer } from './clock.ts';
import { sleepWith } from './sleep.ts';

/** The machine's clock. A sleep keeps the process alive, a timer does not. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, options) => sleepWith((callback) => startTimer(ms, callback, 'keep alive'), options?.signal),
  setTimer: (ms, callback) => startTimer(ms, callback, 'let exit'),
};

/** Longest delay of Node.js timers, which fire at once for more; longer waits are divided. */
const longestWaitMs = 2 ** 31 - 1;

function startTimer(ms: number, callback: () => void, process: 'keep alive' | 'let exit'): Timer {
  let handle: NodeJS.Timeout | undefined;
  const arm = (remainingMs: number) => {
    const waitMs = Math.min(remainingMs, longestWaitMs);
    handle = setTimeout(() => (remainingMs > waitMs ? arm(remainingMs - waitMs) : callback()), waitMs);
    if (process === 'let exit') handle.unref();
  };
  arm(Math.max(0, ms));
  const cancel = () => clearTimeout(handle);
  return { cancel, [Symbol.dispose]: cancel };
}

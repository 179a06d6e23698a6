import { threadTimer } from './thread-timer.ts';

/**
 * Returns the longest time in milliseconds for which the thread computed without yielding while `work` ran. Time of other
 * threads and processes does not count.
 */
export async function longestComputation(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let computedMs = threadTimer();
  const observe = (): void => {
    longest = Math.max(longest, computedMs());
    computedMs = threadTimer();
    if (!isOver) setImmediate(observe);
  };
  setImmediate(observe);
  await work();
  observe();
  isOver = true;
  return longest;
}

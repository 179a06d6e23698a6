import { threadTimer } from './thread-timer.ts';

/**
 * The longest time, in milliseconds, in which the thread computed without turning to anything else while `work` was
 * under way. Time in which others had the machine does not count.
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

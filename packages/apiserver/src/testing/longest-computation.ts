/**
 * The longest time, in milliseconds, in which the process computed without turning to anything else while `work` was
 * under way. Time in which another process had the machine does not count.
 */
export async function longestComputation(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let wall = performance.now();
  let cpu = process.cpuUsage();
  const observe = (): void => {
    const used = process.cpuUsage(cpu);
    const computed = Math.min(performance.now() - wall, (used.user + used.system) / 1000);
    longest = Math.max(longest, computed);
    wall = performance.now();
    cpu = process.cpuUsage();
    if (!isOver) setImmediate(observe);
  };
  setImmediate(observe);
  await work();
  observe();
  isOver = true;
  return longest;
}

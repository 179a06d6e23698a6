import { readFileSync } from 'node:fs';

/**
 * Starts to measure, and gives a function that says for how many milliseconds this thread has computed since:
 *
 *     const computedMs = threadTimer();
 *     parse(hostile);
 *     expect(computedMs()).toBeLessThan(250);
 *
 * Time in which others had the processor does not count, so a limit holds on a busy machine as on an idle one. Where the
 * system does not tell about single threads it is the shorter of what passed and what the whole process computed.
 */
export function threadTimer(): () => number {
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const threadMs = threadTimeMs();
  return () => {
    const nowMs = threadTimeMs();
    if (threadMs !== undefined && nowMs !== undefined) return nowMs - threadMs;
    const { user, system } = process.cpuUsage(cpu);
    return Math.min(performance.now() - startMs, (user + system) / 1_000);
  };
}

/** Linux tells it in nanoseconds, as the first of three numbers. */
function threadTimeMs(): number | undefined {
  try {
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6;
  } catch {
    return undefined;
  }
}

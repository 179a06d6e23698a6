import { readFileSync } from 'node:fs';

/**
 * Starts a measurement, and returns a function that returns the milliseconds that this thread has computed since:
 *
 *     const computedMs = threadTimer();
 *     parse(hostile);
 *     expect(computedMs()).toBeLessThan(250);
 *
 * Time of other threads and processes does not count, so that a limit holds on a busy machine too. Where the system has no
 * times of threads, it is the shorter of the elapsed time and the CPU time of the process.
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

/** Reads Linux's CPU time of the thread: nanoseconds, the first of three numbers. */
function threadTimeMs(): number | undefined {
  try {
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6;
  } catch {
    return undefined;
  }
}

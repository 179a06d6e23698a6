import { realClock } from '@pintle/async';

/** Median of some runs, in milliseconds of wall-clock and processor time. */
export interface Cost {
  readonly wallMs: number;
  /** Processor time of all threads, so it may exceed the wall-clock time. It is the one to compare on a busy machine. */
  readonly cpuMs: number;
}

/** Measures `run`; closes its result between the runs. */
export async function costOf(count: number, run: () => Promise<AsyncDisposable>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < count; i++) {
    const [startMs, startCpu] = [realClock.monotonic(), process.cpuUsage()];
    const opened = await run();
    const wallMs = realClock.monotonic() - startMs;
    const { user, system } = process.cpuUsage(startCpu);
    costs.push({ wallMs, cpuMs: (user + system) / 1_000 });
    await opened[Symbol.asyncDispose]();
  }
  return medianCost(costs);
}

export function medianCost(costs: readonly Cost[]): Cost {
  return { wallMs: median(costs.map(({ wallMs }) => wallMs)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

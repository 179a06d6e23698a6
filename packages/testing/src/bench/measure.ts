import { realClock } from '@pintle/async';

/** The middle of what some runs took, in milliseconds: by the clock on the wall, and of the processor. */
export interface Cost {
  readonly wallMs: number;
  /** What counts on a machine that others use as well; with all threads, so it may be more than by the wall. */
  readonly cpuMs: number;
}

/** What `run` gives is closed between the runs. */
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

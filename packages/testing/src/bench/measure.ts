import { realClock } from '@pintle/async';

/** The middle of what `count` runs took, in milliseconds. */
export async function medianMs(count: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = realClock.monotonic();
    await run();
    times.push(realClock.monotonic() - startMs);
  }
  return median(times);
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

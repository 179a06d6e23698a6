import { onceAborted, SeededRandom, SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { keepRunning } from './keep-running.ts';

test('what fails is started anew, later each time, until it is told to stop', async () => {
  const clock = new SteppedClock();
  const stop = new AbortController();
  const told: string[] = [];
  let starts = 0;
  const running = keepRunning(
    async () => {
      if (++starts === 1) throw new Error('cannot load');
      const turn = starts;
      return {
        run: async ({ signal }) => {
          if (turn < 4) throw new Error(`lost ${turn}`);
          await onceAborted(signal);
        },
      };
    },
    {
      clock,
      random: new SeededRandom(1),
      signal: stop.signal,
      onFailure: (error, waitMs) => told.push(`${(error as Error).message} ${waitMs}`),
    },
  );
  for (const ms of [1_000, 2_000, 4_000]) await clock.advance(ms);
  expect(starts).toBe(4);
  expect(told).toEqual(['cannot load 1000', 'lost 2 2000', 'lost 3 4000']);
  stop.abort();
  await running;
});

test('who ran for long starts again soon', async () => {
  const clock = new SteppedClock();
  const stop = new AbortController();
  const waits: number[] = [];
  const running = keepRunning(
    async () => ({
      run: async ({ signal }) => {
        if (waits.length > 2) await clock.sleep(600_000, { signal });
        throw new Error('lost');
      },
    }),
    {
      clock,
      random: new SeededRandom(1),
      signal: stop.signal,
      onFailure: (_error, waitMs) => {
        waits.push(waitMs);
        if (waits.length === 5) stop.abort();
      },
    },
  );
  while (waits.length < 5) await clock.advance(10_000);
  await running;
  expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 1_000]);
});

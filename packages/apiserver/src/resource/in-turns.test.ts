import type { Steps } from '@pintle/machinery/rules';
import { expect, test } from 'vitest';
import { inSharedTurns, inTurns, LONG_MS } from './in-turns.ts';

/** Work whose pieces take as long as told, by a clock of its own. */
function work(...piecesMs: readonly number[]) {
  let now = 0;
  const clock = { monotonic: () => now };
  const steps = (function* (): Steps<string> {
    for (const ms of piecesMs) {
      now += ms;
      yield;
    }
    return 'done';
  })();
  return { clock, steps };
}

test('what is soon done is given at once', () => {
  const { clock, steps } = work(1, 2, 3);
  expect(inTurns(steps, clock)).toBe('done');
});

test('after long work others go first', async () => {
  const { clock, steps } = work(LONG_MS, 1, 5, LONG_MS + 1, 1);
  let turns = 0;
  const result = inTurns(steps, clock);
  let isDone = false;
  const counting = () => {
    turns++;
    if (!isDone) setImmediate(counting);
  };
  setImmediate(counting);
  expect(result).toBeInstanceOf(Promise);
  expect(await result).toBe('done');
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(1);
});

test('pieces of work that share a turn let others go first once all of them together took long', async () => {
  let now = 0;
  let turns = 0;
  const shared = {};
  const turn = async (): Promise<void> => void turns++;
  for (let i = 0; i < 10; i++) {
    const piece = (function* (): Steps<number> {
      now += LONG_MS / 2;
      yield;
      return i;
    })();
    expect(await inSharedTurns(piece, { monotonic: () => now }, shared, turn)).toBe(i);
  }
  expect(turns).toBe(3);
});

test('what goes wrong is told to whoever waits', async () => {
  let now = 0;
  const failing = (function* (): Steps<never> {
    now += LONG_MS + 1;
    yield;
    throw new Error('broken');
  })();
  await expect(inTurns(failing, { monotonic: () => now })).rejects.toThrow('broken');
});

import type { Steps } from '@pintle/machinery/rules';
import { expect, test } from 'vitest';
import { LARGE_BYTES, LONG_MS, longTurns, runInTurns, YieldPolicy } from './yield-policy.ts';

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

test('inOwnTurn does work on small objects at once, and on large ones in a turn of their own', async () => {
  const policy = new YieldPolicy();
  policy.weigh(LARGE_BYTES);
  policy.weigh(1);
  expect(policy.inOwnTurn(() => 'done')).toBe('done');
  policy.weigh(LARGE_BYTES + 1);
  policy.weigh(1);
  const later = policy.inOwnTurn(() => 'done');
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe('done');
});

test('work that ends soon is given at once', () => {
  const { clock, steps } = work(1, 2, 3);
  expect(runInTurns(steps, longTurns(clock))).toBe('done');
});

test('others go first after long work', async () => {
  const { clock, steps } = work(LONG_MS, 1, 5, LONG_MS + 1, 1);
  let turns = 0;
  const result = runInTurns(steps, longTurns(clock));
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

test('pieces of work that share turns let others go first once all of them together took long', async () => {
  let now = 0;
  let turns = 0;
  const shared = longTurns({ monotonic: () => now }, async () => void turns++);
  for (let i = 0; i < 10; i++) {
    const piece = (function* (): Steps<number> {
      now += LONG_MS / 2;
      yield;
      return i;
    })();
    expect(await runInTurns(piece, shared)).toBe(i);
  }
  expect(turns).toBe(5);
});

test('errors reject where the work was put off', async () => {
  let now = 0;
  const failing = (function* (): Steps<never> {
    now += LONG_MS + 1;
    yield;
    throw new Error('broken');
  })();
  await expect(runInTurns(failing, longTurns({ monotonic: () => now }))).rejects.toThrow('broken');
});

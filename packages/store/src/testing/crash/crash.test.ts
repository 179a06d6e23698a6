import { expect, test } from 'vitest';
import { runKillTest } from './kill-test.ts';

test('five kill -9 in the middle of writing lose nothing and invent nothing', async () => {
  const seed = Date.now() % 1_000_000;
  const { problems, acknowledgedWrites, revision } = await runKillTest({ cycles: 5, seed });
  expect(problems, `seed ${seed}`).toEqual([]);
  expect(acknowledgedWrites).toBeGreaterThan(100);
  expect(revision).toBeGreaterThanOrEqual(acknowledgedWrites);
});

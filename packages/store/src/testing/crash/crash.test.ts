import { expect, test } from 'vitest';
import { runFullDiskTest } from './full-disk-test.ts';
import { runKillTest } from './kill-test.ts';

test('five kill -9 in the middle of writing lose nothing and invent nothing', async () => {
  const seed = Date.now() % 1_000_000;
  const { problems, acknowledgedWrites, revision } = await runKillTest({ cycles: 5, seed });
  expect(problems, `seed ${seed}`).toEqual([]);
  expect(acknowledgedWrites).toBeGreaterThan(100);
  expect(revision).toBeGreaterThanOrEqual(acknowledgedWrites);
});

/** Mounting a disk of a few megabytes takes root, which CI may not have; `mvcc/faults.test.ts` shows the same without. */
test('on a full disk deletions go on, nothing acknowledged is lost, and writes go on when there is room', async (context) => {
  const result = await runFullDiskTest({ rounds: 2 });
  context.skip(result === undefined, 'a tmpfs cannot be mounted here');
  expect(result?.problems).toEqual([]);
});

import { expect, test } from 'vitest';
import { FailedPodsBackoff } from './failed-pods-backoff.ts';

test('each replacement on a node waits twice as long as the one before, and no node for another', () => {
  const backoff = new FailedPodsBackoff();
  expect(backoff.waitMs('a', 0)).toBeUndefined();
  expect(backoff.waitMs('a', 400)).toBe(600);
  expect(backoff.waitMs('b', 400)).toBeUndefined();
  expect(backoff.waitMs('a', 1_000)).toBeUndefined();
  expect(backoff.waitMs('a', 1_000)).toBe(2_000);
});

test('a node that was quiet for long starts anew', () => {
  const backoff = new FailedPodsBackoff();
  for (const ms of [0, 1_000, 3_000]) backoff.waitMs('a', ms);
  const laterMs = 3_600_000;
  expect(backoff.waitMs('a', laterMs)).toBeUndefined();
  expect(backoff.waitMs('a', laterMs)).toBe(1_000);
});

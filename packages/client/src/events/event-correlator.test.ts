import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { Recent } from './event-correlator.ts';

test('entries that are spent are dropped while others are used, the least recently used first', async () => {
  const clock = new SteppedClock();
  const recent = new Recent<{ until: number }>(({ until }) => clock.monotonic() > until);
  for (let i = 0; i < 100; i++) recent.get(`early ${i}`, () => ({ until: 1_000 }));
  expect(recent.size).toBe(100);
  await clock.advance(2_000);
  for (let i = 0; i < 60; i++) recent.get(`late ${i}`, () => ({ until: 10_000 }));
  expect(recent.size).toBe(60);
  expect(recent.get('late 0', () => ({ until: 0 })).until).toBe(10_000);
});

test('an entry that is used again is kept, although it is spent', () => {
  const recent = new Recent<{ isSpent: boolean }>(({ isSpent }) => isSpent);
  const first = recent.get('a', () => ({ isSpent: false }));
  first.isSpent = true;
  expect(recent.get('a', () => ({ isSpent: false }))).toBe(first);
});

test('not more than 4,096 entries are held', () => {
  const recent = new Recent<number>(() => false);
  for (let i = 0; i < 10_000; i++) recent.get(`${i}`, () => i);
  expect(recent.size).toBe(4_096);
  expect(recent.get('9999', () => -1)).toBe(9_999);
});

import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';
import { SeededRandom } from './seeded-random.ts';

const random = new SeededRandom('backoff');

function draw(backoff: Backoff, count: number): number[] {
  return Array.from({ length: count }, () => backoff.next());
}

test('Backoff doubles its wait up to the longest', () => {
  const backoff = new Backoff({ initialMs: 100, maxMs: 1_000, random });

  expect(draw(backoff, 6)).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test('Backoff starts over after reset', () => {
  const backoff = new Backoff({ initialMs: 5, maxMs: 1_000, factor: 10, random });
  draw(backoff, 3);
  backoff.reset();

  expect(draw(backoff, 2)).toEqual([5, 50]);
});

test('Backoff leaves the given part to chance, at the longest wait too', () => {
  const backoff = new Backoff({ initialMs: 1_000, maxMs: 1_000, jitter: 0.5, random });
  const waits = draw(backoff, 1_000);

  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(400);
});

test('Backoff stays finite however often it is asked', () => {
  const backoff = new Backoff({ initialMs: 1, maxMs: 60_000, random });

  expect(draw(backoff, 5_000).at(-1)).toBe(60_000);
});

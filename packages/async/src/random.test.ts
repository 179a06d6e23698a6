import { describe, expect, test } from 'vitest';
import type { Random } from './random.ts';
import { SeededRandom } from './seeded-random.ts';
import { systemRandom } from './system-random.ts';

describe.each<[string, Random]>([
  ['systemRandom', systemRandom],
  ['SeededRandom', new SeededRandom('suite')],
])('%s', (_name, random) => {
  test('next is from 0 to below 1 and spreads evenly', () => {
    const draws = Array.from({ length: 10_000 }, () => random.next());

    expect(draws.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(draws.reduce((sum, value) => sum + value) / draws.length).toBeCloseTo(0.5, 1);
  });

  test('below reaches every number under its bound and none other', () => {
    const seen = new Set(Array.from({ length: 2_000 }, () => random.below(7)));

    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(random.below(1)).toBe(0);
    expect(random.below(Number.MAX_SAFE_INTEGER)).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('below(%s) is refused', (bound) => {
    expect(() => random.below(bound)).toThrow(RangeError);
  });

  test('uuid is of version 4', () => {
    const uuids = new Set(Array.from({ length: 100 }, () => random.uuid()));

    expect(uuids.size).toBe(100);
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

test('SeededRandom repeats itself for the same seed', () => {
  const draw = (seed: number) => {
    const random = new SeededRandom(seed);
    return [random.next(), random.below(1_000), random.uuid()];
  };

  expect(draw(42)).toEqual(draw(42));
  expect(draw(42)).not.toEqual(draw(43));
});

test('SeededRandom gives the numbers it gave in the first release', () => {
  const random = new SeededRandom(1);

  expect([random.below(1_000), random.below(1_000), random.below(1_000)]).toEqual([573, 686, 46]);
});

test('SeededRandom.fork depends on the seed and the name only', () => {
  const fresh = new SeededRandom(1);
  const used = new SeededRandom(1);
  used.next();

  expect(used.fork('scheduler').uuid()).toBe(fresh.fork('scheduler').uuid());
  expect(fresh.fork('a').uuid()).not.toBe(fresh.fork('b').uuid());
});

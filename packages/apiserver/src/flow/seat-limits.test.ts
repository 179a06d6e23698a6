import { SeededRandom } from '@pintle/async';
import { expect, test } from 'vitest';
import { divideSeats, lendSeats } from './seat-limits.ts';

test('seats are divided by shares; a part may be lent, and borrowing has its limit', () => {
  const shares = (nominalConcurrencyShares: number, lendablePercent: number, borrowingLimitPercent?: number) => ({
    nominalConcurrencyShares,
    lendablePercent,
    borrowingLimitPercent,
  });
  expect(divideSeats(600, [shares(100, 90), shares(40, 25, 50), shares(10, 0), shares(0, 0)])).toEqual([
    { nominal: 400, lower: 40, upper: 600 },
    { nominal: 160, lower: 120, upper: 240 },
    { nominal: 40, lower: 40, upper: 600 },
    { nominal: 0, lower: 0, upper: 600 },
  ]);
});

test('who has no need lends, who needs more borrows', () => {
  const level = (nominal: number, lower: number, highDemand: number) => ({
    nominal,
    lower,
    upper: 600,
    highDemand,
    smoothDemand: highDemand,
  });
  const [busy, idle, guarded] = lendSeats(600, [level(200, 100, 900), level(300, 60, 5), level(100, 100, 0)]);
  expect(guarded).toBe(100);
  expect(idle).toBe(60);
  expect(busy).toBe(440);
});

test('nobody gets less than it keeps, nor more than it may, and all together not more than there is', () => {
  const random = new SeededRandom(7);
  for (let run = 0; run < 1_000; run++) {
    const shares = Array.from({ length: 1 + Math.floor(random.next() * 8) }, () => ({
      nominalConcurrencyShares: Math.floor(random.next() * 100),
      lendablePercent: Math.floor(random.next() * 101),
      borrowingLimitPercent: random.next() < 0.5 ? undefined : Math.floor(random.next() * 200),
    }));
    const limits = divideSeats(600, shares);
    const levels = limits.map((limit) => {
      const highDemand = Math.floor(random.next() * 800);
      return { ...limit, highDemand, smoothDemand: highDemand * (1 + random.next()) };
    });
    const seats = lendSeats(600, levels);
    for (const [i, { lower, upper, nominal, highDemand }] of levels.entries()) {
      const floor = Math.max(lower, Math.min(nominal, highDemand));
      expect(seats[i]).toBeGreaterThanOrEqual(floor);
      expect(seats[i]).toBeLessThanOrEqual(Math.max(1, upper));
    }
    const given = seats.reduce((sum, each) => sum + each, 0);
    expect(given).toBeLessThanOrEqual(600 + 2 * levels.length);
  }
});

import { SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { LeasePool } from './lease-pool.ts';

function openPool() {
  const clock = new SteppedClock();
  const granted: number[] = [];
  const pool = new LeasePool({
    clock,
    grant: async (seconds) => {
      granted.push(seconds);
      return { id: BigInt(granted.length), seconds };
    },
  });
  return { clock, granted, pool };
}

describe('leases', () => {
  test('are shared by keys of nearly the same end, which is at most 5 % later', async () => {
    const { clock, granted, pool } = openPool();
    const ids = new Set<bigint>();
    for (let second = 0; second < 30; second++) {
      ids.add(await pool.leaseFor(600_000));
      await clock.advance(1000);
    }
    expect([ids.size, granted]).toEqual([1, [630]]);
    await clock.advance(1000);
    expect(await pool.leaseFor(600_000)).toBe(2n);
  });

  test('are never shared for more than a minute', async () => {
    const { clock, granted, pool } = openPool();
    await pool.leaseFor(86_400_000);
    await clock.advance(60_000);
    expect(await pool.leaseFor(86_400_000)).toBe(1n);
    await clock.advance(1);
    expect(await pool.leaseFor(86_400_000)).toBe(2n);
    expect(granted).toEqual([86_460, 86_460]);
  });

  test('have at most 1,000 keys: 100,000 events of an hour take 100 of them', async () => {
    const { granted, pool } = openPool();
    const ids = await Promise.all(Array.from({ length: 100_000 }, () => pool.leaseFor(3_600_000)));
    const keys = new Map<bigint, number>();
    for (const id of ids) keys.set(id, (keys.get(id) ?? 0) + 1);
    expect(Math.max(...keys.values())).toBe(1000);
    expect(granted).toHaveLength(100);
  });

  test('that could not be had are asked for again', async () => {
    const clock = new SteppedClock();
    let asked = 0;
    const pool = new LeasePool({
      clock,
      grant: async (seconds) => {
        if (asked++ === 0) throw new Error('no leader');
        return { id: 7n, seconds };
      },
    });
    await expect(pool.leaseFor(1000)).rejects.toThrow('no leader');
    expect(await pool.leaseFor(1000)).toBe(7n);
  });

  test('that are gone are not given out again', async () => {
    const { pool } = openPool();
    const id = await pool.leaseFor(60_000);
    pool.drop(id);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pool.leaseFor(60_000)).not.toBe(id);
  });
});

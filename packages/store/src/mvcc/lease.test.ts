import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { Revision } from '../revision.ts';
import { LeaseKeeper } from './lease.ts';

const HOUR = 3_600_000;

test('a key that is written again and again under a lease keeps few deadlines, and expires once', async () => {
  const clock = new SteppedClock();
  const newest = new Map<string, number>();
  const expired: string[] = [];
  const leases = new LeaseKeeper({
    clock,
    isCurrent: (key, revision) => newest.get(key) === revision,
    expire: async (key, revision) => void expired.push(`${key}@${revision}`),
  });
  for (let revision = 1; revision <= 20_000; revision++) {
    const key = `event-${revision % 10}`;
    newest.set(key, revision);
    leases.grant(key, { revision: revision as Revision, sub: 0 }, { ttlMs: HOUR });
  }
  expect(leases.size).toBeLessThanOrEqual(1024);
  await clock.advance(HOUR);
  expect(expired).toEqual(Array.from({ length: 10 }, (_, i) => `event-${(i + 1) % 10}@${19_991 + i}`));
  expect(leases.size).toBe(0);
});

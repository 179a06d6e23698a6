import { SeededRandom, SteppedClock } from '@pintle/async';
import type { Lease } from '@pintle/kinds/coordination/v1';
import type { Cached } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { Members } from './members.ts';
import { MEMBER_TIMING } from './shards.ts';

const leaseOf = (name: string, version: number): Cached<Lease> =>
  ({ metadata: { name, resourceVersion: `${version}` }, spec: { holderIdentity: name } }) as Cached<Lease>;

test('a member that does not renew is dead when it is waited for, also at times that are no whole milliseconds', async () => {
  const random = new SeededRandom(1);
  for (let round = 0; round < 2_000; round++) {
    const clock = new SteppedClock();
    const members = new Members(clock, MEMBER_TIMING);
    await clock.advance(random.next() * 100_000);
    members.note(leaseOf('a', 1));
    const endMs = clock.monotonic() + MEMBER_TIMING.leaseDurationMs;
    await clock.advance(random.next() * 10_000);
    for (let version = 1; members.live().has('a'); version++) {
      members.note(leaseOf('b', version));
      await clock.advance(Math.max(1, members.nextEndMs));
    }
    expect(clock.monotonic() - endMs).toBeLessThan(2);
    expect(members.dead()).toEqual(['a']);
  }
});

test('an answer that is older than what was seen meanwhile does not make a dead member live longer', async () => {
  const clock = new SteppedClock();
  const members = new Members(clock, MEMBER_TIMING);
  members.note(leaseOf('a', 7));
  await clock.advance(MEMBER_TIMING.leaseDurationMs / 2);
  expect(members.note(leaseOf('a', 6))).toBe(false);
  expect(members.note(leaseOf('a', 7))).toBe(false);
  await clock.advance(MEMBER_TIMING.leaseDurationMs / 2);
  expect(members.dead()).toEqual(['a']);
});

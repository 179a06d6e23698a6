import { expect, test } from 'vitest';
import { SteppedClock } from './stepped-clock.ts';
import { TokenBucket } from './token-bucket.ts';

test('TokenBucket gives its burst at once and then as fast as tokens come back', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 10, burst: 2, clock });

  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
  await clock.advance(99);
  expect(bucket.tryTake()).toBe(false);
  await clock.advance(1);
  expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
});

test('TokenBucket holds no more than its burst, however long it rests', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 10, burst: 2, clock });
  await clock.advance(60_000);

  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
});

test('TokenBucket gives as many tokens as are asked for, or none', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 10, burst: 5, clock });

  expect([bucket.tryTake(6), bucket.tryTake(3), bucket.tryTake(3), bucket.tryTake(2)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  await clock.advance(300);
  expect([bucket.tryTake(4), bucket.tryTake(3)]).toEqual([false, true]);
});

test('TokenBucket serves those who wait in order', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 3, burst: 1, clock });
  const served: string[] = [];
  const waiting = ['a', 'b', 'c', 'd'].map(async (name) => {
    await bucket.take();
    served.push(`${name}@${clock.monotonic()}`);
  });
  await clock.advance(1_000);
  await Promise.all(waiting);

  expect(served).toEqual(['a@0', 'b@334', 'c@667', 'd@1000']);
});

test('TokenBucket takes a token back from whoever stops waiting', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 1, burst: 1, clock });
  bucket.tryTake();
  const stop = new AbortController();
  const waiting = bucket.take({ signal: stop.signal });
  stop.abort('enough');

  await expect(waiting).rejects.toBe('enough');
  await expect(bucket.take({ signal: stop.signal })).rejects.toBe('enough');
  expect(bucket.reserve().waitMs).toBe(1_000);
  expect(clock.pendingTimers).toBe(0);
});

test('TokenBucket.reserve tells the wait and can be cancelled once', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 2, burst: 1, clock });
  expect(bucket.reserve().waitMs).toBe(0);
  const second = bucket.reserve();
  expect(second.waitMs).toBe(500);
  second.cancel();
  second.cancel();

  expect(bucket.reserve().waitMs).toBe(500);
});

test('TokenBucket never passes more than its rate allows', async () => {
  const clock = new SteppedClock();
  const bucket = new TokenBucket({ ratePerSecond: 7, burst: 5, clock });
  let taken = 0;
  for (let step = 0; step < 1_000; step++) {
    while (bucket.tryTake()) taken++;
    await clock.advance(10);
  }

  expect(taken).toBeLessThanOrEqual(5 + 70);
  expect(taken).toBeGreaterThanOrEqual(5 + 69);
});

test('TokenBucket refuses limits nothing would pass', () => {
  const clock = new SteppedClock();
  expect(() => new TokenBucket({ ratePerSecond: 0, burst: 1, clock })).toThrow(RangeError);
  expect(() => new TokenBucket({ ratePerSecond: 1, burst: 0, clock })).toThrow(RangeError);
});

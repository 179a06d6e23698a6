import { expect, test } from 'vitest';
import { SteppedClock } from './stepped-clock.ts';

test('SteppedClock fires due timers by time, then by the order they were set', async () => {
  const clock = new SteppedClock();
  const fired: string[] = [];
  for (const [name, ms] of [
    ['b', 20],
    ['a', 10],
    ['c', 20],
    ['late', 21],
  ] as const)
    clock.setTimer(ms, () => fired.push(`${name}@${clock.monotonic()}`));

  await clock.advance(20);

  expect(fired).toEqual(['a@10', 'b@20', 'c@20']);
  expect(clock.pendingTimers).toBe(1);
});

test('SteppedClock runs promise chains to their end between two timers, however long', async () => {
  const clock = new SteppedClock();
  const seen: string[] = [];
  clock.setTimer(2, () => seen.push('second timer'));
  const worker = (async () => {
    await clock.sleep(1);
    for (let i = 0; i < 10_000; i++) await null;
    seen.push('chain of the first');
  })();

  await clock.advance(2);
  await worker;

  expect(seen).toEqual(['chain of the first', 'second timer']);
});

test('SteppedClock fires timers that were set by what it woke', async () => {
  const clock = new SteppedClock();
  let ticks = 0;
  const ticking = (async () => {
    for (; ticks < 5; ticks++) await clock.sleep(100);
  })();

  await clock.advance(500);
  await ticking;

  expect(ticks).toBe(5);
  expect(clock.monotonic()).toBe(500);
});

test('SteppedClock sees a timer that a pending promise chain is about to set', async () => {
  const clock = new SteppedClock();
  let woke = false;
  void Promise.resolve()
    .then(() => null)
    .then(() => clock.sleep(10))
    .then(() => {
      woke = true;
    });

  await clock.advance(10);

  expect(woke).toBe(true);
});

test('SteppedClock.sleep rejects with the reason when its signal aborts, and leaves no timer', async () => {
  const clock = new SteppedClock();
  const stop = new AbortController();
  const reason = new Error('stopped');
  const sleeping = clock.sleep(10, { signal: stop.signal });
  stop.abort(reason);

  await expect(sleeping).rejects.toBe(reason);
  await expect(clock.sleep(10, { signal: stop.signal })).rejects.toBe(reason);
  expect(clock.pendingTimers).toBe(0);
});

test('SteppedClock never fires a cancelled timer', async () => {
  const clock = new SteppedClock();
  const fired: string[] = [];
  const timers = ['a', 'b', 'c'].map((name) => clock.setTimer(5, () => fired.push(name)));
  timers[1]!.cancel();
  timers[1]!.cancel();

  await clock.advance(5);
  timers[0]!.cancel();

  expect(fired).toEqual(['a', 'c']);
});

test('SteppedClock.advanceToNext moves exactly to the next timer', async () => {
  const clock = new SteppedClock({ startMs: 1_000 });
  const fired: number[] = [];
  for (const ms of [7, 7, 30]) clock.setTimer(ms, () => fired.push(clock.now()));
  clock.setTimer(Number.POSITIVE_INFINITY, () => fired.push(-1));

  expect(await clock.advanceToNext()).toBe(true);
  expect(fired).toEqual([1_007, 1_007]);
  expect(await clock.advanceToNext()).toBe(true);
  expect(await clock.advanceToNext()).toBe(false);
  expect(clock.now()).toBe(1_030);
});

test('SteppedClock.setNow moves the wall clock and nothing else', async () => {
  const clock = new SteppedClock({ startMs: 1_000 });
  let fired = false;
  clock.setTimer(10, () => {
    fired = true;
  });
  await clock.advance(5);
  clock.setNow(0);

  await clock.advance(5);

  expect(fired).toBe(true);
  expect([clock.now(), clock.monotonic()]).toEqual([5, 10]);
});

test('SteppedClock makes moves that overlap one after the other', async () => {
  const clock = new SteppedClock();
  await Promise.all([clock.advance(10), clock.advance(5), clock.advanceToNext()]);

  expect(clock.monotonic()).toBe(15);
});

test('SteppedClock.advance rejects with what a callback throws and can go on', async () => {
  const clock = new SteppedClock();
  clock.setTimer(5, () => {
    throw new Error('broken');
  });

  await expect(clock.advance(10)).rejects.toThrow('broken');
  expect(clock.monotonic()).toBe(5);
  await clock.advance(1);
  expect(clock.monotonic()).toBe(6);
  expect(() => clock.advance(-1)).toThrow(RangeError);
});

test('SteppedClock.advanceUntil moves until a promise settles, however it does', async () => {
  const clock = new SteppedClock();
  const twice = async () => {
    await clock.sleep(1_000);
    await clock.sleep(2_000);
    return 'done';
  };

  expect(await clock.advanceUntil(twice())).toBe('done');
  expect(clock.monotonic()).toBe(3_000);
  await expect(clock.advanceUntil(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('SteppedClock.advanceUntil gives up on what cannot settle', async () => {
  const clock = new SteppedClock();
  const never = new Promise(() => {});
  await expect(clock.advanceUntil(never)).rejects.toThrow('no timer is pending');

  const tick = () => clock.setTimer(1_000, tick);
  tick();
  await expect(clock.advanceUntil(never, { limitMs: 10_000 })).rejects.toThrow('the time limit has passed');
});

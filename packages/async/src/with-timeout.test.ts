import { expect, test } from 'vitest';
import { AsyncError } from './async-error.ts';
import { deferred } from './deferred.ts';
import { sleepUntil } from './sleep.ts';
import { SteppedClock } from './stepped-clock.ts';
import { withTimeout } from './with-timeout.ts';

test('withTimeout gives the result of work that ends in time, and leaves no timer', async () => {
  const clock = new SteppedClock();

  expect(await withTimeout(Promise.resolve('done'), 10, { clock })).toBe('done');
  expect(await withTimeout(async () => 'done', 10, { clock })).toBe('done');
  expect(clock.pendingTimers).toBe(0);
});

test('withTimeout rejects when the time is over and tells the work to stop', async () => {
  const clock = new SteppedClock();
  let seen: AbortSignal | undefined;
  const work = withTimeout(
    (signal) => {
      seen = signal;
      return new Promise<void>(() => {});
    },
    10,
    { clock },
  );
  const failure = expect(work).rejects.toMatchObject({ failure: { code: 'TimedOut', timeoutMs: 10 } });
  await clock.advance(10);

  await failure;
  expect(seen?.reason).toBeInstanceOf(AsyncError);
});

test('withTimeout rejects with the reason when it is told to stop', async () => {
  const clock = new SteppedClock();
  const stop = new AbortController();
  const work = withTimeout(deferred().promise, 10, { clock, signal: stop.signal });
  stop.abort('enough');

  await expect(work).rejects.toBe('enough');
  expect(clock.pendingTimers).toBe(0);
});

test('withTimeout does not start work for a signal that has aborted', async () => {
  const clock = new SteppedClock();
  let started = false;
  const work = withTimeout(
    async () => {
      started = true;
    },
    10,
    { clock, signal: AbortSignal.abort('early') },
  );

  await expect(work).rejects.toBe('early');
  expect(started).toBe(false);
});

test('sleepUntil waits for a moment, and not for one that has passed', async () => {
  const clock = new SteppedClock();
  await clock.advance(100);
  await Promise.all([sleepUntil(clock, 150), clock.advance(50)]);

  const past = sleepUntil(clock, 20);
  await clock.advance(0);
  await past;
  expect(clock.monotonic()).toBe(150);
});

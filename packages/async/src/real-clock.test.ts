import { expect, test } from 'vitest';
import { realClock } from './real-clock.ts';

test('realClock.sleep ends after its time and not before', async () => {
  const startMs = realClock.monotonic();
  await realClock.sleep(5);

  // Node rounds timers to whole milliseconds.
  expect(realClock.monotonic() - startMs).toBeGreaterThanOrEqual(4);
});

test('realClock.sleep rejects with the reason of its signal', async () => {
  const stop = new AbortController();
  const sleeping = realClock.sleep(3_600_000, { signal: stop.signal });
  stop.abort('enough');

  await expect(sleeping).rejects.toBe('enough');
});

test('realClock does not fire a wait beyond 2^31 ms at once', async () => {
  let fired = false;
  using _timer = realClock.setTimer(2 ** 40, () => {
    fired = true;
  });
  await realClock.sleep(5);

  expect(fired).toBe(false);
});

import { expect, test } from 'vitest';
import { Backoff, SeededRandom, SteppedClock, TokenBucket, withTimeout } from './index.ts';

test('the example in the README waits, tries again and gives up waiting when told', async () => {
  const clock = new SteppedClock();
  const random = new SeededRandom('readme');
  const limit = new TokenBucket({ ratePerSecond: 5, burst: 10, clock });
  const backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2, random });
  const answers = [500, 503, 200];
  const fetchWithRetries = async (signal: AbortSignal) => {
    for (;;) {
      await limit.take({ signal });
      const status = await withTimeout(async () => answers.shift() ?? 200, 5_000, { clock, signal });
      if (status < 500) return status;
      await clock.sleep(backoff.next(), { signal });
    }
  };

  const response = fetchWithRetries(new AbortController().signal);
  await clock.advance(300);

  expect(await response).toBe(200);
  expect(clock.pendingTimers).toBe(0);
});

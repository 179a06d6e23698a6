import { expect, test } from 'vitest';
import { threadTimer } from './thread-timer.ts';

test('time that is computed counts, time that is waited does not', async () => {
  const computedMs = threadTimer();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const afterWaitMs = computedMs();
  expect(afterWaitMs).toBeLessThan(200);
  let sum = 0;
  while (computedMs() < afterWaitMs + 50) for (let i = 0; i < 10_000; i++) sum += i;
  expect(sum).toBeGreaterThan(0);
});

import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { Watchdog } from './watchdog.ts';

async function isEndedAfter(silentMs: number, begin: (watchdog: Watchdog) => void): Promise<boolean> {
  const clock = new SteppedClock();
  using watchdog = new Watchdog(clock, new AbortController().signal);
  begin(watchdog);
  await clock.advance(silentMs);
  return watchdog.signal.aborted;
}

test('a silent watch is given up, unless its connection is probed; which is known when the answer begins', async () => {
  expect(await isEndedAfter(26_000, () => {})).toBe(true);
  expect(await isEndedAfter(26_000, (watchdog) => watchdog.open({ isProbed: false }))).toBe(true);
  expect(await isEndedAfter(600_000, (watchdog) => watchdog.open({ isProbed: true }))).toBe(false);
});

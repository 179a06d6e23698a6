import { expect, test } from 'vitest';
import { SteppedClock } from './stepped-clock.ts';
import { Turns } from './turns.ts';

test('a computation gives way once a turn was long, and then has a turn of its own', async () => {
  const clock = new SteppedClock();
  let waits = 0;
  const turn = async (): Promise<void> => void waits++;
  const turns = new Turns(clock, { longMs: 10, turn });
  await clock.advance(9);
  expect(turns.next()).toBeUndefined();
  await clock.advance(1);
  await turns.next();
  expect(waits).toBe(1);
  expect(turns.next()).toBeUndefined();
});

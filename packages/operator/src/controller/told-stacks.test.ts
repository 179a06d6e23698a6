import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { ToldStacks } from './told-stacks.ts';

const at = (line: number, error = 'no') => ({ error, stack: `Error: ${error}\n    at reconcile (src/a.ts:${line}:1)` });

test('a stack is told once, and again after a minute', async () => {
  const clock = new SteppedClock();
  const told = new ToldStacks(clock);
  expect(told.shorten(at(1))).toEqual(at(1));
  expect(told.shorten(at(1))).toEqual({ error: 'no' });
  await clock.advance(60_000);
  expect(told.shorten(at(1))).toEqual(at(1));
});

test('another message and another place are told too', () => {
  const told = new ToldStacks(new SteppedClock());
  for (const fields of [at(1), at(1, 'never'), at(2)]) expect(told.shorten(fields)).toEqual(fields);
});

test('a hundred are remembered', () => {
  const told = new ToldStacks(new SteppedClock());
  for (let line = 0; line <= 100; line++) told.shorten(at(line));
  expect(told.shorten(at(100))).toEqual({ error: 'no' });
  expect(told.shorten(at(0))).toEqual(at(0));
});

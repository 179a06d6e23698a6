import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { LogPrinter } from './log-printer.ts';

test('a failure that repeats is shown once in ten seconds, with a count', async () => {
  const clock = new SteppedClock();
  const shown: string[] = [];
  const printer = new LogPrinter({ clock, print: (line) => shown.push(line) });
  const fail = (name: string, id: number): void =>
    printer.print(
      JSON.stringify({ level: 'warn', time: `${id}`, message: 'Failed', error: 'no', name, reconcileId: id }),
    );
  for (let id = 0; id < 9; id++) fail('apple', id);
  fail('pear', 10);
  expect(shown.map((line) => JSON.parse(line).name)).toEqual(['apple', 'pear']);
  await clock.advance(10_000);
  fail('apple', 11);
  expect(JSON.parse(shown[2]!)).toMatchObject({ message: 'Failed (8 more since the last line)', reconcileId: 11 });
  await clock.advance(10_000);
  fail('apple', 12);
  expect(JSON.parse(shown[3]!).message).toBe('Failed');
});

test('every other line is shown', () => {
  const shown: string[] = [];
  const printer = new LogPrinter({ print: (line) => shown.push(line) });
  const info = JSON.stringify({ level: 'info', message: 'Labelled' });
  for (const line of [info, info, 'text', 'text']) printer.print(line);
  expect(shown).toEqual([info, info, 'text', 'text']);
});

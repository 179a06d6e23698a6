import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { ErrorLog } from './error-log.ts';
import type { Fields } from './log.ts';

function open() {
  const clock = new SteppedClock();
  const lines: [string, Fields | undefined][] = [];
  const log = new ErrorLog({ error: (message, fields) => void lines.push([message, fields]) }, clock);
  return { clock, lines, log };
}

test('an error is written whole once a minute, and then how often it came again', async () => {
  const { clock, lines, log } = open();
  const fail = (word: string): void => log.write('Request failed', new TypeError(word), { path: word });
  for (let i = 0; i < 2_000; i++) fail(`/${i}`);
  expect(lines).toEqual([['Request failed', { path: '/0', error: expect.stringMatching(/TypeError: \/0\n.* at /s) }]]);
  await clock.advance(60_000);
  expect(lines.slice(1)).toEqual([
    ['Request failed again', { count: 1_999, kind: expect.stringContaining('TypeError at') }],
  ]);
  fail('/later');
  expect(lines.at(-1)).toMatchObject(['Request failed', { path: '/later' }]);
  await clock.advance(120_000);
  expect(lines).toHaveLength(3);
});

test('kinds are told apart by where they are thrown, up to a number', () => {
  const { lines, log } = open();
  log.write('Request failed', new Error('a'), {});
  log.write('Request failed', new Error('a'), {});
  expect(lines).toHaveLength(2);
  for (let i = 0; i < 500; i++) {
    const error = new Error('x');
    error.name = `Kind${i}`;
    log.write('Request failed', error, {});
  }
  expect(lines.length).toBeLessThanOrEqual(101);
});

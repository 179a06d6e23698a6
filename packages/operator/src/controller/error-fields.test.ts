import { SteppedClock } from '@pintle/async';
import { ClientError } from '@pintle/client';
import { conflictError, notFoundError } from '@pintle/machinery/errors';
import { expect, test } from 'vitest';
import { errorFields, LoggedStacks } from './error-fields.ts';
import { TerminalError } from './request.ts';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:2');
const fruits = { group: 'food.test', resource: 'fruits' };

test('a mistake is told with its place and its causes', () => {
  const { error, stack } = errorFields(new TypeError('fetch failed', { cause: refused }));
  expect(error).toBe('fetch failed: connect ECONNREFUSED 127.0.0.1:2');
  expect(stack).toMatch(
    /^TypeError: fetch failed: connect ECONNREFUSED 127\.0\.0\.1:2\n {4}at .*error-fields\.test\.ts:\d+/,
  );
});

test('so is any error that nobody expects', () => {
  expect(errorFields(new Error('no money')).stack).toContain('error-fields.test.ts');
});

test.each([
  ['an object that is gone', notFoundError(fruits, 'apple')],
  ['somebody who wrote first', conflictError(fruits, 'apple', 'it changed')],
  [
    'a server that cannot be reached',
    new ClientError({ code: 'Unreachable', server: 'it', isSent: false }, { cause: refused }),
  ],
  ['something that somebody has to change', new TerminalError('the image has no name')],
  ['what is no error at all', 'just words'],
])('%s is told in a line', (_what, error) => expect(Object.keys(errorFields(error))).toEqual(['error']));

const at = (line: number, error = 'no') => ({ error, stack: `Error: ${error}\n    at reconcile (src/a.ts:${line}:1)` });

test('a stack is told once, and again after a minute', async () => {
  const clock = new SteppedClock();
  const told = new LoggedStacks(clock);
  expect(told.shorten(at(1))).toEqual(at(1));
  expect(told.shorten(at(1))).toEqual({ error: 'no' });
  await clock.advance(60_000);
  expect(told.shorten(at(1))).toEqual(at(1));
});

test('another message and another place are told too', () => {
  const told = new LoggedStacks(new SteppedClock());
  for (const fields of [at(1), at(1, 'never'), at(2)]) expect(told.shorten(fields)).toEqual(fields);
});

test('a hundred are remembered', () => {
  const told = new LoggedStacks(new SteppedClock());
  for (let line = 0; line <= 100; line++) told.shorten(at(line));
  expect(told.shorten(at(100))).toEqual({ error: 'no' });
  expect(told.shorten(at(0))).toEqual(at(0));
});

import { expect, test } from 'vitest';
import { errorText } from './error-text.ts';

const refused = new Error('connect ECONNREFUSED 127.0.0.1:1');

test.each<[string, unknown, string]>([
  ['an error without a cause', new Error('no'), 'no'],
  ['a cause', new TypeError('fetch failed', { cause: refused }), 'fetch failed: connect ECONNREFUSED 127.0.0.1:1'],
  ['causes of causes', new Error('a', { cause: new Error('b', { cause: 'c' }) }), 'a: b: c'],
  [
    'a cause that was said already',
    new Error(`Cannot reach it: ${refused.message}`, { cause: refused }),
    `Cannot reach it: ${refused.message}`,
  ],
  [
    'several errors in one',
    new Error('fetch failed', { cause: new AggregateError([refused, new Error('connect ECONNREFUSED ::1:1')]) }),
    'fetch failed: connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED ::1:1',
  ],
  ['an error without words', new RangeError(), 'RangeError'],
  ['what is no error', 'just text', 'just text'],
  ['nothing', undefined, 'undefined'],
])('tells %s', (_what, error, text) => expect(errorText(error)).toBe(text));

test('ends, however causes are tied together', () => {
  const [first, second] = [new Error('first'), new Error('second')];
  first.cause = second;
  second.cause = first;
  expect(errorText(first)).toBe('first: second');
  const endless = Array.from({ length: 100 }, (_, index) => index).reduce(
    (cause: Error, index) => new Error(`${index};`, { cause }),
    new Error('-1;'),
  );
  expect(errorText(endless)).toBe('99;: 98;: 97;: 96;: 95;: 94;: 93;: 92;: 91;');
});

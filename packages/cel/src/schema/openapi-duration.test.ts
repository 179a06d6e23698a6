import { expect, test } from 'vitest';
import { parseOpenApiDuration } from './openapi-duration.ts';

const second = 1_000_000_000n;

test.each([
  ['1h30m', 5_400n * second],
  ['2 days and 3 hours', 51n * 3_600n * second],
  ['1 2 sec', 2n * second],
  ['1 sec 2', second],
  ['1 sec, 99999999999999999999', second],
  ['007 secs', 7n * second],
  ['99999999999999999999 sec', undefined],
  ['1 fortnight', undefined],
  ['12', undefined],
  ['', undefined],
])('%j', (text, nanos) => {
  expect(parseOpenApiDuration(text)?.nanos).toBe(nanos);
});

test.each([`1 sec ${'1'.repeat(1_000_000)}`, `1 sec ${'1 '.repeat(500_000)}`, `1 sec 1${' '.repeat(1_000_000)}!`])(
  'numbers without a unit are read once, case %#',
  (text) => {
    expect(parseOpenApiDuration(text)?.nanos).toBe(second);
  },
);

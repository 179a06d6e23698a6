import { expect, test } from 'vitest';
import { readRange } from './byte-range.ts';

const malformed = { problem: 'invalid range', isPast: false };

test.each([
  [undefined, undefined],
  ['bytes=0-4', { first: 0, last: 4 }],
  ['bytes= 2 - 4 ', { first: 2, last: 4 }],
  ['bytes=2-', { first: 2, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=0-99', { first: 0, last: 9 }],
  ['bytes=0-1,3-4', undefined],
  ['bytes=10-', { problem: 'invalid range: failed to overlap', isPast: true }],
  ['bytes=-', malformed],
  ['bytes=4', malformed],
  ['bytes=4-2', malformed],
  ['bytes=1-2-3', malformed],
  ['bytes=1 1-2', malformed],
  ['bytes=x-2', malformed],
  ['lines=1-2', malformed],
])('Range: %s', (header, range) => {
  expect(readRange(header, 10)).toEqual(range);
});

test.each([`bytes=${' '.repeat(1_000_000)}x`, `bytes=${'1'.repeat(1_000_000)}x-`, `bytes=1-${' '.repeat(1_000_000)}x`])(
  'a long header that is no range is read once, case %#',
  (header) => {
    expect(readRange(header, 10)).toEqual(malformed);
  },
);

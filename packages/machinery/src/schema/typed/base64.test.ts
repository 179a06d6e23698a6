import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalBase64 } from './base64.ts';

test.each([
  ['', ''],
  ['YWJj', 'YWJj'],
  ['YQ==', 'YQ=='],
  ['YR==', 'YQ=='],
  ['YWI=', 'YWI='],
  ['YWJ=', 'YWI='],
  ['YW\r\nJj\n', 'YWJj'],
  ['YQ=\n=', 'YQ=='],
])('%j is the same bytes as %j', (text, canonical) => {
  expect(canonicalBase64(text)).toEqual({ canonical });
});

test.each([
  ['***', 0],
  ['2', 0],
  ['no base64!', 2],
  ['YWJjYQ', 4],
  ['YQ=', 3],
  ['YQ=x', 2],
  ['=', 0],
  ['Y===', 1],
  ['YQ==YQ==', 4],
  ['YWJ-', 3],
])('%j is corrupt at %j', (text, corruptAt) => {
  expect(canonicalBase64(text)).toEqual({ corruptAt });
});

test('bytes come back as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(canonicalBase64(text)).toEqual({ canonical: text });
    }),
  );
});

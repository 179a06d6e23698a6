import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentJson, indentJsonPieces } from './indent.ts';
import { stringifyJson } from './stringify.ts';
import { arbitraryJson } from './testing/arbitrary-json.ts';

test('indentJson writes what the native writer would', () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      const text = stringifyJson(value).replaceAll(/\d{16,}/g, '7');
      expect(indentJson(text)).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
    }),
  );
});

test('indentJson keeps numbers that no double holds', () => {
  expect(indentJson(stringifyJson({ a: [1n << 60n, {}], b: [] }))).toBe(
    '{\n  "a": [\n    1152921504606846976,\n    {}\n  ],\n  "b": []\n}',
  );
});

test('indentJsonPieces writes what is much longer than it was in pieces', () => {
  let deep = '{}';
  for (let i = 0; i < 900; i++) deep = `{"a":${deep}}`;
  const compact = `[${deep},${deep}]`;
  expect([...indentJsonPieces(compact)].length).toBeGreaterThan(5);
  expect(indentJson(compact)).toBe(JSON.stringify(JSON.parse(compact), undefined, 2));
});

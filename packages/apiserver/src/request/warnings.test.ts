import { expect, test } from 'vitest';
import { Warnings } from './pipeline.ts';

function headers(...texts: string[]): string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.toHeaders();
}

test('a warning is said once, quoted', () => {
  expect(headers('unknown field "a"', 'unknown field "a"', 'b\\c')).toEqual([
    '299 - "unknown field \\"a\\""',
    '299 - "b\\\\c"',
  ]);
});

test('nothing a header cannot carry gets in', () => {
  expect(headers('a\r\nset-cookie: x', '', 'done \u2713')).toEqual(['299 - "done \u2713"']);
});

test('too many are cut short and then left out', () => {
  const many = headers(...Array.from({ length: 30 }, (_, i) => `${i}${'x'.repeat(500)}`));
  expect(many).toHaveLength(16);
  expect(many[0]).toHaveLength('299 - ""'.length + 256);
  expect(headers(...Array.from({ length: 30 }, (_, i) => `${10 + i}${'x'.repeat(198)}`))).toHaveLength(21);
});

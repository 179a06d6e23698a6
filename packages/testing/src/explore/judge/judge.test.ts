import { expect, test } from 'vitest';
import { isLike } from './judge.ts';

test.each([
  ['configmaps default/cache', 'configmaps default/cache', true],
  ['configmaps default/cache', 'configmaps */cache', true],
  ['configmaps default/cache', '*', true],
  ['configmaps default/cache', 'configmaps *c*he', true],
  ['configmaps default/cache', 'secrets *', false],
  ['configmaps default/cache', 'configmaps', false],
  ['aba', 'ab*ba', false],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
])('%s is like %s: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

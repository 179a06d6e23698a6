import { expect, test } from 'vitest';
import { ENDLESS } from '../model/finding.ts';
import { isLike } from './judge.ts';
import { patternOf } from './patterns.ts';

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

test('an operator that keeps writing may have a schedule', () => {
  const violation = { rule: 'no-rest', subject: 'fruits default/apple' } as const;
  expect(patternOf({ ...violation, found: ENDLESS }, []).cure).toContain(
    'Explore a schedule with intervals of an hour',
  );
  expect(patternOf({ ...violation, found: 'it is written although nothing has changed' }, []).cure).not.toContain(
    'hour',
  );
});

import { expect, test } from 'vitest';
import { Reasons } from './reason.ts';

test('reasons are kept until they are taken, each object its own', () => {
  const reasons = new Reasons();
  reasons.note('a', { cause: 'external' });
  reasons.note('a', { cause: 'updated', kind: 'Pod', name: 'p' });
  reasons.note('b', { cause: 'external' });
  expect(reasons.take('a').map(({ cause }) => cause)).toEqual(['external', 'updated']);
  expect(reasons.take('a')).toEqual([]);
  expect(reasons.take('b')).toHaveLength(1);
});

test('a busy object keeps the first few', () => {
  const reasons = new Reasons();
  for (let i = 0; i < 1_000; i++) reasons.note('a', { cause: 'external' });
  expect(reasons.take('a')).toHaveLength(16);
});

import { expect, test } from 'vitest';
import { table } from './table.ts';

test('a table has what was put into it, and nothing else', () => {
  const verbs = table({ GET: 'get' });
  expect(verbs.GET).toBe('get');
  for (const word of Object.getOwnPropertyNames(Object.prototype)) expect(verbs[word]).toBeUndefined();
});

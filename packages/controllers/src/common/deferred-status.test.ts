import { expect, test } from 'vitest';
import { DeferredStatus } from './deferred-status.ts';

test('a status is put off after a change, but never twice in a row', () => {
  const statuses = new DeferredStatus();
  const looks = [false, true, true, true, false].map((isChanged) => statuses.shouldDefer('a', { isChanged }));
  expect(looks).toEqual([false, true, false, true, false]);
  expect(statuses.shouldDefer('b', { isChanged: true })).toBe(true);
});

import { expect, test } from 'vitest';
import { RememberedObjects } from './remembered-objects.ts';

const object = (uid: string, resourceVersion: string, text = '') => ({
  apiVersion: 'example.com/v2',
  kind: 'Thing',
  metadata: { name: uid, uid, resourceVersion },
  text,
});

test('an object is remembered in one state, by the first that was said of it, and given out as a copy', () => {
  const remembered = new RememberedObjects();
  remembered.remember(object('a', '1', 'first'));
  remembered.remember(object('a', '1', 'second'));
  const found = remembered.find(object('a', '1'))!;
  expect(found).toEqual(object('a', '1', 'first'));
  found.kind = 'Other';
  expect(remembered.find(object('a', '1'))!.kind).toBe('Thing');
  remembered.remember(object('a', '2', 'third'));
  expect(remembered.find(object('a', '1'))).toBeUndefined();
});

test('what was looked at longest ago is forgotten when there is too much', () => {
  const remembered = new RememberedObjects();
  const large = 'x'.repeat(12 * 1024 * 1024);
  for (const uid of ['a', 'b']) remembered.remember(object(uid, '1', large));
  remembered.find(object('a', '1'));
  remembered.remember(object('c', '1', large));
  expect(['a', 'b', 'c'].map((uid) => remembered.find(object(uid, '1')) !== undefined)).toEqual([true, false, true]);
});

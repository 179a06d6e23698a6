import { expect, test } from 'vitest';
import { ConversionCache } from './conversion-cache.ts';

const object = (uid: string, resourceVersion: string, text = '') => ({
  apiVersion: 'example.com/v2',
  kind: 'Thing',
  metadata: { name: uid, uid, resourceVersion },
  text,
});

test('an object is cache in one state, by the first that was said of it, and given out as a copy', () => {
  const cache = new ConversionCache();
  cache.add(object('a', '1', 'first'));
  cache.add(object('a', '1', 'second'));
  const found = cache.find(object('a', '1'))!;
  expect(found).toEqual(object('a', '1', 'first'));
  found.kind = 'Other';
  expect(cache.find(object('a', '1'))!.kind).toBe('Thing');
  cache.add(object('a', '2', 'third'));
  expect(cache.find(object('a', '1'))).toBeUndefined();
});

test('what was looked at longest ago is forgotten when there is too much', () => {
  const cache = new ConversionCache();
  const large = 'x'.repeat(12 * 1024 * 1024);
  for (const uid of ['a', 'b']) cache.add(object(uid, '1', large));
  cache.find(object('a', '1'));
  cache.add(object('c', '1', large));
  expect(['a', 'b', 'c'].map((uid) => cache.find(object(uid, '1')) !== undefined)).toEqual([true, false, true]);
});

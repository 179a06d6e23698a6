import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import { allSettledLimited } from './concurrency.ts';

test('all is done in order, each outcome in its place, and never much at once', async () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  const gate = deferred<void>();
  const begun: number[] = [];
  const all = allSettledLimited(items, async (item, index) => {
    begun.push(item);
    await gate.promise;
    if (item === 7) throw new Error('Seven');
    return item + index;
  });
  await Promise.resolve();
  expect(begun.length).toBe(32);
  gate.resolve();
  const outcomes = await all;
  expect(begun).toEqual(items);
  expect(outcomes[7]).toMatchObject({ status: 'rejected', reason: { message: 'Seven' } });
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 14))).toEqual(
    items.map((item) => 2 * item),
  );
});

test('nothing to do is done', async () => expect(await allSettledLimited([], async () => 1)).toEqual([]));

import { expect, test } from 'vitest';
import type { KubeObject } from '../api/objects.ts';
import { shardsOf } from './shards.ts';

const map = (slots: unknown, labels: Record<string, string> = { 'pintle.dev/shard-map': 'fruits' }): KubeObject => ({
  metadata: { name: 'fruits-shards', uid: '1', resourceVersion: '1', labels },
  data: { slots },
});

test('a shard map tells who owns how many slots, which move, and which nobody owns', () => {
  const shards = shardsOf(map('00-3f a 4\n40-47 a~b 4\n48-4f a>b 4\n50-fe b 2\nff-ff - 0\n'));
  expect(shards).toMatchObject({ name: 'fruits', unowned: 1, moving: 16 });
  expect(shards?.owners).toEqual([
    { name: 'a', slots: 80, arriving: 0, leaving: 16 },
    { name: 'b', slots: 175, arriving: 16, leaving: 0 },
  ]);
  const { cells = [] } = shards ?? {};
  expect(cells.length).toBe(256);
  expect(cells[0]).toEqual({ owner: 0, words: '0: a, epoch 4', isMoving: false });
  expect(cells[0x40]).toEqual({ owner: 0, words: '64: a, moves to b, epoch 4', isMoving: true });
  expect(cells[0x48]!.words).toBe('72: a, hands over to b, epoch 4');
  expect(cells[0xff]).toEqual({ owner: -1, words: '255: no owner, epoch 0', isMoving: false });
});

test.each([
  ['another ConfigMap', map('00-ff a 1\n', {})],
  ['a map with missing slots', map('00-fe a 1\n')],
  ['a map without text', map(7)],
])('%s has no shards', (_, object) => expect(shardsOf(object)).toBeUndefined());

import { Node } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { stepped } from '../index.ts';
import { addFruitController, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

test('nobody asks anything for a month on a quiet clock, and nodes stay ready', async () => {
  await using plane = await startOwnPlane({
    crds: [fruitDefinition],
    objects: [fruit('apple')],
    controllers: ['garbage-collector-controller', 'node-lifecycle-controller', 'taint-eviction-controller'],
    nodes: 3,
    clock: stepped({ isQuiet: true }),
  });
  plane.operator(addFruitController);
  const areReady = async (): Promise<boolean[]> =>
    (await plane.client.list(Node)).items.map(
      ({ spec, status }) =>
        spec?.taints === undefined &&
        status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
  await plane.eventually(async () => (await areReady()).filter(Boolean).length === 3);
  await plane.untilIdle();
  await plane.clock.advance('1m');
  const place = plane.requests.length;
  await plane.clock.advance('720h');
  expect(plane.requests.since(place).toString()).toBe('');
  expect(await areReady()).toEqual([true, true, true]);
});

import { ConfigMap } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { stepped } from '../index.ts';
import { Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const options = { crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() };
const apple = { namespace: 'default', name: 'apple' };
const TOLD = /Fruit default\/apple: it did not await ctx.apply of ConfigMap/;

/** Its first reconcile does not await; the retry finds nothing to do, and hides that. */
function addHastyController(manager: Manager): void {
  let isFirst = true;
  manager.controller(Fruit).reconcile(async (_object, context) => {
    const applied = context.apply(ConfigMap, { metadata: { name: 'apple-label' } });
    if (!isFirst) await applied;
    isFirst = false;
    context.status({ ripe: true } as never);
  });
}

test('a plane does not close quietly when a reconcile did not await what it began', async () => {
  const plane = await startOwnPlane(options);
  plane.operator(addHastyController);
  while (!plane.complaints.some((complaint) => TOLD.test(complaint))) await plane.clock.advance('1s');
  await expect(plane.close()).rejects.toThrow(TOLD);
});

test('a wait tells of it at once, and closing does not repeat that', async () => {
  const plane = await startOwnPlane(options);
  plane.operator(addHastyController);
  await expect(plane.untilMatches(Fruit, apple, { status: { ripe: false } } as never)).rejects.toThrow(TOLD);
  await plane.close();
});

test('a manager that the test runs is watched as well', async () => {
  const plane = await startOwnPlane(options);
  const manager = plane.manager();
  addHastyController(manager);
  const running = manager.run();
  await expect(plane.untilMatches(Fruit, apple, { status: { ripe: false } } as never)).rejects.toThrow(TOLD);
  await plane.close();
  await running;
});

test('a test may allow it', async () => {
  const plane = await startOwnPlane(options);
  plane.operator(addHastyController, { allowsUnawaited: true });
  await plane.untilMatches(Fruit, apple, { status: { ripe: true } } as never);
  await plane.close();
});

// Runs under `node --test`, on what is built: the package needs no test runner of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startControlPlane, stepped } from '../../dist/index.js';
import { addFruitController, Fruit, fruit, fruitDefinition } from '../../dist/testing/fruit.js';

const apple = { namespace: 'default', name: 'apple' };
let plane;

before(async () => {
  plane = await startControlPlane({ crds: [fruitDefinition], clock: stepped() });
  plane.operator(addFruitController);
});

after(() => plane.close());

test('a fruit becomes ripe', async () => {
  await plane.client.create(Fruit, fruit('apple'));
  const { status } = await plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  assert.deepEqual(status, { ripe: true });
});

test('nothing is written in the steady state', async () => {
  await plane.untilIdle();
  const place = plane.requests.length;
  await plane.clock.advance('1h');
  plane.requests.since(place).assertWrites(0, { actor: 'operator' });
});

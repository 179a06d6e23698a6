import { expect, test } from 'vitest';
import { stepped } from '../index.ts';
import { Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const apple = { namespace: 'default', name: 'apple' };

test('an operator that wakes itself for ever is told of', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], objects: [fruit('apple')], clock: stepped() });
  plane.operator((manager) => {
    manager.controller(Fruit).reconcile(async ({ spec }, { client }) => {
      await client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: spec.weight + 1 } } });
    });
  });
  const ripe = plane.untilMatches(Fruit, apple, { status: { ripe: true } });
  await expect(ripe).rejects.toThrow(
    /no time passes, and “operator PATCH \/apis.*\/fruits\/apple” has taken effect \d+ times/,
  );
});

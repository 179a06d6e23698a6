import { expect, test } from 'vitest';
import { stepped } from '../clock/plane-clock.ts';
import { addFruitController, fruitDefinition } from '../testing/fruit.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

test('an operator that may not list a kind ends by naming the kind and the refusal', async () => {
  await using plane = await startOwnPlane({ crds: [fruitDefinition], users: { gardener: {} }, clock: stepped() });
  plane.operator(addFruitController, { user: 'gardener' });
  const failed = plane.eventually(() => false, { within: '10m' });
  await expect(failed).rejects.toThrow(
    /Fruit, .* not listed within 120000 ms\. The last attempt failed: Fruit: fruits.* is forbidden: User "gardener" cannot watch/,
  );
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineResource, type Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startControlPlane, stepped } from './index.ts';

const Fruit = defineResource({
  group: 'food.example.com',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int() }),
});

// The page shows what stands between the markers.
// begin controller
export interface Market {
  offer(name: string): Promise<void>;
  withdraw(name: string): Promise<void>;
}

export function addMarketController(manager: Manager, market: Market): void {
  manager.controller(Fruit).reconcile(async ({ metadata: { name } }, ctx) => {
    if (await ctx.finalize('food.example.com/market', () => market.withdraw(name))) return;
    await market.offer(name);
  });
}
// end controller

// begin test
class FakeMarket implements Market {
  readonly offers = new Set<string>();

  async offer(name: string): Promise<void> {
    this.offers.add(name);
  }

  async withdraw(name: string): Promise<void> {
    this.offers.delete(name);
  }
}

test('a fruit is offered until it is deleted', async () => {
  const apple = { namespace: 'default', name: 'apple' };
  const market = new FakeMarket();
  await using plane = await startControlPlane({ crds: [Fruit], clock: stepped() });
  plane.operator((manager) => addMarketController(manager, market));

  await plane.client.create(Fruit, { metadata: apple, spec: { weight: 120 } });
  await plane.eventually(() => market.offers.has('apple'));

  await plane.client.delete(Fruit, apple);
  await plane.untilGone(Fruit, apple);
  expect(market.offers).toEqual(new Set());
});
// end test

test('docs/testing-an-operator.md shows this code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/testing-an-operator.md'), 'utf8');
  const own = await readFile(import.meta.filename, 'utf8');
  const parts = [...own.matchAll(/^\/\/ begin (\w+)\n([\s\S]*?)^\/\/ end \1$/gm)].map(([, , code]) => code);
  expect(parts).toHaveLength(2);
  for (const code of parts) expect(page).toContain(code!.trimEnd());
});

// The operator of the soak test: a label for every fruit.
import { ConfigMap } from '@pintle/kinds/core/v1';
import { defineResource, Manager } from '@pintle/operator';
import { z } from 'zod';

export const Fruit = defineResource({
  group: 'soak.example.com',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int() }),
  status: z.object({ ripe: z.boolean().optional() }),
});

if (process.argv[1] === import.meta.filename) {
  const manager = new Manager();
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async (fruit, ctx) => {
      if (await ctx.finalize('soak.example.com/market', async () => undefined)) return;
      const { name } = fruit.metadata;
      await ctx.apply(ConfigMap, { metadata: { name: `${name}-label` }, data: { weight: `${fruit.spec.weight}` } });
      ctx.status({ ripe: fruit.spec.weight > 100 });
    });
  await manager.run();
}

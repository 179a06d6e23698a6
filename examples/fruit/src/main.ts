import { ConfigMap } from '@pintle/kinds/core/v1';
import { conditions, defineResource, Manager } from '@pintle/operator';
import { z } from 'zod';

export const Fruit = defineResource({
  group: 'user.k8sasdb.org',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int().min(1), sweetness: z.boolean().default(false), comment: z.string().optional() }),
  status: z.object({ ripe: z.boolean().optional(), conditions: conditions() }),
  columns: [{ name: 'Weight', type: 'integer', jsonPath: '.spec.weight' }],
});
export type Fruit = typeof Fruit.Type;

const manager = new Manager({ leaderElection: 'fruit-operator' });
manager
  .controller(Fruit)
  .owns(ConfigMap)
  .reconcile(async (fruit, ctx) => {
    await ctx.apply(ConfigMap, {
      metadata: { name: `${fruit.metadata.name}-label` },
      data: { weight: `${fruit.spec.weight}` },
    });
    ctx.status({ ripe: fruit.spec.weight > 100 });
  });
await manager.run();

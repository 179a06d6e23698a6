import { ConfigMap } from '@pintle/kinds/core/v1';
import { defineResource, type Manager } from '@pintle/operator';
import { z } from 'zod';

/** A resource to run suites with. */
export const Fruit = defineResource({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int().min(1) }),
  status: z.object({ ripe: z.boolean().optional() }),
});

export function fruit(name: string, weight = 120): typeof Fruit.Type {
  return { apiVersion: Fruit.apiVersion, kind: Fruit.kind, metadata: { namespace: 'default', name }, spec: { weight } };
}

export function addFruitController(manager: Manager): void {
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async ({ metadata, spec: { weight } }, ctx) => {
      await ctx.apply(ConfigMap, { metadata: { name: `${metadata.name}-label` }, data: { weight: `${weight}` } });
      ctx.status({ ripe: weight > 100 });
    });
}

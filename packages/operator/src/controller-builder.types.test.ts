import { defineIndex } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { requestOf } from './controller/request.ts';
import type { Manager } from './manager/manager.ts';
import type { ReconcileContext } from './reconcile/reconcile-context.ts';
import { defineResource } from './resource/define-resource.ts';

// Mistakes that the compiler refuses stand after @ts-expect-error, in functions that nobody calls: the build checks them.

const Fruit = defineResource({
  group: 'g.test',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int(), secret: z.string().optional(), tags: z.array(z.string()).default([]) }),
  status: z.object({ ripe: z.boolean().optional() }),
});
type Fruit = typeof Fruit.Type;
const bySecret = defineIndex(Fruit, ({ spec }) => (spec.secret ? [spec.secret] : []));

test('a reconcile asks to be called again by the name and the unit there are', () => {
  void ((manager: Manager) => {
    manager.controller(Fruit).reconcile(async () => ({ requeueAfterMs: 5_000 }));
    manager.controller(Fruit).reconcile(async (fruit) => (fruit.spec.weight > 1 ? { requeueAfterMs: 5 } : undefined));
    // @ts-expect-error it is requeueAfterMs, in milliseconds
    manager.controller(Fruit).reconcile(async () => ({ requeueAfter: 5 }));
    // @ts-expect-error it is requeueAfterMs
    manager.controller(Fruit).reconcile(async () => ({ requeue: true }));
    // @ts-expect-error on one of its ways
    manager.controller(Fruit).reconcile(async ({ spec }) => {
      if (spec.weight > 1) return { requeueAfterMs: 5 };
      return { requeueAfter: 5 };
    });
    // @ts-expect-error beside what is right
    manager.controller(Fruit).reconcile(async () => ({ priority: 1, requeueAfter: 5 }));
    // @ts-expect-error also of requests
    manager.controller(Fruit).reconcileRequests(async () => ({ priority: 1, requeueAfter: 5 }));
  });
});

test('a reconcile looks at its object, which says who it is', () => {
  void ((manager: Manager) => {
    manager
      .controller(Fruit)
      .owns(ConfigMap)
      .reconcile(async (fruit, ctx) => {
        expectTypeOf(fruit.metadata.name).toEqualTypeOf<string>();
        expectTypeOf(fruit.metadata.namespace).toEqualTypeOf<string>();
        expectTypeOf(fruit.metadata.uid).toEqualTypeOf<string>();
        expectTypeOf(ctx.request.namespace).toEqualTypeOf<string>();
        // @ts-expect-error it is shared
        fruit.spec.weight = 1;
        // @ts-expect-error it is shared
        fruit.metadata.labels = {};
        // @ts-expect-error a list of it is shared
        fruit.spec.tags.push('red');
        const child = await ctx.apply(ConfigMap, { metadata: { name: `${fruit.metadata.name}-label` } });
        // @ts-expect-error what was applied is shared
        child.data = {};
        await ctx.get(ConfigMap, 'of-the-same-namespace');
        await ctx.get(ConfigMap, { namespace: fruit.metadata.namespace, name: 'a' });
        // @ts-expect-error maps are in namespaces
        await ctx.get(ConfigMap, { name: 'a' });
        // @ts-expect-error a map has no such field
        await ctx.apply(ConfigMap, { metadata: { name: 'a' }, daat: {} });
        await helper(fruit, ctx);
        await ctx.live.get(Fruit, ctx.request);
      });
  });
});

async function helper(fruit: Fruit, ctx: ReconcileContext<Fruit>): Promise<void> {
  await ctx.find(ConfigMap, { namespace: fruit.metadata.namespace, name: 'a' });
}

test('a map function gives requests of the main kind, and may wait', () => {
  void ((manager: Manager) => {
    manager
      .controller(Fruit)
      .indexes(Fruit, bySecret)
      .watches(Secret, (secret) => [{ namespace: secret.metadata.namespace, name: 'a' }])
      .watches(Secret, (secret) => [requestOf(secret)])
      .watches(Secret, async (secret, { client }) =>
        (await client.list(Fruit, { index: bySecret.is(secret.metadata.name) })).map(requestOf),
      )
      .reconcile(async () => undefined);
    // @ts-expect-error fruits are in namespaces
    manager.controller(Fruit).watches(Secret, ({ metadata }) => [{ name: metadata.name }]);
    manager.controller(Fruit).watches(Secret, (secret) => {
      // @ts-expect-error what it looks at is shared
      secret.data = {};
      return [];
    });
    // @ts-expect-error it is an index of fruits
    manager.controller(Fruit).indexes(Secret, bySecret);
    // @ts-expect-error an index is no name
    manager.controller(Fruit).indexes(Fruit, 'bySecret');
  });
});

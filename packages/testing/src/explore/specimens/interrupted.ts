import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import type { ScenarioContext } from '../model/options.ts';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

async function createAndResize({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ size: 1 }));
  await settle();
  await client.patch(Cluster, db, { type: 'merge', body: { spec: { size: 2 } } });
  await settle();
}

/** I1: the child has the new size before the volume; after a crash between, the volume never gets it. */
const firstHidesSecond = specimen(
  'the first write hides the second',
  'I1',
  { scenario: createAndResize },
  (isMended) => {
    return (manager) => {
      manager
        .controller(Cluster)
        .owns(ConfigMap)
        .reconcile(async (object, ctx) => {
          const data = { size: `${object.spec.size}` };
          const [set, volume] = await Promise.all([ctx.find(ConfigMap, 'db-set'), ctx.find(ConfigMap, 'db-volume')]);
          if (set === undefined || set.data?.size !== data.size) {
            await ctx.apply(ConfigMap, { metadata: { name: 'db-set' }, data });
            await ctx.apply(ConfigMap, { metadata: { name: 'db-volume' }, data });
          } else if (isMended && volume?.data?.size !== data.size)
            await ctx.apply(ConfigMap, { metadata: { name: 'db-volume' }, data });
        });
    };
  },
);

/** I1: reports completion in the status before the work. */
const statusTooEarly = specimen('the status is ahead of the work', 'I1', { scenario: createAndResize }, (isMended) => {
  return (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const { size } = object.spec;
        if (object.status?.size === size && !isMended) return;
        const say = () =>
          ctx.client.patch(Cluster, db, { type: 'merge', body: { status: { size } } }, { subresource: 'status' });
        const work = () => ctx.apply(ConfigMap, { metadata: { name: 'db-volume' }, data: { size: `${size}` } });
        if (isMended) {
          await work();
          if (object.status?.size !== size) await say();
        } else {
          await say();
          await work();
        }
      });
  };
});

/** I2: creates two objects, and checks the first alone. */
const chain = specimen(
  'the secret is there, so the certificate must be',
  'I2',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ replicas: 1 }));
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(Secret)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const secret = await ctx.find(Secret, 'db-key');
        if (secret === undefined) await ctx.client.create(Secret, childOf(object, 'db-key'));
        else if (!isMended) return;
        if ((await ctx.find(ConfigMap, 'db-certificate')) === undefined)
          await ctx.client.create(ConfigMap, childOf(object, 'db-certificate'));
      });
  },
);

export const interruptedSpecimens: readonly Specimen[] = [firstHidesSecond, statusTooEarly, chain];

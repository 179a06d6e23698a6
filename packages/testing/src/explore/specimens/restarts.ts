import { ConfigMap } from '@pintle/kinds/core/v1';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

const web = { namespace: 'default', name: 'web' };

/** I1: keeps in memory what was rolled out: each restart of the operator restarts all that uses a secret. */
const rolledAgain = specimen(
  'a restart of the operator restarts the workloads',
  'I1',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { size: 2 } } });
      await settle();
    },
    objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: web }],
  },
  (isMended) => (manager) => {
    const rolled = new Map<string, number | undefined>();
    manager.controller(Cluster).reconcile(async (object, { client, live, clock }) => {
      const { name } = object.metadata;
      const { size = 0 } = object.spec;
      const known = isMended ? object.status?.size : rolled.get(name);
      if (known === size) return;
      const data = { size: `${size}`, restartedAt: new Date(clock.now()).toISOString() };
      await live.patch(ConfigMap, web, { type: 'merge', body: { data } });
      await client.patch(Cluster, db, { type: 'merge', body: { status: { size } } }, { subresource: 'status' });
      rolled.set(name, size);
    });
  },
);

/** X: waits for a worker that it has started, and that someone has deleted. */
const vanished = specimen(
  'a worker that is gone is waited for with errors',
  'X',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const worker = await ctx.find(ConfigMap, 'db-worker');
        if (worker === undefined && object.status?.phase === 'Started' && !isMended)
          throw new Error('the worker is gone');
        if (worker === undefined) await ctx.client.create(ConfigMap, childOf(object, 'db-worker'));
        ctx.status({ phase: 'Started' });
      });
  },
);

export const restartSpecimens: readonly Specimen[] = [rolledAgain, vanished];

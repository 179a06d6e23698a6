import { addFinalizer, hasFinalizer, removeFinalizer } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { Cluster, cluster, db, type Specimen, specimen } from './cluster.ts';

const FINALIZER = 'specimens.pintle.dev/config';

/** X: writes a list in the order in which it was returned. */
const unstableOrder = specimen(
  'the order of a list is left to chance',
  'X',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ replicas: 1 }));
      for (const name of ['zeta', 'alpha']) {
        await client.create(ConfigMap, { metadata: { namespace: 'default', name, labels: { role: 'member' } } });
        await settle();
      }
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .watches(ConfigMap, () => [db])
      .reconcile(async (_object, ctx) => {
        const found = (await ctx.client.list(ConfigMap, { namespace: 'default' })).filter(
          ({ metadata }) => metadata.labels?.role === 'member',
        );
        const members = found.map(({ metadata }) => metadata.name ?? '');
        ctx.status({ members: isMended ? members.sort() : members });
      });
  },
);

/** X: removes its finalizer before the work of the finalizer. */
const releasesFirst = specimen(
  'the finalizer goes before its work is done',
  'X',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ replicas: 1 }));
      await settle();
      await client.delete(Cluster, db);
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .watches(ConfigMap, () => [db])
      .reconcile(async (object, { client, live }) => {
        const place = { namespace: 'default', name: 'db-config' };
        const found = await client.find(ConfigMap, place);
        if (object.metadata.deletionTimestamp !== undefined) {
          if (!hasFinalizer(object, FINALIZER)) return;
          const clean = async () => (found === undefined ? undefined : await client.delete(ConfigMap, found));
          if (isMended) await clean();
          await removeFinalizer(live, Cluster, object, FINALIZER);
          if (!isMended) await clean();
          return;
        }
        await addFinalizer(live, Cluster, object, FINALIZER);
        if (found === undefined) await client.create(ConfigMap, { metadata: place });
      });
  },
);

/** A: adds wanted keys, and keeps those that are no longer wanted. */
const removedKeyStays = specimen(
  'a removed key stays',
  'A',
  {
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ users: { ann: '1', bob: '2' } }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { users: { bob: null } } } });
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, ctx) => {
        const wanted = object.spec.users ?? {};
        const found = await ctx.find(ConfigMap, 'db-users');
        const data = { ...(isMended ? {} : found?.data), ...wanted };
        if (isMended) await ctx.apply(ConfigMap, { metadata: { name: 'db-users' }, data });
        else if (found === undefined) await ctx.apply(ConfigMap, { metadata: { name: 'db-users' }, data });
        else if (Object.keys(wanted).some((name) => found.data?.[name] !== wanted[name]))
          await ctx.client.patch(
            ConfigMap,
            { namespace: 'default', name: 'db-users' },
            { type: 'merge', body: { data } },
          );
      });
  },
);

export const otherSpecimens: readonly Specimen[] = [unstableOrder, releasesFirst, removedKeyStays];

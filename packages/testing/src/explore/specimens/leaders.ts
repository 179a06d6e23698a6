import { ConfigMap } from '@pintle/kinds/core/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

const config = { namespace: 'default', name: 'db-config' };

/** L: writes without the version that it read: a leader that was paused restores a value that its successor replaced. */
const unfenced = specimen(
  'a leader that was paused puts an old value back',
  'L',
  {
    manager: { leaderElection: { name: 'specimen', namespace: 'default' } },
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
      for (const size of [2, 3]) {
        await client.patch(Cluster, db, { type: 'merge', body: { spec: { size } } });
        await settle();
      }
    },
  },
  (isMended) => (manager) => {
    manager.controller(Cluster).reconcile(async (object, { live }) => {
      const data = { size: `${object.spec.size}` };
      const found = await live.find(ConfigMap, config);
      if (found === undefined) await live.create(ConfigMap, { ...childOf(object, config.name), data });
      else if (found.data?.size !== data.size) {
        const { resourceVersion, ...metadata } = found.metadata;
        await live.update(ConfigMap, { ...found, metadata: isMended ? found.metadata : metadata, data });
      }
    });
  },
);

const space = { namespace: 'default', name: 'db-space' };

/** L: deletes by name what no cluster used when it looked: a leader that was paused deletes that of the next cluster. */
const janitor = specimen(
  'a leader that was paused sweeps up what is in use again',
  'L',
  {
    manager: { leaderElection: { name: 'specimen', namespace: 'default' } },
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
      await client.delete(Cluster, db);
      await settle();
      await client.create(Cluster, cluster({ size: 1 }));
      await settle();
    },
  },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .watches(ConfigMap, () => [db])
      .reconcile(async ({ metadata: { uid } }, { client }) => {
        const found = await client.find(ConfigMap, space);
        if (found === undefined) await client.create(ConfigMap, { metadata: space, data: { uid: `${uid}` } });
      });
    manager
      .controller(ConfigMap, 'janitor')
      .watches(Cluster, () => [space])
      .reconcile(async (found, { client, live }) => {
        if (found.metadata.name !== space.name) return;
        const user = await client.find(Cluster, db);
        if (user?.metadata.uid === found.data?.uid) return;
        if (isMended) await client.delete(ConfigMap, found).catch(ignoring(isConflict));
        else await live.delete(ConfigMap, space).catch(ignoring(isNotFound));
      });
  },
);

export const leaderSpecimens: readonly Specimen[] = [unfenced, janitor];

import { ConfigMap } from '@pintle/kinds/core/v1';
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

export const leaderSpecimens: readonly Specimen[] = [unfenced];

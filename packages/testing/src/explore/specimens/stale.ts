import { addFinalizer, hasFinalizer, type NewObject, removeFinalizer } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import type { ScenarioContext } from '../model/options.ts';
import { Cluster, childOf, cluster, db, type Specimen, specimen } from './cluster.ts';

const FINALIZER = 'specimens.pintle.dev/secrets';

async function createDeleteCreate({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ replicas: 1 }));
  await settle();
  await client.delete(Cluster, db);
  await settle();
  await client.create(Cluster, cluster({ replicas: 1 }));
  await settle();
}

async function scale({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ replicas: 2 }));
  await settle();
  for (const replicas of [1, 2]) {
    await client.patch(Cluster, db, { type: 'merge', body: { spec: { replicas } } });
    await settle();
  }
}

async function toggle({ client, settle }: ScenarioContext): Promise<void> {
  await client.create(Cluster, cluster({ monitoring: true }));
  await settle();
  for (const monitoring of [false, true]) {
    await client.patch(Cluster, db, { type: 'merge', body: { spec: { monitoring } } });
    await settle();
  }
}

/** Credentials of a cluster, without an owner: they outlive it unless its finalizer removes them. */
function credentials(owner: Cluster, name: string): NewObject<Secret> {
  return { metadata: { namespace: owner.metadata.namespace ?? '', name, labels: { cluster: 'db' } } };
}

/** S1: deletes the secret of the current cluster because of the deletionTimestamp of an earlier one. */
const deletesByName = specimen('deletes a secret by its name', 'S1', { scenario: createDeleteCreate }, (isMended) => {
  return (manager) => {
    manager
      .controller(Cluster)
      .watches(Secret, ({ metadata }) => [{ namespace: metadata.namespace, name: 'db' }])
      .reconcile(async (object, { client, live }) => {
        const place = { namespace: 'default', name: `${object.metadata.name}-login` };
        if (object.metadata.deletionTimestamp !== undefined) {
          if (!hasFinalizer(object, FINALIZER)) return;
          const found = await client.find(Secret, place);
          if (isMended && found !== undefined) await client.delete(Secret, found);
          if (!isMended) await live.delete(Secret, place).catch(ignoring(isNotFound));
          await removeFinalizer(live, Cluster, object, FINALIZER);
          return;
        }
        await addFinalizer(live, Cluster, object, FINALIZER);
        if ((await client.find(Secret, place)) !== undefined) return;
        await live.create(Secret, credentials(object, place.name)).catch(ignoring(isAlreadyExists));
      });
  };
});

/** S1: cleans up by a label that the next cluster of the name also has. */
const deletesByLabel = specimen('deletes secrets by a label', 'S1', { scenario: createDeleteCreate }, (isMended) => {
  return (manager) => {
    manager
      .controller(Cluster)
      .watches(Secret, ({ metadata }) => [{ namespace: metadata.namespace, name: 'db' }])
      .reconcile(async (object, { client, live }) => {
        const place = { namespace: 'default', name: 'db-login' };
        if (object.metadata.deletionTimestamp !== undefined) {
          if (!hasFinalizer(object, FINALIZER)) return;
          if (isMended) {
            for (const each of await client.list(Secret, { namespace: 'default' }))
              if (each.metadata.labels?.cluster === 'db') await client.delete(Secret, each);
          } else await live.deleteAll(Secret, { namespace: 'default', labelSelector: 'cluster=db' });
          await removeFinalizer(live, Cluster, object, FINALIZER);
          return;
        }
        await addFinalizer(live, Cluster, object, FINALIZER);
        if ((await client.find(Secret, place)) !== undefined) return;
        await live.create(Secret, credentials(object, place.name)).catch(ignoring(isAlreadyExists));
      });
  };
});

/** S2: scales down because of an old number of replicas. */
const scalesByOldCount = specimen('deletes members by an old count', 'S2', { scenario: scale }, (isMended) => {
  return (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, { client, live }) => {
        const wanted = object.spec.replicas ?? 0;
        for (let index = 0; index < 3; index++) {
          const place = { namespace: 'default', name: `db-${index}` };
          const found = await client.find(ConfigMap, place);
          if (index < wanted && found === undefined)
            await live.create(ConfigMap, childOf(object, place.name)).catch(ignoring(isAlreadyExists));
          if (index >= wanted && isMended && found !== undefined) await client.delete(ConfigMap, found);
          if (index >= wanted && !isMended) await live.delete(ConfigMap, place).catch(ignoring(isNotFound));
        }
      });
  };
});

/** S3: deletes what an old spec did not want. */
const disablesByOldSpec = specimen('disables by an old spec', 'S3', { scenario: toggle }, (isMended) => {
  return (manager) => {
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, { client, live }) => {
        const place = { namespace: 'default', name: 'db-exporter' };
        const found = await client.find(ConfigMap, place);
        if (object.spec.monitoring) {
          if (found === undefined)
            await live.create(ConfigMap, childOf(object, place.name)).catch(ignoring(isAlreadyExists));
          return;
        }
        if (isMended && found !== undefined) await client.delete(ConfigMap, found);
        if (!isMended) await live.delete(ConfigMap, place).catch(ignoring(isNotFound));
      });
  };
});

/** S4: takes a different size as a larger one, and replaces everything because of an old size. */
const growsOnDifference = specimen(
  'takes different for larger',
  'S4',
  {
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
    manager
      .controller(Cluster)
      .owns(ConfigMap)
      .reconcile(async (object, { client, live }) => {
        const { size = 0 } = object.spec;
        const place = { namespace: 'default', name: 'db-set' };
        const set = await live.find(ConfigMap, place);
        const has = Number(set?.data?.size ?? 0);
        if (isMended ? size <= has : size === has) return;
        // The size of a set cannot be changed: the set is replaced.
        if (set !== undefined) await client.delete(ConfigMap, set);
        await live.create(ConfigMap, { ...childOf(object, place.name), data: { size: `${size}` } });
      });
  },
);

export const staleSpecimens: readonly Specimen[] = [
  deletesByName,
  deletesByLabel,
  scalesByOldCount,
  disablesByOldSpec,
  growsOnDifference,
];

import { addFinalizer, hasFinalizer, removeFinalizer } from '@pintle/client';
import { StatefulSet } from '@pintle/kinds/apps/v1';
import { PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import type { ReconcileContext } from '@pintle/operator';
import type { ScenarioContext } from '../model/options.ts';
import { Cluster, cluster, db, type Specimen, specimen } from './cluster.ts';

const FINALIZER = 'specimens.pintle.dev/volumes';
const WORKLOADS = {
  controllers: ['node-lifecycle-controller', 'serviceaccount-controller', 'statefulset-controller'],
  nodes: 1,
};

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

function claim(name: string): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name, labels: { cluster: 'db' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

function setOf(replicas: number): Pick<StatefulSet, 'spec'> {
  return {
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'db', image: 'db:1' }] },
      },
    },
  };
}

/** S1: deletes the claim by name when its cache has no cluster; the claim may belong to the next cluster. */
const claimOfTheNext = specimen(
  'deletes the volume of a cluster that is gone, and come again',
  'S1',
  { scenario: createDeleteCreate },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .watches(PersistentVolumeClaim, () => [db])
      .reconcileRequests(async (request, { client, live }) => {
        const object = await client.find(Cluster, request);
        const place = { namespace: 'default', name: 'data-db-0' };
        const found = await client.find(PersistentVolumeClaim, place);
        if (object !== undefined) {
          if (found === undefined)
            await client.create(PersistentVolumeClaim, claim(place.name)).catch(ignoring(isAlreadyExists));
          return;
        }
        if (!isMended) await live.delete(PersistentVolumeClaim, place).catch(ignoring(isNotFound));
        else if (found !== undefined && (await live.find(Cluster, request)) === undefined)
          await live
            .delete(PersistentVolumeClaim, place, { preconditions: { uid: found.metadata.uid ?? '' } })
            .catch(ignoring(isNotFound));
      });
  },
);

/** S1: its finalizer lists the claims live, and deletes those of the next cluster. */
const finalizesByLabel = specimen(
  'finalizes every volume that has the label',
  'S1',
  { scenario: createDeleteCreate, ...WORKLOADS },
  (isMended) => (manager) => {
    manager
      .controller(Cluster)
      .owns(StatefulSet)
      .watches(PersistentVolumeClaim, () => [db])
      .reconcile(async (object, ctx) => {
        if (object.metadata.deletionTimestamp !== undefined) {
          if (!hasFinalizer(object, FINALIZER)) return;
          const claims = isMended
            ? await ctx.client.list(PersistentVolumeClaim, { namespace: 'default' })
            : (await ctx.live.list(PersistentVolumeClaim, { namespace: 'default', labelSelector: 'cluster=db' })).items;
          for (const { metadata } of claims)
            if (!isMended) await ctx.live.delete(PersistentVolumeClaim, { namespace: 'default', name: metadata.name! });
            else if (metadata.labels?.owner === object.metadata.uid)
              await ctx.live
                .delete(
                  PersistentVolumeClaim,
                  { namespace: 'default', name: metadata.name! },
                  { preconditions: { uid: metadata.uid! } },
                )
                .catch(ignoring(isNotFound));
          await removeFinalizer(ctx.live, Cluster, object, FINALIZER);
          return;
        }
        await addFinalizer(ctx.live, Cluster, object, FINALIZER);
        await ctx.apply(StatefulSet, { metadata: { name: 'db' }, ...setOf(1) });
        const wanted = claim('data-db-0');
        wanted.metadata.labels = { cluster: 'db', owner: object.metadata.uid ?? '' };
        if ((await ctx.client.find(PersistentVolumeClaim, { namespace: 'default', name: 'data-db-0' })) === undefined)
          await ctx.live.create(PersistentVolumeClaim, wanted).catch(ignoring(isAlreadyExists));
      });
  },
);

/** S2: deletes the data of members beyond an old count. */
const removesDataByOldCount = specimen(
  'removes the data of members by an old count',
  'S2',
  { scenario: scale, ...WORKLOADS },
  (isMended) => (manager) => {
    const ordinalOf = (name: string): number => Number(/\d+$/.exec(name)?.[0]);
    manager
      .controller(Cluster)
      .owns(StatefulSet)
      .watches(PersistentVolumeClaim, () => [db])
      .reconcile(async (object, ctx) => {
        const { replicas = 0 } = object.spec;
        for (let ordinal = 0; ordinal < replicas; ordinal++) {
          const wanted = claim(`data-db-${ordinal}`);
          const place = { namespace: 'default', name: wanted.metadata.name! };
          if ((await ctx.client.find(PersistentVolumeClaim, place)) === undefined)
            await ctx.live.create(PersistentVolumeClaim, wanted).catch(ignoring(isAlreadyExists));
        }
        await ctx.apply(StatefulSet, { metadata: { name: 'db' }, ...setOf(replicas) });
        const { items } = await ctx.live.list(PersistentVolumeClaim, { namespace: 'default' });
        for (const { metadata } of items) {
          if (ordinalOf(metadata.name ?? '') < replicas) continue;
          if (isMended) {
            const now = await ctx.live.find(Cluster, db);
            if (now === undefined || ordinalOf(metadata.name ?? '') < (now.spec.replicas ?? 0)) continue;
          }
          await ctx.live
            .delete(PersistentVolumeClaim, { namespace: 'default', name: metadata.name! })
            .catch(ignoring(isNotFound));
        }
      });
  },
);

/** U1: deletes a member's volume when it sees the pod terminating; the volume of a pod that is gone at once stays. */
const seesPodsGoing = specimen(
  'removes a volume only while its pod is seen going',
  'U1',
  {
    ...WORKLOADS,
    scenario: async ({ client, settle }) => {
      await client.create(Cluster, cluster({ replicas: 2 }));
      await settle();
      await client.patch(Cluster, db, { type: 'merge', body: { spec: { replicas: 1 } } });
      await settle();
    },
  },
  (isMended) => (manager) => {
    const remove = async ({ live }: ReconcileContext<Cluster>, name: string): Promise<unknown> =>
      await live.delete(PersistentVolumeClaim, { namespace: 'default', name }).catch(ignoring(isNotFound));
    manager
      .controller(Cluster)
      .owns(StatefulSet)
      .watches(Pod, () => [db])
      .watches(PersistentVolumeClaim, () => [db])
      .reconcile(async (object, ctx) => {
        const { replicas = 0 } = object.spec;
        for (let ordinal = 0; ordinal < replicas; ordinal++) {
          const wanted = claim(`data-db-${ordinal}`);
          const place = { namespace: 'default', name: wanted.metadata.name! };
          if ((await ctx.client.find(PersistentVolumeClaim, place)) === undefined)
            await ctx.live.create(PersistentVolumeClaim, wanted).catch(ignoring(isAlreadyExists));
        }
        await ctx.apply(StatefulSet, { metadata: { name: 'db' }, ...setOf(replicas) });
        const pods = await ctx.client.list(Pod, { namespace: 'default' });
        if (isMended) {
          const running = new Set(pods.map(({ metadata }) => metadata.name));
          for (const { metadata } of await ctx.client.list(PersistentVolumeClaim, { namespace: 'default' })) {
            const pod = metadata.name?.replace('data-', '') ?? '';
            if (Number(pod.replace('db-', '')) >= replicas && !running.has(pod)) await remove(ctx, metadata.name ?? '');
          }
        } else
          for (const { metadata } of pods)
            if (metadata.deletionTimestamp !== undefined) await remove(ctx, `data-${metadata.name}`);
      });
  },
);

export const volumeSpecimens: readonly Specimen[] = [
  claimOfTheNext,
  finalizesByLabel,
  removesDataByOldCount,
  seesPodsGoing,
];

import { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import { Namespace, Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const WORKLOADS = ['deployment-controller', 'replicaset-controller', 'serviceaccount-controller'];
const deployment = (replicas: number, image = 'app:1', strategy: object = {}) => ({
  metadata: { namespace, name: 'web' },
  spec: {
    replicas,
    strategy,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } },
  },
});

test('a deployment has as many pods as it asks for, and again when some go', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(3));
  await running(plane, { 'app:1': 3 });
  const [first] = await podsOf(plane);
  await client.delete(Pod, { namespace, name: first!.metadata.name! });
  await running(plane, { 'app:1': 3 });
  await client.patch(Deployment, { namespace, name: 'web' }, { type: 'merge', body: { spec: { replicas: 1 } } });
  await running(plane, { 'app:1': 1 });
});

test('a rolling update never has more or fewer pods than allowed', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(4, 'app:1', { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }));
  await allReady(plane, 4);
  await roll(plane, 'app:2');
  await plane.eventually(async () => {
    const pods = await podsOf(plane);
    expect(pods.length).toBeLessThanOrEqual(5);
    expect(pods.filter(isReady).length).toBeGreaterThanOrEqual(3);
    await makeReady(plane);
    return countImages(pods)['app:2'] === 4 && pods.length === 4;
  });
  const sets = (await client.list(ReplicaSet, { namespace })).items;
  expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 4]);
});

test('the way back takes the replica set that was', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(1));
  await running(plane, { 'app:1': 1 });
  const [first] = (await client.list(ReplicaSet, { namespace })).items;
  for (const image of ['app:2', 'app:1']) {
    await roll(plane, image);
    await plane.eventually(async () => {
      await makeReady(plane);
      const counts = countImages(await podsOf(plane));
      return counts[image] === 1 && Object.keys(counts).length === 1;
    });
  }
  const sets = (await client.list(ReplicaSet, { namespace })).items;
  expect(sets).toHaveLength(2);
  const again = sets.find(({ metadata }) => metadata.uid === first!.metadata.uid);
  expect(again?.spec?.replicas).toBe(1);
  expect(again?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
});

test('a revision that is asked for by annotation is taken back, with its own annotations', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  const web = { namespace, name: 'web' };
  const change = (body: object) => client.patch(Deployment, web, { type: 'merge', body });
  const why = 'kubernetes.io/change-cause';
  const wish = 'deprecated.deployment.rollback.to';
  const revisionIs = (revision: string) =>
    plane.eventually(async () => {
      const { annotations = {} } = (await client.get(Deployment, web)).metadata;
      return annotations['deployment.kubernetes.io/revision'] === revision && annotations[wish] === undefined;
    });
  await client.create(Deployment, { ...deployment(0), metadata: { ...web, annotations: { [why]: 'first' } } });
  await revisionIs('1');
  await change({ metadata: { annotations: { [why]: 'second' } } });
  await roll(plane, 'app:2');
  await revisionIs('2');
  await change({ metadata: { annotations: { [wish]: '0' } } });
  await revisionIs('3');
  const back = await client.get(Deployment, web);
  expect(back.spec?.template.spec?.containers[0]?.image).toBe('app:1');
  expect(back.metadata.annotations?.[why]).toBe('second');
  await change({ metadata: { annotations: { [wish]: '9' } } });
  await revisionIs('3');
});

test('a pod that has failed stays with its replica set though its labels no longer match', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(1));
  await running(plane, { 'app:1': 1 });
  const [pod] = await podsOf(plane);
  const at = { namespace, name: pod!.metadata.name! };
  await client.patch(Pod, at, { type: 'merge', body: { status: { phase: 'Failed' } } }, { subresource: 'status' });
  await plane.eventually(async () => (await podsOf(plane)).length === 2);
  await client.patch(Pod, at, { type: 'merge', body: { metadata: { labels: { app: 'other' } } } });
  await plane.clock.advance(5_000);
  expect((await client.get(Pod, at)).metadata.ownerReferences).toHaveLength(1);
});

test('a replica set that was taken over without being told a size is no reason to scale', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  const labels = { app: 'web', made: 'by-hand' };
  await client.create(ReplicaSet, {
    metadata: { namespace, name: 'old', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  });
  await client.create(Deployment, deployment(2, 'app:2'));
  await running(plane, { 'app:1': 1, 'app:2': 2 });
  expect((await client.get(ReplicaSet, { namespace, name: 'old' })).metadata.generation).toBe(1);
});

test('a replica set waits for readiness as long as its deployment says, whoever told it otherwise', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(1));
  await running(plane, { 'app:1': 1 });
  const minReadySeconds = async () => {
    const [set] = (await client.list(ReplicaSet, { namespace })).items;
    return set!.spec?.minReadySeconds ?? 0;
  };
  const change = { type: 'merge' as const, body: { spec: { minReadySeconds: 7 } } };
  await client.patch(Deployment, { namespace, name: 'web' }, change);
  await plane.eventually(async () => (await minReadySeconds()) === 7);
  const back = { type: 'merge' as const, body: { spec: { minReadySeconds: null } } };
  await client.patch(Deployment, { namespace, name: 'web' }, back);
  await plane.eventually(async () => (await minReadySeconds()) === 0);
  const [set] = (await client.list(ReplicaSet, { namespace })).items;
  await client.patch(ReplicaSet, { namespace, name: set!.metadata.name! }, change);
  await plane.eventually(async () => (await minReadySeconds()) === 0);
});

test('a replica set that was deleted is progress anew once it is made again', async () => {
  await using plane = await openPlane([...WORKLOADS, 'garbage-collector-controller']);
  const { client } = plane;
  const progress = async () =>
    (await client.get(Deployment, { namespace, name: 'web' })).status?.conditions?.find(
      ({ type }) => type === 'Progressing',
    )?.reason;
  await client.create(Deployment, deployment(1));
  await allReady(plane, 1);
  await plane.eventually(async () => (await progress()) === 'NewReplicaSetAvailable');
  const [set] = (await client.list(ReplicaSet, { namespace })).items;
  await client.delete(ReplicaSet, { namespace, name: set!.metadata.name! });
  await plane.eventually(async () => (await progress()) !== 'NewReplicaSetAvailable');
});

test('in steady state nothing is written', async () => {
  await using plane = await openPlane(WORKLOADS);
  const { client } = plane;
  await client.create(Deployment, deployment(2));
  await allReady(plane, 2);
  await plane.eventually(
    async () => (await client.get(Deployment, { namespace, name: 'web' })).status?.availableReplicas === 2,
  );
  await plane.clock.advance(5_000);
  const versions = async () =>
    [
      ...(await client.list(Deployment)).items,
      ...(await client.list(ReplicaSet)).items,
      ...(await client.list(Pod)).items,
    ].map(({ metadata }) => metadata.resourceVersion);
  const before = await versions();
  await client.patch(
    Namespace,
    { name: namespace },
    { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } },
  );
  await plane.clock.advance(600_000);
  expect(await versions()).toEqual(before);
});

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

async function podsOf({ client }: Plane): Promise<Pod[]> {
  return (await client.list(Pod, { namespace })).items;
}

function countImages(pods: readonly Pod[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { spec } of pods) {
    const image = spec?.containers?.[0]?.image ?? '';
    counts[image] = (counts[image] ?? 0) + 1;
  }
  return counts;
}

async function running(plane: Plane, wanted: Record<string, number>): Promise<void> {
  await plane.eventually(async () => JSON.stringify(countImages(await podsOf(plane))) === JSON.stringify(wanted));
}

/** Plays the kubelet. */
async function makeReady(plane: Plane): Promise<void> {
  const status = { phase: 'Running' as const, conditions: [{ type: 'Ready', status: 'True' as const }] };
  for (const pod of await podsOf(plane)) {
    if (isReady(pod)) continue;
    const ref = { namespace, name: pod.metadata.name! };
    await plane.client.patch(Pod, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
}

async function allReady(plane: Plane, count: number): Promise<void> {
  await plane.eventually(async () => {
    await makeReady(plane);
    return (await podsOf(plane)).filter(isReady).length === count;
  });
}

async function roll({ client }: Plane, image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
  await client.patch(Deployment, { namespace, name: 'web' }, { type: 'merge', body });
}

import { ControllerRevision, DaemonSet } from '@pintle/kinds/apps/v1';
import { Node, Pod, type Taint } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = ['daemonset-controller', 'serviceaccount-controller'];
const ref = { namespace, name: 'agent' };

const daemonSet = (updateStrategy: object = {}, fields: object = {}) => ({
  metadata: { namespace, name: 'agent' },
  spec: {
    updateStrategy,
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    ...fields,
  },
});

test('every node has one pod, nodes that come later too, and none that may not', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client } = plane;
  await addNode(plane, 'a');
  await addNode(plane, 'b', [{ key: 'example.com/no', effect: 'NoSchedule' }]);
  await client.create(DaemonSet, daemonSet());
  await placed(plane, ['a app:1']);
  await addNode(plane, 'c');
  await placed(plane, ['a app:1', 'c app:1']);
  await bind(plane);
  const taints = [{ key: 'example.com/out', effect: 'NoExecute' as const }];
  await client.patch(Node, { name: 'a' }, { type: 'merge', body: { spec: { taints } } });
  await placed(plane, ['c app:1']);
});

test('a taint that keeps new pods away leaves those that are there, and counts them as out of place', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'a');
  await plane.client.create(DaemonSet, daemonSet());
  await placed(plane, ['a app:1']);
  await bind(plane);
  const taints = [{ key: 'example.com/no', effect: 'NoSchedule' as const }];
  await plane.client.patch(Node, { name: 'a' }, { type: 'merge', body: { spec: { taints } } });
  await makeReady(plane);
  await plane.eventually(async () => (await plane.client.get(DaemonSet, ref)).status?.numberMisscheduled === 1);
  await placed(plane, ['a app:1']);
});

test('a node that changes or goes before its pod is bound to it is not looked at', async () => {
  await using plane = await openPlane(CONTROLLERS);
  for (const name of ['a', 'b']) await addNode(plane, name);
  await plane.client.create(DaemonSet, daemonSet());
  await placed(plane, ['a app:1', 'b app:1']);
  const taints = [{ key: 'example.com/out', effect: 'NoExecute' as const }];
  await plane.client.patch(Node, { name: 'a' }, { type: 'merge', body: { spec: { taints } } });
  await plane.client.delete(Node, { name: 'b' });
  await plane.clock.advance(5_000);
  await placed(plane, ['a app:1', 'b app:1']);
});

test('an update replaces no more pods at a time than may be unavailable', async () => {
  await using plane = await openPlane(CONTROLLERS);
  for (const name of ['a', 'b', 'c']) await addNode(plane, name);
  await plane.client.create(DaemonSet, daemonSet({ rollingUpdate: { maxUnavailable: 1 } }));
  await placed(plane, ['a app:1', 'b app:1', 'c app:1']);
  await makeReady(plane);
  await roll(plane, 'app:2');
  for (const step of [
    ['a app:2', 'b app:1', 'c app:1'],
    ['a app:2', 'b app:2', 'c app:1'],
    ['a app:2', 'b app:2', 'c app:2'],
  ]) {
    await placed(plane, step);
    await plane.clock.advance(5_000);
    await placed(plane, step);
    await makeReady(plane);
  }
  const revisions = (await plane.client.list(ControllerRevision, { namespace })).items;
  expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
});

test('an update that surges makes the new pod first', async () => {
  await using plane = await openPlane(CONTROLLERS);
  for (const name of ['a', 'b']) await addNode(plane, name);
  await plane.client.create(DaemonSet, daemonSet({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }));
  await placed(plane, ['a app:1', 'b app:1']);
  await makeReady(plane);
  await roll(plane, 'app:2');
  await placed(plane, ['a app:1', 'a app:2', 'b app:1']);
  await makeReady(plane);
  await placed(plane, ['a app:2', 'b app:1', 'b app:2']);
  await makeReady(plane);
  await placed(plane, ['a app:2', 'b app:2']);
});

test('on delete, a pod has the new template once somebody deleted the old one; the way back is a revision that was', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'a');
  await plane.client.create(DaemonSet, daemonSet({ type: 'OnDelete' }));
  await placed(plane, ['a app:1']);
  await roll(plane, 'app:2');
  await plane.eventually(async () => (await plane.client.get(DaemonSet, ref)).status?.observedGeneration === 2);
  await placed(plane, ['a app:1']);
  const [pod] = await podsOf(plane);
  await plane.client.delete(Pod, { namespace, name: pod!.metadata.name! });
  await placed(plane, ['a app:2']);
  await roll(plane, 'app:1');
  await plane.eventually(async () => (await plane.client.get(DaemonSet, ref)).status?.observedGeneration === 3);
  const revisions = (await plane.client.list(ControllerRevision, { namespace })).items;
  expect(revisions.map(({ revision }) => revision).sort()).toEqual([2, 3]);
});

test('a revision that came without a hash is called by its name', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client } = plane;
  const stray = { namespace, name: 'stray' };
  const data = { spec: { template: { $patch: 'replace' } } };
  await client.create(ControllerRevision, { metadata: { ...stray, labels: { app: 'agent' } }, revision: 5, data });
  await client.create(DaemonSet, daemonSet());
  const { metadata } = await plane.eventually(async () => {
    const revision = await client.get(ControllerRevision, stray);
    return revision.metadata.labels?.['controller-revision-hash'] !== undefined && revision;
  });
  expect(metadata.labels).toEqual({ app: 'agent', 'controller-revision-hash': 'stray' });
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'DaemonSet', name: 'agent' }]);
});

test('of revisions that keep the same template the newest stays', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client } = plane;
  await addNode(plane, 'one');
  await client.create(DaemonSet, daemonSet());
  const [first] = await plane.eventually(async () => {
    const { items } = await client.list(ControllerRevision, { namespace });
    return (await client.list(Pod, { namespace })).items.length === 1 && items;
  });
  const { labels } = first!.metadata;
  const copy = { namespace, name: 'copy', labels: { ...labels, 'controller-revision-hash': 'copied' } };
  await client.create(ControllerRevision, { metadata: copy, revision: 9, data: first!.data! });
  await plane.eventually(async () => {
    const { items } = await client.list(ControllerRevision, { namespace });
    return items.length === 1 && items[0]!.metadata.name === 'copy';
  });
  const [pod] = (await client.list(Pod, { namespace })).items;
  expect(pod!.metadata.labels).toMatchObject({ 'controller-revision-hash': 'copied' });
});

test('a pod that failed is replaced', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'a');
  await plane.client.create(DaemonSet, daemonSet());
  await placed(plane, ['a app:1']);
  for (let times = 0; times < 3; times++) {
    const [pod] = await podsOf(plane);
    await setStatus(plane, pod!, { phase: 'Failed' });
    await plane.eventually(async () => {
      const [other] = await podsOf(plane);
      return other !== undefined && other.metadata.uid !== pod!.metadata.uid;
    });
  }
});

test('in steady state nothing is written', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'a');
  await plane.client.create(DaemonSet, daemonSet({}, { minReadySeconds: 10 }));
  await placed(plane, ['a app:1']);
  await makeReady(plane);
  await plane.eventually(async () => (await plane.client.get(DaemonSet, ref)).status?.numberAvailable === 1);
  const version = async () => (await plane.client.get(DaemonSet, ref)).metadata.resourceVersion;
  const before = await version();
  await plane.client.patch(Node, { name: 'a' }, { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } });
  await plane.clock.advance(600_000);
  expect(await version()).toBe(before);
});

async function addNode({ client }: Plane, name: string, taints: Taint[] = []): Promise<void> {
  await client.create(Node, { metadata: { name } });
  await client.patch(Node, { name }, { type: 'merge', body: { spec: { taints } } });
}

async function podsOf({ client }: Plane): Promise<Pod[]> {
  return (await client.list(Pod, { namespace })).items;
}

/** Until these are the nodes pods that stay are aimed at, and their images. */
async function placed(plane: Plane, wanted: readonly string[]): Promise<void> {
  await plane.eventually(async () => {
    const staying = (await podsOf(plane)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const places = staying.map((pod) => `${aimOf(pod)} ${pod.spec?.containers?.[0]?.image}`);
    return JSON.stringify(places.sort()) === JSON.stringify(wanted);
  });
}

function aimOf({ spec }: Pod): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];
}

/** Plays the scheduler. */
async function bind(plane: Plane): Promise<void> {
  for (const pod of await podsOf(plane)) {
    const target = { apiVersion: 'v1', kind: 'Node', name: aimOf(pod)! };
    await plane.client.call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/binding`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ metadata: { name: pod.metadata.name }, target })),
    });
  }
}

async function setStatus({ client }: Plane, { metadata }: Pod, status: object): Promise<void> {
  const pod = { namespace, name: metadata.name! };
  await client.patch(Pod, pod, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** Plays the kubelet. */
async function makeReady(plane: Plane): Promise<void> {
  const lastTransitionTime = new Date(plane.clock.now()).toISOString().replace(/\.\d+/, '');
  for (const pod of await podsOf(plane)) {
    if (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) continue;
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
    await setStatus(plane, pod, { phase: 'Running', conditions });
  }
}

async function roll({ client }: Plane, image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
  await client.patch(DaemonSet, ref, { type: 'merge', body });
}

import { Deployment } from '@pintle/kinds/apps/v1';
import { Node, Pod } from '@pintle/kinds/core/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { PriorityClass } from '@pintle/kinds/scheduling/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'node-lifecycle-controller',
];

test('a deployment on simulated nodes becomes available, spread over them', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 3 });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } };
  const spec = { replicas: 6, selector: { matchLabels: labels }, template };
  await plane.client.create(Deployment, { metadata: { namespace, name: 'web' }, spec });
  await plane.eventually(async () => {
    const { status } = await plane.client.get(Deployment, { namespace, name: 'web' });
    return status?.availableReplicas === 6;
  });
  const pods = (await plane.client.list(Pod, { namespace })).items;
  const perNode = new Map<string, number>();
  for (const { spec: own } of pods) perNode.set(own!.nodeName!, (perNode.get(own!.nodeName!) ?? 0) + 1);
  expect([...perNode.values()]).toEqual([2, 2, 2]);
  expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(6);
});

test('a pod goes where it fits and is wanted, and says why it goes nowhere', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 2 });
  const { client } = plane;
  await plane.eventually(
    async () => (await client.list(Node)).items.filter(({ spec }) => !spec?.taints?.length).length === 2,
  );
  await client.patch(Node, { name: 'node-1' }, { type: 'merge', body: { metadata: { labels: { disk: 'fast' } } } });
  await make(plane, 'wanted', { nodeSelector: { disk: 'fast' } });
  await plane.eventually(async () => (await nodeOf(plane, 'wanted')) === 'node-1');
  await make(plane, 'large', { containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '9' } } }] });
  await make(plane, 'nowhere', { nodeSelector: { disk: 'none' } });
  const none = '0/2 nodes are available:';
  await expect(reasonOf(plane, 'large')).resolves.toBe(
    `${none} 2 Insufficient cpu. preemption: ${none} 2 No preemption victims found for incoming pod.`,
  );
  await expect(reasonOf(plane, 'nowhere')).resolves.toBe(
    `${none} 2 node(s) didn't match Pod's node affinity/selector. preemption: ${none} 2 Preemption is not helpful for scheduling.`,
  );
  await client.patch(Node, { name: 'node-0' }, { type: 'merge', body: { metadata: { labels: { disk: 'none' } } } });
  await plane.eventually(async () => (await nodeOf(plane, 'nowhere')) === 'node-0');
});

test('a pod that is not restarted ends as it was told, and one that is deleted goes', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 1 });
  const containers = [{ name: 'app', image: 'busybox', command: ['sleep', '5'] }];
  await make(plane, 'well', { restartPolicy: 'Never', containers });
  await make(plane, 'badly', { restartPolicy: 'Never' }, { 'pintle.dev/exit-code': '3', 'pintle.dev/run-for': '1m' });
  await make(plane, 'stays', {});
  const phase = async (name: string) => (await plane.client.get(Pod, { namespace, name })).status?.phase;
  await plane.eventually(async () => (await phase('well')) === 'Succeeded' && (await phase('stays')) === 'Running');
  expect(await phase('badly')).toBe('Running');
  await plane.eventually(async () => (await phase('badly')) === 'Failed');
  const { status } = await plane.client.get(Pod, { namespace, name: 'badly' });
  expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
  await plane.client.delete(Pod, { namespace, name: 'stays' });
  await plane.eventually(async () => (await plane.client.find(Pod, { namespace, name: 'stays' })) === undefined);
});

test('an important pod has less important ones leave, and takes their place', async () => {
  await using plane = await openPlane([...CONTROLLERS, 'disruption-controller'], { nodes: 2 });
  const { client } = plane;
  await client.create(PriorityClass, { metadata: { name: 'high' }, value: 1_000 });
  await client.create(PriorityClass, { metadata: { name: 'polite' }, value: 1_000, preemptionPolicy: 'Never' });
  const cpu = (amount: string) => ({
    containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: amount } } }],
  });
  await make(plane, 'kept', cpu('6'), {}, { app: 'kept' });
  await make(plane, 'spared', cpu('6'));
  await client.create(PodDisruptionBudget, {
    metadata: { namespace, name: 'kept' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
  });
  await plane.eventually(async () => !!(await nodeOf(plane, 'kept')) && !!(await nodeOf(plane, 'spared')));
  const place = await nodeOf(plane, 'spared');
  await make(plane, 'polite', { ...cpu('6'), priorityClassName: 'polite' });
  expect(await reasonOf(plane, 'polite')).toContain('preemption: not eligible due to preemptionPolicy=Never.');
  await make(plane, 'important', { ...cpu('6'), priorityClassName: 'high' });
  await plane.eventually(async () => (await nodeOf(plane, 'important')) === place);
  expect(await client.find(Pod, { namespace, name: 'spared' })).toBeUndefined();
  expect(await nodeOf(plane, 'kept')).toBeDefined();
  expect(await nodeOf(plane, 'polite')).toBeUndefined();
});

test('a pod is as ready as its annotation says by then, and has its grace period to stop', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 1 });
  const name = 'slow';
  await make(plane, name, {}, { 'pintle.dev/stop-after': '10s' });
  const isReady = async (): Promise<string | undefined> => {
    const { status } = await plane.client.get(Pod, { namespace, name });
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  };
  await plane.eventually(async () => (await isReady()) === 'True');
  const body = { metadata: { annotations: { 'pintle.dev/ready': 'false' } } };
  await plane.client.patch(Pod, { namespace, name }, { type: 'merge', body });
  await plane.eventually(async () => (await isReady()) === 'False');
  const startMs = plane.clock.now();
  await plane.client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 20 });
  await plane.eventually(async () => (await plane.client.find(Pod, { namespace, name })) === undefined);
  expect(plane.clock.now() - startMs).toBeGreaterThanOrEqual(10_000);
  expect(plane.clock.now() - startMs).toBeLessThan(13_000);
});

async function make(
  plane: Plane,
  name: string,
  fields: object,
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): Promise<void> {
  const spec = { containers: [{ name: 'app', image: 'app' }], ...fields };
  await plane.eventually(() =>
    plane.client.create(Pod, { metadata: { namespace, name, annotations, labels }, spec }).catch((error: unknown) => {
      if (String(error).includes('serviceaccount "default" not found')) return undefined;
      throw error;
    }),
  );
}

async function nodeOf({ client }: Plane, name: string): Promise<string | undefined> {
  return (await client.get(Pod, { namespace, name })).spec?.nodeName;
}

async function reasonOf(plane: Plane, name: string): Promise<string> {
  return await plane.eventually(async () => {
    const { status } = await plane.client.get(Pod, { namespace, name });
    return status?.conditions?.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False')?.message;
  });
}

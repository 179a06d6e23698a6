import { Lease } from '@pintle/kinds/coordination/v1';
import { Event, Namespace, Node, Pod, type Taint } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = ['node-lifecycle-controller', 'taint-eviction-controller', 'serviceaccount-controller'];
const LEASES = 'kube-node-lease';

test('a node is tainted by its conditions, and by nothing else once they are over', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'one');
  await report(plane, 'one', { Ready: 'True', DiskPressure: 'True', PIDPressure: 'True' });
  await tainted(plane, 'one', ['disk-pressure:NoSchedule', 'pid-pressure:NoSchedule']);
  await report(plane, 'one', { Ready: 'True' });
  await plane.client.patch(Node, { name: 'one' }, { type: 'merge', body: { spec: { unschedulable: true } } });
  await tainted(plane, 'one', ['unschedulable:NoSchedule']);
});

test('a node that comes is told of once', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'one');
  for (let look = 0; look < 3; look++) await plane.clock.advance(5_000);
  const registered = async () =>
    (await plane.client.list(Event, { namespace })).items.filter(({ reason }) => reason === 'RegisteredNode');
  await plane.eventually(async () => (await registered()).length > 0);
  expect(await registered()).toMatchObject([{ message: 'Node one event: Registered Node one in Controller' }]);
});

test('a silent node becomes unreachable, and pods leave it when their patience ends', async () => {
  await using plane = await openPlane(CONTROLLERS);
  for (const name of ['silent', 'lively']) {
    await addNode(plane, name);
    await report(plane, name, { Ready: 'True' });
    await plane.client.create(Lease, { metadata: { namespace: LEASES, name }, spec: { holderIdentity: name } });
  }
  await addPod(plane, 'default', 'silent');
  await addPod(plane, 'patient', 'silent', [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }]);
  const ready = { phase: 'Running' as const, conditions: [{ type: 'Ready', status: 'True' as const }] };
  const patient = { namespace, name: 'patient' };
  await plane.client.patch(Pod, patient, { type: 'merge', body: { status: ready } }, { subresource: 'status' });
  await passing(plane, 70);
  expect(await taintsOf(plane, 'lively')).toEqual([]);
  expect(await taintsOf(plane, 'silent')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
  const conditions = (await plane.client.get(Node, { name: 'silent' })).status?.conditions ?? [];
  expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()).toEqual([
    'DiskPressure Unknown NodeStatusNeverUpdated',
    'MemoryPressure Unknown NodeStatusNeverUpdated',
    'PIDPressure Unknown NodeStatusNeverUpdated',
    'Ready Unknown NodeStatusUnknown',
  ]);
  expect((await plane.client.get(Pod, patient)).status?.conditions?.[0]).toMatchObject({ status: 'False' });
  await passing(plane, 240);
  expect(await podNames(plane)).toEqual(['default', 'patient']);
  await passing(plane, 80);
  expect(await podNames(plane)).toEqual(['patient']);
  await report(plane, 'silent', { Ready: 'True' });
  await passing(plane, 10);
  expect(await taintsOf(plane, 'silent')).toEqual([]);
});

test('a pod is told of when it is to leave, and when it need not after all', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client } = plane;
  await addNode(plane, 'one');
  await report(plane, 'one', { Ready: 'True' });
  const taint = { key: 'example.com/away', effect: 'NoExecute' as const };
  await addPod(plane, 'patient', 'one', [{ ...taint, operator: 'Exists', tolerationSeconds: 60 }]);
  await addPod(plane, 'hasty', 'one');
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  const hasty = { namespace, name: 'hasty' };
  await client.patch(Pod, hasty, { type: 'merge', body: { status: ready } }, { subresource: 'status' });
  const taints = (list: Taint[]) =>
    client.patch(Node, { name: 'one' }, { type: 'merge', body: { spec: { taints: list } } });
  await taints([taint]);
  await plane.eventually(async () => (await client.get(Pod, hasty)).metadata.deletionTimestamp);
  const conditions = (await client.get(Pod, hasty)).status?.conditions ?? [];
  expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'DisruptionTarget']);
  await taints([]);
  const events = await plane.eventually(async () => {
    const { items } = await client.list(Event, { namespace });
    const told = items.filter(({ reason }) => reason === 'TaintManagerEviction');
    return told.length === 2 && told;
  });
  expect(events.map(({ message }) => message).sort()).toEqual([
    'Cancelling deletion of Pod default/patient',
    'Marking for deletion Pod default/hasty',
  ]);
  expect(events[0]!.involvedObject).not.toHaveProperty('uid');
});

test('a pod that is going anyway is told of once for each change of what it does not tolerate', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client, clock } = plane;
  await addNode(plane, 'one');
  await report(plane, 'one', { Ready: 'True' });
  await addPod(plane, 'going', 'one');
  const going = { namespace, name: 'going' };
  await client.delete(Pod, going, { gracePeriodSeconds: 300 });
  const taint = { key: 'example.com/away', effect: 'NoExecute' as const };
  const told = async (): Promise<number> =>
    (await client.list(Event, { namespace })).items
      .filter(({ reason }) => reason === 'TaintManagerEviction')
      .reduce((sum, { count = 1 }) => sum + count, 0);
  for (const other of ['NoSchedule', 'PreferNoSchedule'] as const) {
    const taints = [taint, { key: 'example.com/other', effect: other }];
    await client.patch(Node, { name: 'one' }, { type: 'merge', body: { spec: { taints } } });
    await clock.advance(5_000);
    expect(await told()).toBe(1);
  }
  const { status } = await client.get(Pod, going);
  expect(status?.conditions).toMatchObject([{ type: 'DisruptionTarget', reason: 'DeletionByTaintManager' }]);
});

test('a node that says itself that it is not ready says how its pods are, too', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'one');
  await report(plane, 'one', { Ready: 'True' });
  await plane.clock.advance(10_000);
  await addPod(plane, 'lively', 'one');
  const pod = { namespace, name: 'lively' };
  const status = { phase: 'Running' as const, conditions: [{ type: 'Ready', status: 'True' as const }] };
  await plane.client.patch(Pod, pod, { type: 'merge', body: { status } }, { subresource: 'status' });
  await report(plane, 'one', { Ready: 'False' });
  await plane.clock.advance(15_000);
  expect((await plane.client.get(Pod, pod)).status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
});

test('a node is registered once', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'one');
  await plane.clock.advance(30_000);
  const { items } = await plane.client.list(Event, { namespace: 'default' });
  expect(items.map(({ reason }) => reason)).toEqual(['RegisteredNode']);
  expect(items[0]!.involvedObject).not.toHaveProperty('resourceVersion');
});

test('where no node is ready none is given up: it may be us who cannot see', async () => {
  await using plane = await openPlane(CONTROLLERS);
  for (const name of ['one', 'two']) {
    await addNode(plane, name);
    await report(plane, name, { Ready: 'True' });
  }
  await plane.clock.advance(120_000);
  for (const name of ['one', 'two']) expect(await taintsOf(plane, name)).toEqual(['unreachable:NoSchedule']);
});

test('in steady state nothing is written about nodes', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addNode(plane, 'one');
  await report(plane, 'one', { Ready: 'False' });
  await plane.clock.advance(120_000);
  const { resourceVersion } = (await plane.client.get(Node, { name: 'one' })).metadata;
  await plane.clock.advance(600_000);
  expect((await plane.client.get(Node, { name: 'one' })).metadata.resourceVersion).toBe(resourceVersion);
});

async function addNode({ client }: Plane, name: string): Promise<void> {
  await client.create(Node, { metadata: { name } });
  if (!(await client.find(Namespace, { name: LEASES }))) await client.create(Namespace, { metadata: { name: LEASES } });
}

async function addPod({ client, eventually }: Plane, name: string, nodeName: string, tolerations: object[] = []) {
  const spec = { nodeName, automountServiceAccountToken: false, containers: [{ name: 'app', image: 'app' }] };
  const pod = { metadata: { namespace, name }, spec: { ...spec, tolerations } };
  await eventually(() => client.create(Pod, pod).catch(() => undefined));
}

/** Plays the kubelet. */
async function report({ client, clock }: Plane, name: string, statuses: Record<string, string>): Promise<void> {
  const lastHeartbeatTime = new Date(clock.now()).toISOString();
  const conditions = Object.entries(statuses).map(([type, status]) => ({ type, status, lastHeartbeatTime }));
  await client.patch(Node, { name }, { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
}

/** Time goes by, and one of the nodes renews its lease all along. Pods that were told to stop have stopped. */
async function passing({ client, clock }: Plane, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 5) {
    await clock.advance(5_000);
    const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
    const lease = { namespace: LEASES, name: 'lively' };
    await client.patch(Lease, lease, { type: 'merge', body: { spec: { renewTime } } });
    for (const { metadata } of (await client.list(Pod, { namespace })).items)
      if (metadata.deletionTimestamp)
        await client.delete(Pod, { namespace, name: metadata.name! }, { gracePeriodSeconds: 0 });
  }
}

async function taintsOf({ client }: Plane, name: string): Promise<string[]> {
  const { taints = [] } = (await client.get(Node, { name })).spec ?? {};
  return taints.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`).sort();
}

async function tainted(plane: Plane, name: string, wanted: readonly string[]): Promise<void> {
  await plane.eventually(async () => JSON.stringify(await taintsOf(plane, name)) === JSON.stringify(wanted));
}

async function podNames({ client }: Plane): Promise<string[]> {
  return (await client.list(Pod, { namespace })).items.map(({ metadata }) => metadata.name ?? '').sort();
}

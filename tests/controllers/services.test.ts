import { ownerReference } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { Endpoints, Event, Node, Pod, Service } from '@pintle/kinds/core/v1';
import { EndpointSlice } from '@pintle/kinds/discovery/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { type KubernetesObject, resourceType } from '@pintle/machinery';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const SERVICES = [
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'serviceaccount-controller',
];

test('what stands behind a service follows its pods', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  await runPod(plane, 'b', '10.1.0.2', false);
  await client.create(Node, { metadata: { name: 'n1' } });
  const ports = [{ name: 'web', port: 80, targetPort: 'http' }];
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec: { selector: { app: 'web' }, ports } });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready, 10.1.0.2 not');
  const endpoints = await plane.eventually(() => client.find(Endpoints, { namespace, name: 'web' }));
  expect(endpoints.subsets).toMatchObject([
    { addresses: [{ ip: '10.1.0.1' }], notReadyAddresses: [{ ip: '10.1.0.2' }], ports: [{ name: 'web', port: 8080 }] },
  ]);
  await setReady(plane, 'b', true);
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready, 10.1.0.2 ready');
  await client.delete(Pod, { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.2 ready');
  await client.delete(Service, { namespace, name: 'web' });
  await plane.eventually(async () => (await client.find(Endpoints, { namespace, name: 'web' })) === undefined);
});

test('ports that are offered at the same addresses go together', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await client.create(Node, { metadata: { name: 'n1' } });
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  await runPod(plane, 'b', '10.1.0.2', false);
  const ports = [
    { name: 'web', port: 80, targetPort: 'http' },
    { name: 'fixed', port: 81, targetPort: 9 },
    { name: 'nowhere', port: 82, targetPort: 'none' },
  ];
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec: { selector: { app: 'web' }, ports } });
  const { subsets = [] } = await plane.eventually(() => client.find(Endpoints, { namespace, name: 'web' }));
  const told = subsets.map((subset) => [
    subset.addresses?.map(({ ip }) => ip),
    subset.notReadyAddresses?.map(({ ip }) => ip),
    subset.ports?.map(({ name, port }) => `${name} ${port}`).sort(),
  ]);
  expect(told).toEqual([[['10.1.0.1'], ['10.1.0.2'], ['fixed 9', 'web 8080']]]);
});

test('what somebody wrote into endpoints stays until there is news of their service', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  const ref = { namespace, name: 'web' };
  await client.create(Service, { metadata: ref, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await plane.eventually(() => client.find(Endpoints, ref));
  await client.patch(Endpoints, ref, { type: 'merge', body: { metadata: { labels: { by: 'hand' } } } });
  await plane.clock.advance(60_000);
  expect((await client.get(Endpoints, ref)).metadata.labels).toHaveProperty('by', 'hand');
  await client.patch(Service, ref, { type: 'merge', body: { metadata: { labels: { with: 'news' } } } });
  await plane.eventually(async () => Object.hasOwn((await client.get(Endpoints, ref)).metadata.labels ?? {}, 'with'));
  expect((await client.get(Endpoints, ref)).metadata.labels).not.toHaveProperty('by');
});

test('nobody answers from a pod whose node is not there', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec });
  await plane.eventually(async () => (await client.list(EndpointSlice, { namespace })).items.length === 1);
  expect(await stateOf(plane)).toBe('');
  const [event] = await plane.eventually(async () => {
    const { items } = await client.list(Event, { namespace });
    return items.length > 0 && items;
  });
  expect(event).toMatchObject({
    reason: 'FailedToUpdateEndpointSlices',
    message:
      'Error updating Endpoint Slices for Service default/web: skipping Pod a for Service default/web: Node n1 Not Found',
  });
  await client.create(Node, { metadata: { name: 'n1' } });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready');
});

test.each([
  ['PreferSameZone', { forZones: [{ name: 'a' }] }],
  ['PreferSameNode', { forZones: [{ name: 'a' }], forNodes: [{ name: 'n1' }] }],
])('%s: ready endpoints say for whom they are', async (trafficDistribution, hints) => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await client.create(Node, { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'a' } } });
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  await runPod(plane, 'b', '10.1.0.2', false);
  const spec = { selector: { app: 'web' }, ports: [{ port: 80 }], trafficDistribution };
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready, 10.1.0.2 not');
  const [slice] = (await client.list(EndpointSlice, { namespace })).items;
  expect(slice?.endpoints?.map((endpoint) => endpoint.hints)).toEqual([hints, undefined]);
});

test('endpoints made by hand are mirrored', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  const metadata = { namespace, name: 'outside' };
  await client.create(Service, { metadata, spec: { ports: [{ port: 5432 }] } });
  await client.create(Endpoints, {
    metadata,
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 5432 }] }],
  });
  await plane.eventually(async () => (await stateOf(plane)) === '192.0.2.1 ready');
  await client.delete(Endpoints, metadata);
  await plane.eventually(async () => (await stateOf(plane)) === '');
});

test('mirrored slices are written anew, and take other ports before others are made', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  const metadata = { namespace, name: 'outside' };
  const subset = (ip: string, port: number) => ({ addresses: [{ ip }], ports: [{ port }] });
  const slices = async () => (await client.list(EndpointSlice, { namespace })).items;
  const change = (...subsets: object[]) => client.patch(Endpoints, metadata, { type: 'merge', body: { subsets } });
  await client.create(Service, { metadata, spec: { ports: [{ port: 5432 }] } });
  await client.create(Endpoints, { metadata, subsets: [subset('192.0.2.1', 1)] });
  const [first] = await plane.eventually(async () => ((await slices()).length === 1 ? await slices() : undefined));
  expect(first?.metadata.generateName).toBe('outside-');
  await change(subset('192.0.2.2', 1));
  await plane.eventually(async () => (await stateOf(plane)) === '192.0.2.2 ready');
  expect((await slices())[0]?.metadata.generateName).toBeUndefined();
  await change(subset('192.0.2.2', 2));
  await plane.eventually(async () => (await slices())[0]?.ports?.[0]?.port === 2);
  expect((await slices()).map((slice) => slice.metadata.uid)).toEqual([first?.metadata.uid]);
});

test('endpoints are left as they were, and mirrored, when a service no longer selects', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await client.create(Node, { metadata: { name: 'n1' } });
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  const at = { namespace, name: 'web' };
  await client.create(Service, { metadata: at, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready');
  await client.patch(Service, at, { type: 'merge', body: { spec: { selector: null } } });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 ready, 10.1.0.1 ready');
});

test('that a pod which was not ready has ended is no reason to look at it', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await client.create(Node, { metadata: { name: 'n1' } });
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', false));
  const at = { namespace, name: 'web' };
  await client.create(Service, { metadata: at, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await plane.eventually(async () => (await stateOf(plane)) === '10.1.0.1 not');
  const ended = { type: 'merge', body: { status: { phase: 'Failed' } } } as const;
  await client.patch(Pod, { namespace, name: 'a' }, ended, { subresource: 'status' });
  await plane.clock.advance(5_000);
  expect(await stateOf(plane)).toBe('10.1.0.1 not');
});

test('a budget says how many pods may go', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client } = plane;
  for (const [index, name] of ['a', 'b', 'c'].entries())
    await plane.eventually(() => runPod(plane, name, `10.1.0.${index}`, index > 0));
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'web' }, spec });
  const budget = { namespace, name: 'web' };
  await plane.eventually(async () => (await client.get(PodDisruptionBudget, budget)).status?.disruptionsAllowed === 1);
  await setReady(plane, 'a', true);
  await plane.eventually(async () => (await client.get(PodDisruptionBudget, budget)).status?.disruptionsAllowed === 2);
});

test('a budget of pods whose controller has no scale allows for none, and says why once', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client } = plane;
  for (const [kind, apiVersion, message] of [
    ['DaemonSet', 'apps/v1', 'daemonsets.apps does not implement the scale subresource'],
    ['Thing', 'example.com/v1', 'no matches for kind "Thing" in version "example.com/v1"'],
  ] as const) {
    const name = kind.toLowerCase();
    const owner = { apiVersion, kind, name: 'x', uid: '11111111-1111-1111-1111-111111111111', controller: true };
    const metadata = { namespace, name, labels: { app: name }, ownerReferences: [owner] };
    const spec = { containers: [{ name: 'app', image: 'app' }] };
    await plane.eventually(() => client.create(Pod, { metadata, spec }).catch(() => undefined));
    await client.create(PodDisruptionBudget, {
      metadata: { namespace, name },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
    });
    const { status } = await plane.eventually(async () => {
      const budget = await client.get(PodDisruptionBudget, { namespace, name });
      return budget.status?.conditions ? budget : undefined;
    });
    expect(status?.observedGeneration).toBeUndefined();
    expect(status?.conditions).toMatchObject([{ status: 'False', reason: 'SyncFailed', message }]);
    expect(status?.conditions?.[0]).not.toHaveProperty('observedGeneration');
    await plane.clock.advance(60_000);
    const events = (await client.list(Event, { namespace })).items.filter(
      (event) => event.involvedObject.name === name,
    );
    expect(events.map(({ count }) => count)).toEqual([expect.toSatisfy((count: number) => count <= 2)]);
  }
});

test('a pod is reached in the first family of its service, or not at all', async () => {
  await using plane = await openPlane(SERVICES);
  const { client } = plane;
  await client.create(Node, { metadata: { name: 'n1' } });
  await plane.eventually(() => runPod(plane, 'a', '10.1.0.1', true));
  await runPod(plane, 'b', 'fd00::2', true);
  const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
  await client.create(Service, { metadata: { namespace, name: 'web' }, spec });
  const { subsets = [] } = await plane.eventually(() => client.find(Endpoints, { namespace, name: 'web' }));
  expect(subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip))).toEqual(['10.1.0.1']);
});

test('how many pods a custom resource wants is asked in the version that is preferred', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client } = plane;
  const names = { plural: 'fleets', singular: 'fleet', kind: 'Fleet', listKind: 'FleetList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const versions = [
    { name: 'v1', served: true, storage: true, schema, subresources: { scale } },
    { name: 'v2', served: true, storage: false, schema },
  ];
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
  await client.create(CustomResourceDefinition, { metadata: { name: 'fleets.example.com' }, spec });
  const Fleet = resourceType<KubernetesObject & { spec: { replicas: number } }>({
    group: 'example.com',
    version: 'v1',
    scope: 'Namespaced',
    ...names,
  });
  const fleet = await plane.eventually(() =>
    client.create(Fleet, { metadata: { namespace, name: 'a' }, spec: { replicas: 1 } }).catch(() => undefined),
  );
  const controller = { ...ownerReference(Fleet, fleet), controller: true };
  const pod = { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false };
  const metadata = { namespace, name: 'p', labels: { app: 'fleet' }, ownerReferences: [controller] };
  await plane.eventually(() => client.create(Pod, { metadata, spec: pod }).catch(() => undefined));
  const budget = { maxUnavailable: 1, selector: { matchLabels: { app: 'fleet' } } };
  await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'b' }, spec: budget });
  const [condition] = await plane.eventually(
    async () => (await client.get(PodDisruptionBudget, { namespace, name: 'b' })).status?.conditions,
  );
  expect(condition).toMatchObject({ reason: 'SyncFailed', message: 'found no controllers for pod "p"' });
});

test('a pod that more than one budget is about is told of', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client } = plane;
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  for (const name of ['a', 'b']) await client.create(PodDisruptionBudget, { metadata: { namespace, name }, spec });
  await plane.eventually(() => runPod(plane, 'p', '10.1.0.1', true));
  const { message } = await plane.eventually(async () =>
    (await client.list(Event, { namespace })).items.find(({ reason }) => reason === 'MultiplePodDisruptionBudgets'),
  );
  expect(message).toMatch(/^Pod "default"\/"p" matches multiple PodDisruptionBudgets. {2}Chose "[ab]" arbitrarily.$/);
});

test('a budget does not hear of a pod that left it, before there is news of another', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client, clock } = plane;
  for (const name of ['p', 'q']) await plane.eventually(() => runPod(plane, name, '10.1.0.1', true));
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  await client.create(PodDisruptionBudget, { metadata: { namespace, name: 'b' }, spec });
  const expected = async () =>
    (await client.get(PodDisruptionBudget, { namespace, name: 'b' })).status?.expectedPods ?? 0;
  await plane.eventually(async () => (await expected()) === 2);
  const label = (labels: object) => ({ type: 'merge' as const, body: { metadata: { labels } } });
  await client.patch(Pod, { namespace, name: 'p' }, label({ app: 'else' }));
  await clock.advance(10_000);
  expect(await expected()).toBe(2);
  await client.patch(Pod, { namespace, name: 'q' }, label({ some: 'news' }));
  await plane.eventually(async () => (await expected()) === 1);
});

test('that a pod is about to be disrupted is taken back when it was not', async () => {
  await using plane = await openPlane(['disruption-controller', 'serviceaccount-controller']);
  const { client, clock } = plane;
  await plane.eventually(() => runPod(plane, 'p', '10.1.0.1', true));
  const ref = { namespace, name: 'p' };
  const target = async () =>
    (await client.get(Pod, ref)).status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const promise = async (reason: string) => {
    const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+/, '');
    const condition = { type: 'DisruptionTarget', status: 'True', reason, message: 'soon', lastTransitionTime };
    const body = { status: { conditions: [condition] } };
    await client.patch(Pod, ref, { type: 'strategic', body }, { subresource: 'status' });
  };
  await promise('TerminationByKubelet');
  await clock.advance(180_000);
  expect(await target()).toMatchObject({ status: 'True' });
  await promise('EvictionByEvictionAPI');
  await clock.advance(110_000);
  expect(await target()).toMatchObject({ status: 'True' });
  await clock.advance(20_000);
  expect(await target()).toMatchObject({ status: 'False', observedGeneration: 1 });
  expect(await target()).not.toHaveProperty('message');
});

test('a budget is looked at when its pods change, not when what makes them does', async () => {
  await using plane = await openPlane(['disruption-controller']);
  const { client } = plane;
  const looksAt = async (name: string) =>
    (await client.list(Event, { namespace })).items
      .filter(({ reason, involvedObject }) => reason === 'NoPods' && involvedObject?.name === name)
      .reduce((sum, { count = 1 }) => sum + count, 0);
  const create = async (name: string) => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    await client.create(PodDisruptionBudget, { metadata: { namespace, name }, spec });
    await plane.eventually(async () => (await looksAt(name)) > 0);
    const ref = { namespace, name };
    await plane.eventually(async () => (await client.get(PodDisruptionBudget, ref)).status?.observedGeneration);
  };
  await create('early');
  await create('between');
  const before = await looksAt('early');
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 0, selector: { matchLabels: { app: 'web' } }, template };
  await client.create(ReplicaSet, { metadata: { namespace, name: 'web' }, spec });
  await create('late');
  expect(await looksAt('early')).toBe(before);
});

async function runPod(plane: Plane, name: string, ip: string, ready: boolean): Promise<true | undefined> {
  const containers = [{ name: 'app', image: 'app', ports: [{ name: 'http', containerPort: 8080 }] }];
  const spec = { nodeName: 'n1', containers };
  try {
    await plane.client.create(Pod, { metadata: { namespace, name, labels: { app: 'web' } }, spec });
  } catch (error) {
    if (String(error).includes('serviceaccount "default" not found')) return undefined;
    throw error;
  }
  await patchStatus(plane, name, { phase: 'Running', podIP: ip, podIPs: [{ ip }] });
  await setReady(plane, name, ready);
  return true;
}

async function setReady(plane: Plane, name: string, ready: boolean): Promise<void> {
  await patchStatus(plane, name, { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] });
}

async function patchStatus({ client }: Plane, name: string, status: object): Promise<void> {
  await client.patch(Pod, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** `10.1.0.1 ready, 10.1.0.2 not` */
async function stateOf({ client }: Plane): Promise<string> {
  const slices = (await client.list(EndpointSlice, { namespace })).items;
  return slices
    .filter(({ metadata }) => metadata.name !== 'kubernetes')
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ addresses, conditions }) => `${addresses?.[0]} ${conditions?.ready ? 'ready' : 'not'}`)
    .sort()
    .join(', ');
}

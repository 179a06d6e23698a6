import { Event, Node, Pod, ServiceAccount } from '@pintle/kinds/core/v1';
import type { DeviceToleration } from '@pintle/kinds/resource/v1';
import { ResourceClaim, ResourceClaimTemplate, ResourceSlice } from '@pintle/kinds/resource/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CLAIMS = ['resourceclaim-controller', 'serviceaccount-controller'];
const devices = { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu.example.com' } }] };
const FINALIZER = 'resource.kubernetes.io/delete-protection';

test('a pod gets a claim of its own from a template, is told its name, and loses it when it has ended', async () => {
  await using plane = await openPlane(CLAIMS);
  await addTemplate(plane, 'gpu');
  await addPod(plane, 'p', [{ name: 'a', resourceClaimTemplateName: 'gpu' }]);
  const claim = await plane.eventually(async () => (await claims(plane))[0]);
  expect(claim.metadata).toMatchObject({
    generateName: 'p-a-',
    labels: { l: 'm' },
    annotations: { n: 'o', 'resource.kubernetes.io/pod-claim-name': 'a' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', controller: true }],
  });
  const told = [{ name: 'a', resourceClaimName: claim.metadata.name }];
  await plane.eventually(async () => (await podOf(plane, 'p')).status?.resourceClaimStatuses !== undefined);
  expect((await podOf(plane, 'p')).status?.resourceClaimStatuses).toEqual(told);
  await endPod(plane, 'p');
  await plane.eventually(async () => (await claims(plane)).length === 0);
});

test('a pod whose template is missing says so and gets its claim when the template comes', async () => {
  await using plane = await openPlane(CLAIMS);
  await addPod(plane, 'p', [{ name: 'a', resourceClaimTemplateName: 'late' }]);
  const event = await plane.eventually(async () => (await plane.client.list(Event, { namespace })).items[0]);
  expect(event).toMatchObject({
    reason: 'FailedResourceClaimCreation',
    message:
      'PodResourceClaim a: resource claim template "late": resourceclaimtemplate.resource.k8s.io "late" not found',
  });
  await addTemplate(plane, 'late');
  await plane.eventually(async () => (await claims(plane)).length === 1);
});

test('what was allocated is reserved for a pod that came without a scheduler, and given back after the last', async () => {
  await using plane = await openPlane(CLAIMS);
  await plane.client.create(Node, { metadata: { name: 'n' } });
  const created = await plane.client.create(ResourceClaim, {
    metadata: { namespace, name: 'shared', finalizers: [FINALIZER] },
    spec: { devices },
  });
  const results = [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'x' }];
  const status = { allocation: { devices: { results } } };
  await plane.client.update(ResourceClaim, { ...created, status }, { subresource: 'status' });
  for (const name of ['one', 'two'])
    await addPod(plane, name, [{ name: 'a', resourceClaimName: 'shared' }], { nodeName: 'n' });
  await reservedFor(plane, ['one', 'two']);
  await endPod(plane, 'one');
  await reservedFor(plane, ['two']);
  await plane.client.delete(Pod, { namespace, name: 'two' }, { gracePeriodSeconds: 0 });
  await plane.eventually(async () => (await claims(plane))[0]?.metadata.finalizers === undefined);
  expect((await claims(plane))[0]?.status).toEqual({});
});

test('pods leave a device whose taint they do not tolerate, or when their patience ends, and say why', async () => {
  await using plane = await openPlane([...CLAIMS, 'device-taint-eviction-controller']);
  await plane.client.create(Node, { metadata: { name: 'n' } });
  const slice = await plane.client.create(ResourceSlice, {
    metadata: { name: 's' },
    spec: {
      driver: 'd.example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: [{ name: 'x' }],
    },
  });
  const patience = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 } as const;
  await addUser(plane, 'touchy', []);
  await addUser(plane, 'patient', [patience]);
  const taints = [{ key: 'k', effect: 'NoExecute' as const }];
  await plane.client.update(ResourceSlice, { ...slice, spec: { ...slice.spec, devices: [{ name: 'x', taints }] } });
  const isGoing = async (name: string): Promise<boolean> =>
    (await podOf(plane, name)).metadata.deletionTimestamp !== undefined;
  await plane.eventually(() => isGoing('touchy'));
  expect((await podOf(plane, 'touchy')).status?.conditions).toMatchObject([
    { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByDeviceTaintManager' },
  ]);
  expect(await isGoing('patient')).toBe(false);
  await plane.clock.advance('1m');
  expect(await isGoing('patient')).toBe(true);
  const said = (await plane.client.list(Event, { namespace })).items;
  expect(said.map(({ reason, message, involvedObject }) => [involvedObject.name, reason, message]).sort()).toEqual([
    ['patient', 'DeviceTaintManagerEviction', 'Marking for deletion'],
    ['touchy', 'DeviceTaintManagerEviction', 'Marking for deletion'],
  ]);
});

test('a pod stays when the taint is gone before its patience is', async () => {
  await using plane = await openPlane([...CLAIMS, 'device-taint-eviction-controller']);
  await plane.client.create(Node, { metadata: { name: 'n' } });
  const taints = [{ key: 'k', effect: 'NoExecute' as const }];
  await plane.client.create(ResourceSlice, {
    metadata: { name: 's' },
    spec: {
      driver: 'd.example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      devices: [{ name: 'x', taints }],
    },
  });
  await addUser(plane, 'patient', [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }]);
  await plane.clock.advance('30s');
  await plane.client.delete(ResourceSlice, { name: 's' });
  await plane.clock.advance('1m');
  expect((await podOf(plane, 'patient')).metadata.deletionTimestamp).toBeUndefined();
  const said = (await plane.client.list(Event, { namespace })).items;
  expect(said.map(({ message }) => message)).toEqual(['Cancelling deletion']);
});

/** A pod on a node, and a claim of the same name that has the device x. */
async function addUser(plane: Plane, name: string, tolerations: DeviceToleration[]): Promise<void> {
  const claim = await plane.client.create(ResourceClaim, { metadata: { namespace, name }, spec: { devices } });
  const results = [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'x', tolerations }];
  const status = { allocation: { devices: { results } } };
  await plane.client.update(ResourceClaim, { ...claim, status }, { subresource: 'status' });
  await addPod(plane, name, [{ name: 'a', resourceClaimName: name }], { nodeName: 'n' });
}

async function addTemplate({ client }: Plane, name: string): Promise<void> {
  const metadata = { labels: { l: 'm' }, annotations: { n: 'o' } };
  await client.create(ResourceClaimTemplate, { metadata: { namespace, name }, spec: { metadata, spec: { devices } } });
}

async function addPod(
  { client, eventually }: Plane,
  name: string,
  resourceClaims: NonNullable<NonNullable<Pod['spec']>['resourceClaims']>,
  fields: { nodeName?: string } = {},
): Promise<void> {
  const containers = [{ name: 'main', image: 'x' }];
  const spec = { automountServiceAccountToken: false, containers, resourceClaims, ...fields };
  await eventually(() => client.find(ServiceAccount, { namespace, name: 'default' }));
  await client.create(Pod, { metadata: { namespace, name }, spec });
}

async function podOf({ client }: Plane, name: string): Promise<Pod> {
  return await client.get(Pod, { namespace, name });
}

async function endPod({ client }: Plane, name: string): Promise<void> {
  const body = { status: { phase: 'Succeeded' as const } };
  await client.patch(Pod, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
}

async function claims({ client }: Plane): Promise<readonly ResourceClaim[]> {
  return (await client.list(ResourceClaim, { namespace })).items;
}

async function reservedFor(plane: Plane, names: readonly string[]): Promise<void> {
  await plane.eventually(async () => {
    const reserved = (await claims(plane))[0]?.status?.reservedFor?.map(({ name }) => name).sort();
    return JSON.stringify(reserved) === JSON.stringify(names);
  });
}

import { Event, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { StorageClass, VolumeAttachment, VolumeAttributesClass } from '@pintle/kinds/storage/v1';
import { expect, test, vi } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const VOLUMES = [
  'ephemeral-volume-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'serviceaccount-controller',
  'volumeattributesclass-protection-controller',
];

test('a claim gets the smallest volume that fits, and a volume is released with it', async () => {
  await using plane = await openPlane(VOLUMES);
  await addVolume(plane, 'large', { capacity: { storage: '50Gi' } });
  await addVolume(plane, 'fitting', { capacity: { storage: '5Gi' } });
  await addVolume(plane, 'versatile', { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  await addVolume(plane, 'small', { capacity: { storage: '1Mi' } });
  await addClaim(plane, 'data');
  const claim = await inPhase(plane, 'data', 'Bound');
  expect(claim.spec?.volumeName).toBe('fitting');
  expect(claim.status).toMatchObject({ capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] });
  await plane.client.delete(PersistentVolumeClaim, { namespace, name: 'data' });
  const released = await volumeIn(plane, 'fitting', 'Released');
  expect(released.spec?.claimRef).toMatchObject({ namespace, name: 'data', uid: claim.metadata.uid });
});

test('a volume is found by its labels, by name, or because it was set aside', async () => {
  await using plane = await openPlane(VOLUMES);
  await addVolume(plane, 'other');
  await addVolume(plane, 'labelled', {}, { labels: { tier: 'gold' } });
  await addVolume(plane, 'kept', { claimRef: { namespace, name: 'expected' } });
  await addClaim(plane, 'picky', { selector: { matchLabels: { tier: 'gold' } } });
  expect((await inPhase(plane, 'picky', 'Bound')).spec?.volumeName).toBe('labelled');
  await addClaim(plane, 'expected');
  const kept = await inPhase(plane, 'expected', 'Bound');
  expect(kept.spec?.volumeName).toBe('kept');
  expect((await volumeIn(plane, 'kept', 'Bound')).metadata.annotations).toBeUndefined();
  await addClaim(plane, 'named', { volumeName: 'other' });
  expect((await inPhase(plane, 'named', 'Bound')).metadata.annotations).toEqual({
    'pv.kubernetes.io/bind-completed': 'yes',
  });
});

test('a claim waits where it has to, and says for what', async () => {
  await using plane = await openPlane(VOLUMES);
  const { client } = plane;
  await client.create(StorageClass, {
    metadata: { name: 'later' },
    provisioner: 'driver.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await client.create(StorageClass, { metadata: { name: 'outside' }, provisioner: 'driver.example.com' });
  await addVolume(plane, 'idle', { storageClassName: 'later' });
  for (const storageClassName of ['later', 'outside', 'missing', ''])
    await addClaim(plane, `of-${storageClassName || 'none'}`, { storageClassName });
  await addClaim(plane, 'misled', { volumeName: 'idle' });
  await told(plane, 'of-later', 'waiting for first consumer to be created before binding');
  await told(plane, 'of-missing', 'storageclass.storage.k8s.io "missing" not found');
  await told(plane, 'of-none', 'no persistent volumes available for this claim and no storage class is set');
  await told(plane, 'misled', 'Cannot bind to requested volume "idle": storageClassName does not match');
  const outside = await plane.eventually(async () => {
    const claim = await client.get(PersistentVolumeClaim, { namespace, name: 'of-outside' });
    return claim.metadata.annotations && claim;
  });
  expect(outside.metadata.annotations).toEqual({
    'volume.beta.kubernetes.io/storage-provisioner': 'driver.example.com',
    'volume.kubernetes.io/storage-provisioner': 'driver.example.com',
  });
});

test('that the volumes of others did not help a claim is not told', async () => {
  await using plane = await openPlane(VOLUMES);
  await addClaim(plane, 'waiting', { storageClassName: 'missing' });
  await told(plane, 'waiting', 'storageclass.storage.k8s.io "missing" not found');
  for (const name of ['a', 'b', 'c']) await addVolume(plane, name, { storageClassName: 'other' });
  for (const name of ['a', 'b', 'c']) await volumeIn(plane, name, 'Available');
  await plane.clock.advance(1_000);
  const { items } = await plane.client.list(Event, { namespace });
  expect(items.map(({ count }) => count)).toEqual([1]);
});

test('a volume that is to be deleted with its claim fails where nobody can', async () => {
  await using plane = await openPlane(VOLUMES);
  await addVolume(plane, 'v', { persistentVolumeReclaimPolicy: 'Delete' });
  await addClaim(plane, 'c');
  await inPhase(plane, 'c', 'Bound');
  await plane.client.delete(PersistentVolumeClaim, { namespace, name: 'c' });
  const { status } = await volumeIn(plane, 'v', 'Failed');
  expect(status?.message).toBe('host_path deleter only supports /tmp/.+ but received provided /data');
});

test('a claim is lost with its volume', async () => {
  await using plane = await openPlane(VOLUMES);
  const { client } = plane;
  await addVolume(plane, 'v');
  await addClaim(plane, 'c');
  await inPhase(plane, 'c', 'Bound');
  await volumeIn(plane, 'v', 'Bound');
  await client.delete(PersistentVolume, { name: 'v' });
  await client.patch(PersistentVolume, { name: 'v' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  expect((await inPhase(plane, 'c', 'Lost')).status?.capacity).toBeUndefined();
});

test('what is used stays until it is not', async () => {
  await using plane = await openPlane(VOLUMES);
  const { client } = plane;
  await addVolume(plane, 'v');
  await addClaim(plane, 'c');
  await inPhase(plane, 'c', 'Bound');
  await addPod(plane, 'user', {
    nodeName: 'node',
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
  });
  await client.delete(PersistentVolumeClaim, { namespace, name: 'c' });
  await client.delete(PersistentVolume, { name: 'v' });
  await plane.clock.advance(10_000);
  expect(await client.get(PersistentVolumeClaim, { namespace, name: 'c' })).toBeDefined();
  await client.delete(Pod, { namespace, name: 'user' }, { gracePeriodSeconds: 0 });
  await plane.eventually(
    async () => (await client.find(PersistentVolumeClaim, { namespace, name: 'c' })) === undefined,
  );
  await plane.eventually(async () => (await client.find(PersistentVolume, { name: 'v' })) === undefined);
});

test('claims that leave together do not read the pods of their namespace once each', async () => {
  await using plane = await openPlane(VOLUMES);
  const { client, manager } = plane;
  const names = Array.from({ length: 40 }, (_, index) => `c${index}`);
  for (const name of names) await addClaim(plane, name);
  const isProtected = ({ metadata }: PersistentVolumeClaim): boolean => metadata.finalizers !== undefined;
  const claims = async () => (await client.list(PersistentVolumeClaim, { namespace })).items;
  await plane.eventually(async () => (await claims()).every(isProtected));
  const list = vi.spyOn(manager.client.live, 'list');
  await client.deleteAll(PersistentVolumeClaim, { namespace });
  await plane.eventually(async () => (await claims()).length === 0);
  const reads = list.mock.calls.filter(([type]) => type.kind === 'Pod');
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThan(names.length / 2);
});

test('a class of attributes stays while a claim has it', async () => {
  await using plane = await openPlane(VOLUMES);
  const { client } = plane;
  await client.create(VolumeAttributesClass, {
    metadata: { name: 'fast' },
    driverName: 'd',
    parameters: { iops: '5' },
  });
  await addClaim(plane, 'c', { volumeAttributesClassName: 'fast' });
  await client.delete(VolumeAttributesClass, { name: 'fast' });
  await plane.clock.advance(10_000);
  expect(await client.get(VolumeAttributesClass, { name: 'fast' })).toBeDefined();
  await client.delete(PersistentVolumeClaim, { namespace, name: 'c' });
  await plane.eventually(async () => (await client.find(VolumeAttributesClass, { name: 'fast' })) === undefined);
});

test('an ephemeral volume is a claim of the pod', async () => {
  await using plane = await openPlane(VOLUMES);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const volume = (name: string) => ({
    name,
    ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec } },
  });
  await addClaim(plane, 'p-taken');
  await addPod(plane, 'p', { volumes: [volume('scratch'), volume('taken')] });
  const claim = await plane.eventually(() =>
    plane.client.find(PersistentVolumeClaim, { namespace, name: 'p-scratch' }),
  );
  expect(claim.metadata).toMatchObject({
    labels: { a: 'b' },
    ownerReferences: [{ kind: 'Pod', name: 'p', controller: true }],
  });
  await told(
    plane,
    'p',
    'ephemeral volume taken: PVC default/p-taken was not created for pod default/p (pod is not owner)',
  );
});

test('a volume is attached where a pod uses it, to one node at a time, and the node is told', async () => {
  await using plane = await openPlane([...VOLUMES, 'persistentvolume-attach-detach-controller']);
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  for (const name of ['n1', 'n2']) await plane.client.create(Node, { metadata: { name, annotations } });
  await addVolume(plane, 'disk', { hostPath: undefined, csi: { driver: 'd.example', volumeHandle: 'h' } });
  await addClaim(plane, 'data');
  await inPhase(plane, 'data', 'Bound');
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  await addPod(plane, 'first', { nodeName: 'n1', volumes });
  const attachment = await attachedTo(plane, 'n1');
  expect(attachment.spec).toEqual({
    attacher: 'd.example',
    nodeName: 'n1',
    source: { persistentVolumeName: 'disk' },
  });
  const body = { status: { attached: true } };
  const at = { name: attachment.metadata.name ?? '' };
  await plane.client.patch(VolumeAttachment, at, { type: 'merge', body }, { subresource: 'status' });
  await told(plane, 'first', 'AttachVolume.Attach succeeded for volume "disk" ');
  await plane.eventually(async () => (await plane.client.get(Node, { name: 'n1' })).status?.volumesAttached);
  await addPod(plane, 'second', { nodeName: 'n2', volumes });
  await told(plane, 'second', 'Waiting for detach for volume "disk" Volume is already used by pod(s) first');
  await plane.client.delete(Pod, { namespace, name: 'first' }, { gracePeriodSeconds: 0 });
  await attachedTo(plane, 'n2');
  expect((await plane.client.get(Node, { name: 'n1' })).status?.volumesAttached).toBeUndefined();
});

/** When it is there, and nowhere else. */
test('a volume that its node does not let go of is taken from one that is not ready after six minutes', async () => {
  await using plane = await openPlane([...VOLUMES, 'persistentvolume-attach-detach-controller']);
  const { client } = plane;
  const report = (body: object) =>
    client.patch(Node, { name: 'n1' }, { type: 'merge', body }, { subresource: 'status' });
  const isGone = async () => (await client.list(VolumeAttachment)).items.length === 0;
  const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
  await client.create(Node, { metadata: { name: 'n1', annotations } });
  await addVolume(plane, 'disk', { hostPath: undefined, csi: { driver: 'd.example', volumeHandle: 'h' } });
  await addClaim(plane, 'data');
  await inPhase(plane, 'data', 'Bound');
  await report({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  for (const release of ['time', 'taint']) {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    await addPod(plane, 'user', { nodeName: 'n1', volumes });
    const { metadata } = await attachedTo(plane, 'n1');
    const body = { status: { attached: true } };
    await client.patch(VolumeAttachment, { name: metadata.name! }, { type: 'merge', body }, { subresource: 'status' });
    await report({ status: { volumesInUse: ['kubernetes.io/csi/d.example^h'] } });
    await client.delete(Pod, { namespace, name: 'user' }, { gracePeriodSeconds: 0 });
    await plane.clock.advance(3 * 60_000);
    expect(await isGone()).toBe(false);
    if (release === 'time') {
      await report({ status: { conditions: [{ type: 'Ready', status: 'False' }] } });
      await plane.clock.advance(2 * 60_000);
      expect(await isGone()).toBe(false);
      await plane.clock.advance(2 * 60_000);
    } else {
      const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
      await client.patch(Node, { name: 'n1' }, { type: 'merge', body: { spec: { taints } } });
    }
    await plane.eventually(isGone);
  }
});

async function attachedTo({ client, eventually }: Plane, node: string): Promise<VolumeAttachment> {
  return await eventually(async () => {
    const { items } = await client.list(VolumeAttachment);
    return items.length === 1 && items[0]?.spec.nodeName === node && items[0];
  });
}

async function addVolume({ client }: Plane, name: string, spec: object = {}, metadata: object = {}): Promise<void> {
  await client.create(PersistentVolume, {
    metadata: { name, ...metadata },
    spec: {
      capacity: { storage: '5Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/data' },
      ...spec,
    },
  });
}

async function addClaim({ client }: Plane, name: string, spec: object = {}): Promise<void> {
  await client.create(PersistentVolumeClaim, {
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'static',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  });
}

async function addPod(plane: Plane, name: string, spec: object): Promise<void> {
  await plane.eventually(async () => {
    try {
      const containers = [{ name: 'app', image: 'app' }];
      return await plane.client.create(Pod, { metadata: { namespace, name }, spec: { containers, ...spec } });
    } catch (error) {
      if (String(error).includes('serviceaccount "default" not found')) return undefined;
      throw error;
    }
  });
}

async function inPhase(plane: Plane, name: string, phase: string): Promise<PersistentVolumeClaim> {
  return await plane.eventually(async () => {
    const claim = await plane.client.get(PersistentVolumeClaim, { namespace, name });
    return claim.status?.phase === phase && claim;
  });
}

async function volumeIn(plane: Plane, name: string, phase: string): Promise<PersistentVolume> {
  return await plane.eventually(async () => {
    const volume = await plane.client.get(PersistentVolume, { name });
    return volume.status?.phase === phase && volume;
  });
}

async function told(plane: Plane, name: string, message: string): Promise<void> {
  await plane.eventually(async () => {
    const { items } = await plane.client.list(Event, { namespace });
    return items.some((event) => event.involvedObject.name === name && event.message === message);
  });
}

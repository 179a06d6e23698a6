import { ControllerRevision, StatefulSet } from '@pintle/kinds/apps/v1';
import { ConfigMap, Event, LimitRange, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = ['statefulset-controller', 'serviceaccount-controller', 'garbage-collector-controller'];
const ref = { namespace, name: 'db' };
const CLAIM = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
};

const statefulSet = (replicas: number, fields: object = {}) => ({
  metadata: { namespace, name: 'db' },
  spec: {
    replicas,
    serviceName: 'peers',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    ...fields,
  },
});

test('pods come one after the other, each when those before it are ready, and go the other way', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(3, { volumeClaimTemplates: [CLAIM] }));
  for (const pods of [['db-0'], ['db-0', 'db-1'], ['db-0', 'db-1', 'db-2']]) {
    await settled(plane, pods);
    await makeReady(plane);
  }
  expect((await plane.client.get(Pod, { namespace, name: 'db-1' })).spec).toMatchObject({
    hostname: 'db-1',
    subdomain: 'peers',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }, {}],
  });
  await change(plane, { replicas: 1 });
  await settled(plane, ['db-0']);
  expect(await claims(plane)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
});

test('claims of a pod that does not run yet follow a change of what becomes of them', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(1, { volumeClaimTemplates: [CLAIM] }));
  await settled(plane, ['db-0']);
  await change(plane, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
  const claim = { namespace, name: 'data-db-0' };
  await plane.eventually(async () => {
    const { ownerReferences } = (await plane.client.get(PersistentVolumeClaim, claim)).metadata;
    return ownerReferences?.[0]?.kind === 'StatefulSet';
  });
});

test('a pod waits until the one before it has been ready for long enough', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(2, { minReadySeconds: 30 }));
  await settled(plane, ['db-0']);
  await makeReady(plane);
  await plane.clock.advance(20_000);
  await settled(plane, ['db-0']);
  await plane.clock.advance(15_000);
  await settled(plane, ['db-0', 'db-1']);
});

test('a parallel set makes and removes all at once, from where its ordinals start', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(3, { podManagementPolicy: 'Parallel', ordinals: { start: 5 } }));
  await settled(plane, ['db-5', 'db-6', 'db-7']);
  await change(plane, { replicas: 1 });
  await settled(plane, ['db-5']);
});

test('a set far larger than anybody can have begins like any other', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(2_147_483_647));
  await settled(plane, ['db-0']);
});

test('an update goes from the last to the partition, and a pod lost below it comes back as it was', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(
    StatefulSet,
    statefulSet(3, { podManagementPolicy: 'Parallel', updateStrategy: { rollingUpdate: { partition: 1 } } }),
  );
  await settled(plane, ['db-0', 'db-1', 'db-2']);
  await makeReady(plane);
  await roll(plane, 'app:2');
  await imaged(plane, { 'db-0': 'app:1', 'db-1': 'app:1', 'db-2': 'app:2' });
  await plane.clock.advance(10_000);
  await imaged(plane, { 'db-0': 'app:1', 'db-1': 'app:1', 'db-2': 'app:2' });
  await makeReady(plane);
  await imaged(plane, { 'db-0': 'app:1', 'db-1': 'app:2', 'db-2': 'app:2' });
  await makeReady(plane);
  await plane.client.delete(Pod, { namespace, name: 'db-0' });
  await imaged(plane, { 'db-0': 'app:1', 'db-1': 'app:2', 'db-2': 'app:2' });
  await makeReady(plane);
  await change(plane, { updateStrategy: { rollingUpdate: { partition: 0 } } });
  await imaged(plane, { 'db-0': 'app:2', 'db-1': 'app:2', 'db-2': 'app:2' });
  await makeReady(plane);
  await plane.eventually(async () => {
    const { status } = await plane.client.get(StatefulSet, ref);
    return status?.currentRevision === status?.updateRevision && status?.currentReplicas === 3;
  });
});

test('an old pod that never became ready does not hold up its replacement', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(2, { podManagementPolicy: 'Parallel' }));
  await settled(plane, ['db-0', 'db-1']);
  await roll(plane, 'app:2');
  await imaged(plane, { 'db-0': 'app:1', 'db-1': 'app:2' });
  await makeReady(plane);
  await imaged(plane, { 'db-0': 'app:2', 'db-1': 'app:2' });
});

test('on delete, pods change when somebody deletes them; revisions that came back are numbered anew', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(1, { updateStrategy: { type: 'OnDelete' } }));
  await settled(plane, ['db-0']);
  await makeReady(plane);
  await roll(plane, 'app:2');
  await plane.clock.advance(10_000);
  await imaged(plane, { 'db-0': 'app:1' });
  await plane.client.delete(Pod, { namespace, name: 'db-0' });
  await imaged(plane, { 'db-0': 'app:2' });
  await roll(plane, 'app:1');
  await plane.eventually(async () => {
    const { items } = await plane.client.list(ControllerRevision, { namespace });
    return JSON.stringify(items.map(({ revision }) => revision).sort()) === '[2,3]';
  });
});

test('a revision whose name is taken gets another, and keeps the hash that was tried first', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const { client, clock } = plane;
  const made = async () => (await client.list(ControllerRevision, { namespace })).items;
  await client.create(StatefulSet, statefulSet(0));
  const [first] = await plane.eventually(async () => (await made()).length > 0 && (await made()));
  const taken = { namespace, name: first!.metadata.name! };
  await client.delete(StatefulSet, ref);
  await plane.eventually(async () => (await made()).length === 0);
  await client.create(ControllerRevision, { metadata: taken, revision: 1, data: { other: true } });
  await client.create(StatefulSet, statefulSet(0));
  const other = await plane.eventually(async () => (await made()).find(({ metadata }) => metadata.name !== taken.name));
  expect(`db-${other.metadata.labels?.['controller.kubernetes.io/hash']}`).toBe(taken.name);
  const { status } = await plane.eventually(async () => {
    const set = await client.get(StatefulSet, ref);
    return set.status?.updateRevision !== undefined && set;
  });
  expect(status).toMatchObject({ collisionCount: 1, updateRevision: other.metadata.name });
  const stray = { namespace, name: 'stray', labels: { app: 'db' } };
  await client.create(ControllerRevision, { metadata: stray, revision: 7, data: { other: true } });
  await clock.advance(60_000);
  expect((await client.get(ControllerRevision, stray)).metadata.ownerReferences).toBeUndefined();
});

test('claims go with what the set says: its pods when it shrinks, itself when it is deleted', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const policy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
  await plane.client.create(
    StatefulSet,
    statefulSet(2, { volumeClaimTemplates: [CLAIM], persistentVolumeClaimRetentionPolicy: policy }),
  );
  await settled(plane, ['db-0']);
  await makeReady(plane);
  await settled(plane, ['db-0', 'db-1']);
  await makeReady(plane);
  await unprotect(plane);
  await change(plane, { replicas: 1 });
  await plane.eventually(async () => JSON.stringify(await claims(plane)) === '["data-db-0"]');
  await plane.client.delete(StatefulSet, ref, { propagationPolicy: 'Background' });
  await plane.eventually(async () => (await claims(plane)).length === 0);
});

test('a pod whose labels or claims were put right is told of', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await plane.client.create(StatefulSet, statefulSet(1, { volumeClaimTemplates: [CLAIM] }));
  await settled(plane, ['db-0']);
  await makeReady(plane);
  await change(plane, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
  const event = await plane.eventually(async () =>
    (await plane.client.list(Event, { namespace })).items.find(({ reason }) => reason === 'SuccessfulUpdate'),
  );
  expect(event).toMatchObject({ type: 'Normal', message: 'Update Pod db-0 in StatefulSet db successful' });
});

test('all claims that could not be made are told of, and that somebody else controls one', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const limits = [{ type: 'PersistentVolumeClaim', max: { storage: '1Mi' } }];
  await plane.client.create(LimitRange, { metadata: { namespace, name: 'small' }, spec: { limits } });
  // The owner exists: the garbage collector would delete the claim of one that does not.
  const { uid = '' } = (await plane.client.create(ConfigMap, { metadata: { namespace, name: 'c' } })).metadata;
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid, controller: true };
  const spec = { ...CLAIM.spec, resources: { requests: { storage: '1Mi' } } };
  const metadata = { namespace, name: 'data-db-0', ownerReferences: [other] };
  await plane.client.create(PersistentVolumeClaim, { metadata, spec });
  const volumeClaimTemplates = ['data', 'log', 'tmp'].map((name) => ({ ...CLAIM, metadata: { name } }));
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  await plane.client.create(
    StatefulSet,
    statefulSet(1, { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }),
  );
  const told = await plane.eventually(async () => {
    const { items } = await plane.client.list(Event, { namespace });
    return items.find(({ message }) => message?.startsWith('Create Pod db-0'));
  });
  const why = (name: string): string =>
    `failed to create PVC ${name}: persistentvolumeclaims "${name}" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Mi, but request is 1Gi`;
  expect(told.message).toBe(`Create Pod db-0 in StatefulSet db failed error: [${why('log-db-0')}, ${why('tmp-db-0')}]`);
  await plane.client.delete(LimitRange, { namespace, name: 'small' });
  await plane.clock.advance(60_000);
  const conflict = await plane.eventually(async () => {
    const { items } = await plane.client.list(Event, { namespace });
    return items.find(({ reason }) => reason === 'ConflictingController');
  });
  expect(conflict.message).toBe(
    'PersistentVolumeClaim data-db-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
  );
});

test('in steady state nothing is written', async () => {
  await using plane = await openPlane(CONTROLLERS);
  const policy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
  await plane.client.create(
    StatefulSet,
    statefulSet(1, { volumeClaimTemplates: [CLAIM], persistentVolumeClaimRetentionPolicy: policy }),
  );
  await settled(plane, ['db-0']);
  await makeReady(plane);
  await plane.eventually(async () => (await plane.client.get(StatefulSet, ref)).status?.availableReplicas === 1);
  const versions = async () => [
    (await plane.client.get(StatefulSet, ref)).metadata.resourceVersion,
    (await plane.client.get(Pod, { namespace, name: 'db-0' })).metadata.resourceVersion,
    (await plane.client.get(PersistentVolumeClaim, { namespace, name: 'data-db-0' })).metadata.resourceVersion,
  ];
  const before = await versions();
  await plane.clock.advance(600_000);
  expect(await versions()).toEqual(before);
});

async function podsOf({ client }: Plane): Promise<Pod[]> {
  return (await client.list(Pod, { namespace })).items;
}

async function settled(plane: Plane, names: readonly string[]): Promise<void> {
  await plane.eventually(async () => {
    const found = (await podsOf(plane)).map(({ metadata }) => metadata.name).sort();
    return JSON.stringify(found) === JSON.stringify(names);
  });
}

async function imaged(plane: Plane, images: Record<string, string>): Promise<void> {
  await plane.eventually(async () => {
    const found = (await podsOf(plane)).map(({ metadata, spec }) => [metadata.name, spec?.containers?.[0]?.image]);
    return JSON.stringify(found.sort()) === JSON.stringify(Object.entries(images).sort());
  });
}

async function claims({ client }: Plane): Promise<(string | undefined)[]> {
  return (await client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.name).sort();
}

/** Plays the controller that protects claims in use: none is. */
async function unprotect({ client }: Plane): Promise<void> {
  for (const name of await claims({ client } as Plane)) {
    const body = { metadata: { finalizers: null } };
    await client.patch(PersistentVolumeClaim, { namespace, name: name! }, { type: 'merge', body });
  }
}

/** Plays the kubelet. */
async function makeReady(plane: Plane): Promise<void> {
  const lastTransitionTime = new Date(plane.clock.now()).toISOString().replace(/\.\d+/, '');
  const status = {
    phase: 'Running' as const,
    conditions: [{ type: 'Ready', status: 'True' as const, lastTransitionTime }],
  };
  for (const pod of await podsOf(plane)) {
    if (pod.status?.phase === 'Running') continue;
    const podRef = { namespace, name: pod.metadata.name! };
    await plane.client.patch(Pod, podRef, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
}

async function change({ client }: Plane, spec: object): Promise<void> {
  await client.patch(StatefulSet, ref, { type: 'merge', body: { spec } });
}

async function roll(plane: Plane, image: string): Promise<void> {
  await change(plane, { template: { spec: { containers: [{ name: 'app', image }] } } });
}

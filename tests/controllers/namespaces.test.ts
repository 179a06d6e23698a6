import { ConfigMap, Namespace, Pod, ServiceAccount } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

const ALL = ['namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller'];

test('a namespace has a default service account and the root certificate, whoever deletes them', async () => {
  await using plane = await openPlane(ALL);
  const { client, eventually } = plane;
  await client.create(Namespace, { metadata: { name: 'home' } });
  const account = { namespace: 'home', name: 'default' };
  const certificate = { namespace: 'home', name: 'kube-root-ca.crt' };
  const { metadata } = await eventually(() => client.find(ServiceAccount, account));
  const { data } = await eventually(() => client.find(ConfigMap, certificate));
  expect(data).toEqual({ 'ca.crt': 'the root certificate' });
  await client.delete(ServiceAccount, account);
  await client.patch(ConfigMap, certificate, { type: 'merge', body: { data: { 'ca.crt': 'another' } } });
  const again = await eventually(() => client.find(ServiceAccount, account));
  expect(again.metadata.uid).not.toBe(metadata.uid);
  await eventually(async () => (await client.get(ConfigMap, certificate)).data?.['ca.crt'] === 'the root certificate');
});

test('the description of the root certificate comes back, too', async () => {
  await using plane = await openPlane(ALL);
  const { client, eventually } = plane;
  const certificate = { namespace: 'default', name: 'kube-root-ca.crt' };
  await eventually(() => client.find(ConfigMap, certificate));
  await client.patch(ConfigMap, certificate, { type: 'merge', body: { immutable: true } });
  await client.patch(ConfigMap, certificate, { type: 'merge', body: { metadata: { annotations: null } } });
  const described = await eventually(async () => (await client.get(ConfigMap, certificate)).metadata.annotations);
  expect(Object.keys(described)).toEqual(['kubernetes.io/description']);
});

test('a deleted namespace takes everything in it along', async () => {
  await using plane = await openPlane(ALL);
  const { client, eventually } = plane;
  await client.create(Namespace, { metadata: { name: 'full' } });
  await client.create(ConfigMap, { metadata: { namespace: 'full', name: 'a' } });
  await client.delete(Namespace, { name: 'full' });
  await eventually(async () => (await client.find(Namespace, { name: 'full' })) === undefined);
  expect((await client.list(ConfigMap, { namespace: 'full' })).items).toEqual([]);
});

test('a deleted namespace is left as it is for a while, whatever else is said of it', async () => {
  await using plane = await openPlane(ALL, { namespaceGraceMs: 5_000 });
  const { client, clock, eventually } = plane;
  await client.create(Namespace, { metadata: { name: 'full' } });
  await client.create(ConfigMap, { metadata: { namespace: 'full', name: 'a' } });
  await client.delete(Namespace, { name: 'full' });
  await clock.advance(3_000);
  await client.patch(Namespace, { name: 'full' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await clock.advance(1_900);
  const { status } = await client.get(Namespace, { name: 'full' });
  expect(status).toEqual({ phase: 'Terminating' });
  await client.get(ConfigMap, { namespace: 'full', name: 'a' });
  await clock.advance(200);
  await eventually(async () => (await client.find(Namespace, { name: 'full' })) === undefined);
});

test('what holds its content holds a namespace, and it says so', async () => {
  await using plane = await openPlane(ALL);
  const { client, eventually } = plane;
  await client.create(Namespace, { metadata: { name: 'held' } });
  const held = { namespace: 'held', name: 'a' };
  await client.create(ConfigMap, { metadata: { ...held, finalizers: ['example.com/hold'] } });
  await client.delete(Namespace, { name: 'held' });
  const conditions = await eventually(async () => {
    const { status } = await client.get(Namespace, { name: 'held' });
    return status?.conditions?.some(({ type, status }) => type === 'NamespaceContentRemaining' && status === 'True')
      ? status.conditions
      : undefined;
  });
  expect(conditions.map(({ type, status, message }) => `${type}=${status} ${message}`)).toEqual([
    'NamespaceDeletionDiscoveryFailure=False All resources successfully discovered',
    'NamespaceDeletionGroupVersionParsingFailure=False All legacy kube types successfully parsed',
    'NamespaceDeletionContentFailure=False All content successfully deleted, may be waiting on finalization',
    'NamespaceContentRemaining=True Some resources are remaining: configmaps. has 1 resource instances',
    'NamespaceFinalizersRemaining=True Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  ]);
  await client.patch(ConfigMap, held, { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(async () => (await client.find(Namespace, { name: 'held' })) === undefined);
});

test('pods go first: as long as one is left nothing is taken from under it', async () => {
  await using plane = await openPlane(ALL);
  const { client, clock, eventually } = plane;
  const namespace = 'peopled';
  await client.create(Namespace, { metadata: { name: namespace } });
  await eventually(() => client.find(ServiceAccount, { namespace, name: 'default' }));
  const finalizers = ['example.com/hold'];
  const spec = { containers: [{ name: 'app', image: 'app' }] };
  await client.create(Pod, { metadata: { namespace, name: 'stays', finalizers }, spec });
  await client.create(ConfigMap, { metadata: { namespace, name: 'read' } });
  await client.delete(Namespace, { name: namespace });
  await eventually(async () => (await client.get(Pod, { namespace, name: 'stays' })).metadata.deletionTimestamp);
  await clock.advance(10_000);
  expect((await client.get(ConfigMap, { namespace, name: 'read' })).metadata.deletionTimestamp).toBeUndefined();
  const body = { metadata: { finalizers: null } };
  await client.patch(Pod, { namespace, name: 'stays' }, { type: 'merge', body });
  await eventually(async () => (await client.find(Namespace, { name: namespace })) === undefined);
});

import { ConfigMap, Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

/*
 * Whoever may create objects fills each with a megabyte. Controllers hold all objects of the kinds that they watch for as long as
 * they run: of kinds whose content none of them needs, only what names the objects.
 */

const NAMESPACE = 'default';
const COUNT = 8;
const LARGE = 'x'.repeat(200_000);
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

test('all controllers together hold less than a kilobyte of a large Secret, ConfigMap or service account', async () => {
  await using plane = await openPlane(['*'], { signToken: async () => 'a token' });
  const { client, manager } = plane;
  await plane.eventually(() => client.find(ServiceAccount, { namespace: NAMESPACE, name: 'default' }));
  for (let i = 0; i < COUNT; i++) {
    const metadata = { namespace: NAMESPACE, name: `large-${i}`, labels: { of: 'bob' } };
    await client.create(ConfigMap, { metadata, data: { LARGE } });
    await client.create(ServiceAccount, { metadata: { ...metadata, annotations: { LARGE } } });
    const annotations = { [ACCOUNT_NAME]: 'default', LARGE };
    const type = 'kubernetes.io/service-account-token';
    await client.create(Secret, { metadata: { ...metadata, annotations }, type, stringData: { LARGE } });
  }
  await plane.eventually(async () => {
    const { items } = await client.list(Secret, { namespace: NAMESPACE });
    return items.length === COUNT && items.every(({ data }) => data?.token);
  });

  const held = new Map<string, number>();
  for (const informer of manager.informers.informers()) {
    const { kind } = informer.type;
    held.set(kind, (held.get(kind) ?? 0) + informer.memory().bytes);
  }
  expect(held.get('Secret')).toBeLessThan(COUNT * 1_000);
  expect(held.get('ServiceAccount')).toBeLessThan((COUNT + 10) * 1_000);
  expect(held.get('ConfigMap')).toBeLessThan(10 * 1_000);
});

test('controllers hold whole objects of these kinds only', async () => {
  await using plane = await openPlane(['*'], { signToken: async () => 'a token' });
  await plane.eventually(() => plane.client.find(ServiceAccount, { namespace: NAMESPACE, name: 'default' }));
  const { informers } = plane.manager;
  const whole = informers.informers().filter((informer) => informers.find(informer.type) === informer);
  expect(whole.map(({ type }) => type.kind).sort()).toEqual([
    'CSIDriver',
    'CertificateSigningRequest',
    'ClusterRole',
    'ControllerRevision',
    'CronJob',
    'DaemonSet',
    'Deployment',
    'EndpointSlice',
    'Endpoints',
    'HorizontalPodAutoscaler',
    'IPAddress',
    'Job',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'PodDisruptionBudget',
    'ReplicaSet',
    'ReplicationController',
    'ResourceClaim',
    'ResourceClaimTemplate',
    'ResourceQuota',
    'ResourceSlice',
    'Service',
    'ServiceCIDR',
    'StatefulSet',
    'StorageClass',
    'ValidatingAdmissionPolicy',
    'VolumeAttachment',
    'VolumeAttributesClass',
  ]);
});

test('a token of an account that is not there goes with a name of any length', async () => {
  await using plane = await openPlane(['serviceaccount-token-controller'], { signToken: async () => 'a token' });
  const { client } = plane;
  const type = 'kubernetes.io/service-account-token';
  for (const [name, account] of [
    ['a', 'nobody'],
    ['b', 'n'.repeat(100_000)],
  ] as const)
    await client.create(Secret, {
      metadata: { namespace: NAMESPACE, name, annotations: { [ACCOUNT_NAME]: account } },
      type,
    });
  await plane.eventually(async () => (await client.list(Secret, { namespace: NAMESPACE })).items.length === 0);
});

test('tokens go with their account, and are filled in for another of its name', async () => {
  await using plane = await openPlane(['serviceaccount-token-controller'], { signToken: async () => 'a token' });
  const { client } = plane;
  const account = await client.create(ServiceAccount, { metadata: { namespace: NAMESPACE, name: 'web' } });
  const ref = { namespace: NAMESPACE, name: 'token' };
  const secret = {
    metadata: { ...ref, annotations: { [ACCOUNT_NAME]: 'web' } },
    type: 'kubernetes.io/service-account-token',
  };
  await client.create(Secret, secret);
  const filled = await plane.eventually(async () => {
    const found = await client.find(Secret, ref);
    return found?.data?.token ? found : undefined;
  });
  expect(filled.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.metadata.uid);
  await client.delete(ServiceAccount, account.metadata);
  await plane.eventually(async () => (await client.find(Secret, ref)) === undefined);
  await client.create(ServiceAccount, { metadata: { namespace: NAMESPACE, name: 'web' } });
  await client.create(Secret, secret);
  await plane.eventually(async () => (await client.find(Secret, ref))?.data?.token);
});

import { Pod, ResourceQuota, ServiceAccount } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

test('a quota says nothing of kinds there are not', async () => {
  await using plane = await openPlane(['resourcequota-controller']);
  const ref = { namespace: 'default', name: 'odd' };
  const hard = { 'count/foos.example.com': '3', 'count/configmaps': '2', 'requests.example.com/gpu': '1' };
  await plane.client.create(ResourceQuota, { metadata: ref, spec: { hard } });
  const status = await plane.eventually(async () => {
    const { status } = await plane.client.get(ResourceQuota, ref);
    return status?.used?.['count/configmaps'] && status;
  });
  expect(status).toEqual({ hard, used: { 'count/configmaps': '0', 'requests.example.com/gpu': '0' } });
});

test('what others write into the status of a quota stays until its limits change', async () => {
  await using plane = await openPlane(['resourcequota-controller']);
  const refTo = (name: string) => ({ namespace: 'default', name });
  const usedOf = async (name: string) =>
    (await plane.client.get(ResourceQuota, refTo(name))).status?.used?.['count/configmaps'];
  const create = async (name: string) => {
    await plane.client.create(ResourceQuota, { metadata: refTo(name), spec: { hard: { 'count/configmaps': '9' } } });
    await plane.eventually(() => usedOf(name));
  };
  await create('told');
  const status = { used: { 'count/configmaps': '7' } };
  const told = await plane.client.get(ResourceQuota, refTo('told'));
  await plane.client.update(
    ResourceQuota,
    { ...told, status: { ...told.status, ...status } },
    { subresource: 'status' },
  );
  await create('later');
  expect(await usedOf('told')).toBe('7');
  const body = { spec: { hard: { 'count/configmaps': '8' } } };
  await plane.client.patch(ResourceQuota, refTo('told'), { type: 'merge', body });
  await plane.eventually(async () => (await usedOf('told')) !== '7');
});

test('a pod that leaves the scope of a quota gives its place back', async () => {
  await using plane = await openPlane(['resourcequota-controller', 'serviceaccount-controller']);
  const namespace = 'default';
  const limit = async (name: string, scope: 'Terminating' | 'NotTerminating') => {
    const spec = { hard: { pods: '1' }, scopes: [scope] };
    await plane.client.create(ResourceQuota, { metadata: { namespace, name }, spec });
    await plane.eventually(async () => (await usedBy(name)) === '0');
  };
  const usedBy = async (name: string) =>
    (await plane.client.get(ResourceQuota, { namespace, name })).status?.used?.pods;
  const create = (name: string) =>
    plane.client.create(Pod, {
      metadata: { namespace, name },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    });
  await plane.eventually(() => plane.client.find(ServiceAccount, { namespace, name: 'default' }));
  await limit('running', 'NotTerminating');
  await limit('ending', 'Terminating');
  await create('one');
  await expect(create('two')).rejects.toThrow('exceeded quota: running');
  const body = { spec: { activeDeadlineSeconds: 100 } };
  await plane.client.patch(Pod, { namespace, name: 'one' }, { type: 'merge', body });
  await plane.eventually(async () => (await usedBy('running')) === '0');
  expect(await usedBy('ending')).toBe('1');
  await create('two');
});

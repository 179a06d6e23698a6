import { Service } from '@pintle/kinds/core/v1';
import { IPAddress, ServiceCIDR } from '@pintle/kinds/networking/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

test('a range of service addresses is made ready and stays while addresses are given out of it', async () => {
  await using plane = await openPlane(['service-cidr-controller']);
  const { client } = plane;
  const name = 'extra';
  await client.create(ServiceCIDR, { metadata: { name }, spec: { cidrs: ['10.9.0.0/24'] } });
  const ready = await plane.eventually(async () => {
    const range = await client.get(ServiceCIDR, { name });
    return range.status?.conditions && range;
  });
  expect(ready.metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer']);
  expect(ready.status?.conditions).toMatchObject([
    { type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' },
  ]);
  expect(ready.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'service-cidr-controller', operation: 'Apply', subresource: 'status' }),
  );
  const labels = {
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  };
  const parentRef = { resource: Service.plural, namespace: 'default', name: 'web' };
  await client.create(IPAddress, { metadata: { name: '10.9.0.7', labels }, spec: { parentRef } });
  await plane.clock.advance(1_000);
  await client.delete(ServiceCIDR, { name });
  await plane.eventually(async () => {
    const { status } = await client.get(ServiceCIDR, { name });
    return status?.conditions?.some(({ reason }) => reason === 'Terminating');
  });
  await client.delete(IPAddress, { name: '10.9.0.7' });
  await plane.eventually(async () => (await client.find(ServiceCIDR, { name })) === undefined);
});

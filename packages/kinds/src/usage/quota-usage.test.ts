import { parseQuantity } from '@pintle/machinery/quantity';
import { expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod, ResourceQuota } from '../generated/core/v1.ts';
import { countedBy, isInScope, missingForQuota, quotaUsage } from './quota-usage.ts';

test('where there is a quota of processors or memory every container says what it takes; of other things none has to', () => {
  const pod = { spec: { containers: [{ name: 'app' }] } } as Pod;
  const one = parseQuantity('1');
  const quotaOf = (...names: string[]) => new Map(names.map((name) => [name, one]));
  expect(missingForQuota(pod, quotaOf('requests.cpu', 'limits.memory'))).toBe(
    'limits.memory for: app; requests.cpu for: app',
  );
  expect(missingForQuota(pod, quotaOf('requests.ephemeral-storage', 'limits.ephemeral-storage', 'pods'))).toBe('');
});

test.each<[string, string[], string, string, boolean]>([
  ['Exists', [], 'gold', '', true],
  ['Exists', [], '', '', false],
  ['In', ['gold'], 'gold', '', true],
  ['In', ['gold'], 'iron', 'gold', true],
  ['In', ['gold'], 'iron', '', false],
  ['NotIn', ['gold'], 'iron', '', true],
  ['NotIn', ['gold'], '', '', true],
  ['DoesNotExist', [], '', '', true],
  ['DoesNotExist', [], 'gold', '', false],
])(
  'a quota of claims whose class %s %j counts one of %j, now %j: %s',
  (operator, values, wanted, current, isCounted) => {
    const expression = { scopeName: 'VolumeAttributesClass', operator, values };
    const quota = { spec: { scopeSelector: { matchExpressions: [expression] } } } as ResourceQuota;
    const claim = {
      metadata: {},
      spec: { volumeAttributesClassName: wanted },
      status: { currentVolumeAttributesClassName: current },
    } as PersistentVolumeClaim;
    const counted = { group: '', resource: 'persistentvolumeclaims' };
    expect(isInScope(quota, counted, claim as Parameters<typeof isInScope>[2])).toBe(isCounted);
  },
);

test.each([
  ['count/deployments.apps', 'deployments.apps'],
  ['services.nodeports', 'services.'],
  ['requests.storage', 'persistentvolumeclaims.'],
  ['gold.storageclass.storage.k8s.io/requests.storage', 'persistentvolumeclaims.'],
  ['gold.volumeattributesclass.storage.k8s.io/requests.storage', undefined],
  ['gpu.deviceclass.resource.k8s.io/devices', 'resourceclaims.resource.k8s.io'],
  ['hugepages-2Mi', 'pods.'],
  ['requests.example.com/gpu', 'pods.'],
  ['limits.memory', 'pods.'],
  ['secrets', 'secrets.'],
])('%s is counted by %s', (name, resource) => {
  const counted = countedBy(name);
  expect(counted && `${counted.resource}.${counted.group}`).toBe(resource);
});

test('a claim takes of each class the devices it may be given in the worst case', () => {
  const requests = [
    { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
    { name: 'b', exactly: { deviceClassName: 'nic', allocationMode: 'All' } },
    {
      name: 'c',
      firstAvailable: [
        { name: 'x', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 },
        { name: 'y', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
      ],
    },
  ];
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {},
    spec: { devices: { requests } },
  };
  const usage = quotaUsage({ group: 'resource.k8s.io', resource: 'resourceclaims' }, claim);
  expect(Object.fromEntries([...usage].map(([name, amount]) => [name, String(amount)]))).toEqual({
    'count/resourceclaims.resource.k8s.io': '1',
    'gpu.deviceclass.resource.k8s.io/devices': '5',
    'nic.deviceclass.resource.k8s.io/devices': '32',
  });
});

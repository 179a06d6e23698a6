import type { Pod, Service } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { ServicePorts } from './service-ports.ts';

const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1);
const serviceOf = (ports: object[]) => ({ metadata: { name: 's' }, spec: { ports } }) as Service;
const podOf = (ports: object[]) => ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', ports }] } }) as Pod;

test('pods with the same numbers share a list, however many ports and pods there are', () => {
  const ports = new ServicePorts(serviceOf(numbers.map((port) => ({ name: `p${port}`, port }))));
  const lists = new Set(Array.from({ length: 1_000 }, () => ports.at(podOf([]))));
  expect([...lists].map((list) => list?.length)).toEqual([20_000]);
});

test('a name is another number at each pod, and no port where a pod does not know it', () => {
  const ports = new ServicePorts(
    serviceOf([
      { name: 'a', port: 1, targetPort: 'web' },
      { name: 'b', port: 2 },
    ]),
  );
  const at = (...known: object[]) => ports.at(podOf(known))?.map(({ number }) => number);
  expect(at({ name: 'web', containerPort: 80 })).toEqual([80, 2]);
  expect(at({ name: 'web', containerPort: 81 })).toEqual([81, 2]);
  expect(at()).toEqual([2]);
});

test('of pods that all have other numbers, no more are told apart than memory has room for', () => {
  const ports = new ServicePorts(serviceOf(numbers.map((port) => ({ name: `p${port}`, port, targetPort: 'web' }))));
  const lists = Array.from({ length: 100 }, (_, index) => ports.at(podOf([{ name: 'web', containerPort: index + 1 }])));
  expect(lists.filter((list) => list !== undefined).length).toBeLessThan(50);
});

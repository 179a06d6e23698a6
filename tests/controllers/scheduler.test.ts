import { Node, Pod } from '@pintle/kinds/core/v1';
import { expect, test, vi } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = ['serviceaccount-controller', 'node-lifecycle-controller'];

test('a pod without a place wakes nobody when it goes, and one with a place those that wait', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 1 });
  await plane.eventually(async () => (await plane.client.list(Node)).items.length === 1);
  await addPod(plane, 'holder', '8');
  await plane.eventually(async () => (await podOf(plane, 'holder')).spec?.nodeName);
  const staying = Array.from({ length: 8 }, (_, i) => `staying-${i}`);
  const leaving = Array.from({ length: 4 }, (_, i) => `leaving-${i}`);
  for (const name of [...staying, ...leaving]) await addPod(plane, name, '5');
  for (const name of [...staying, ...leaving]) await plane.eventually(() => isRefused(plane, name));

  const { queue } = plane.manager.controllers.find(({ name }) => name === 'scheduler')!;
  const add = vi.spyOn(queue, 'add');
  const added = (): string[] =>
    add.mock.calls.filter(([, options]) => !options?.afterMs).map(([request]) => request.name);
  for (const name of leaving) await end(plane, name);
  await plane.clock.advance(100);
  expect(added()).toEqual([]);

  await end(plane, 'holder');
  await plane.clock.advance(100);
  expect(added().sort()).toEqual(staying);
  const placed = (await plane.client.list(Pod, { namespace })).items.filter(({ spec }) => spec?.nodeName);
  expect(placed).toHaveLength(1);
});

async function addPod({ client }: Plane, name: string, cpu: string): Promise<void> {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  await client.create(Pod, { metadata: { namespace, name }, spec: { containers } });
}

function podOf({ client }: Plane, name: string): Promise<Pod> {
  return client.get(Pod, { namespace, name });
}

async function isRefused(plane: Plane, name: string): Promise<boolean> {
  const { conditions = [] } = (await podOf(plane, name)).status ?? {};
  return conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'False');
}

async function end({ client }: Plane, name: string): Promise<void> {
  await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
}

import { Namespace, Node, Pod } from '@pintle/kinds/core/v1';
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

test('a change of a node or namespace wakes only the pods that it can help', async () => {
  await using plane = await openPlane(CONTROLLERS, { nodes: 1 });
  await plane.eventually(async () => (await plane.client.list(Node)).items.length === 1);
  const [node] = (await plane.client.list(Node)).items;
  await addPod(plane, 'holder', '8');
  await plane.eventually(async () => (await podOf(plane, 'holder')).spec?.nodeName);
  const waiting = { modest: { cpu: '5' }, greedy: { cpu: '500' } };
  for (const [name, { cpu }] of Object.entries(waiting)) await addPod(plane, name, cpu);
  await addPod(plane, 'minding', '500', { affinity: { podAntiAffinity: {} } });
  for (const name of [...Object.keys(waiting), 'minding']) await plane.eventually(() => isRefused(plane, name));

  const { queue } = plane.manager.controllers.find(({ name }) => name === 'scheduler')!;
  const add = vi.spyOn(queue, 'add');
  const added = (): string[] => {
    const calls = add.mock.calls.filter(([, options]) => !options?.afterMs);
    return [...new Set(calls.map(([request]) => request.name))].sort();
  };
  const expectWoken = async (change: Promise<unknown>, names: readonly string[]): Promise<void> => {
    add.mockClear();
    await change;
    await plane.eventually(async () => added().length >= names.length);
    await plane.clock.advance(100);
    expect(added()).toEqual(names);
  };
  const patched = (body: object) => plane.client.patch(Node, { name: node!.metadata.name }, { type: 'merge', body });
  await expectWoken(patched({ metadata: { labels: { a: 'b' } } }), ['minding', 'modest']);
  await expectWoken(patched({ spec: { unschedulable: true } }), ['minding']);
  const body = { metadata: { labels: { team: 'red' } } };
  const labelled = (name: string) => plane.client.patch(Namespace, { name }, { type: 'merge', body });
  await expectWoken(labelled('kube-public'), ['minding']);
  await expectWoken(labelled(namespace), ['greedy', 'minding', 'modest']);
});

async function addPod({ client }: Plane, name: string, cpu: string, more: Partial<Pod['spec']> = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  await client.create(Pod, { metadata: { namespace, name }, spec: { containers, ...more } });
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

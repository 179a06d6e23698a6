import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { stepped } from '../../clock/plane-clock.ts';
import { startOwnPlane } from '../../testing/own-plane.ts';
import { differencesOf, Mask } from './compare.ts';
import { readWorld, type World } from './world.ts';

const resources = [{ group: '', version: 'v1', resource: 'configmaps' }];

async function worldWith(seed: number, data: Record<string, string>): Promise<World> {
  await using plane = await startOwnPlane({ clock: stepped(), seed });
  const owner = await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'owner' } });
  const { uid = '' } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await plane.client.create(ConfigMap, {
    metadata: { namespace: 'default', generateName: 'part-', ownerReferences },
    data: { at: '2026-01-01T00:00:00Z', by: `owner ${uid}`, ...data },
  });
  return inDefault(await readWorld(plane.client, resources));
}

function inDefault(world: World): World {
  return new Map([...world].filter(([key]) => key.startsWith('configmaps default/')));
}

test('two worlds agree but for what was written otherwise', async () => {
  const [one, other, third] = [
    await worldWith(1, { size: '1' }),
    await worldWith(2, { size: '1' }),
    await worldWith(3, { size: '2' }),
  ];
  expect([...one.keys()]).toEqual(['configmaps default/owner', 'configmaps default/part-*']);
  expect(differencesOf(one, other)).toEqual([]);
  expect(differencesOf(one, third)).toEqual([
    { kind: 'field', object: 'configmaps default/part-*', field: 'data.size', expected: '1', found: '2' },
  ]);
  const mask = new Mask();
  mask.learn(one, third);
  expect(differencesOf(one, third, mask)).toEqual([]);
});

test('what the garbage collector would take is no part of a world', async () => {
  await using plane = await startOwnPlane({ clock: stepped() });
  const owner = await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'owner' } });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' }];
  await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'part', ownerReferences } });
  const keys = async () => [...inDefault(await readWorld(plane.client, resources)).keys()];
  expect(await keys()).toEqual(['configmaps default/owner', 'configmaps default/part']);
  await plane.client.delete(ConfigMap, { namespace: 'default', name: 'owner' });
  await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'owner' } });
  expect(await keys()).toEqual(['configmaps default/owner']);
});

test('owners are a set without those that are gone', async () => {
  const keysOf = async (names: readonly string[]): Promise<unknown> => {
    await using plane = await startOwnPlane({ clock: stepped() });
    const owners = new Map<string, string>();
    for (const name of ['a', 'b', 'c']) {
      const { metadata } = await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name } });
      owners.set(name, metadata.uid ?? '');
    }
    const ownerReferences = names.map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: owners.get(name) ?? '',
    }));
    await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'part', ownerReferences } });
    await plane.client.delete(ConfigMap, { namespace: 'default', name: 'c' });
    return (await readWorld(plane.client, resources)).get('configmaps default/part')?.fields;
  };
  expect(await keysOf(['c', 'b', 'a'])).toEqual(await keysOf(['a', 'b']));
});

test('how often a Deployment was rolled out is no part of a world', async () => {
  const worldAt = async (revision: string): Promise<World> => {
    await using plane = await startOwnPlane({ clock: stepped() });
    const labels = { app: 'web' };
    await plane.client.create(Deployment, {
      metadata: {
        namespace: 'default',
        name: 'web',
        annotations: { 'deployment.kubernetes.io/revision': revision },
      },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    });
    return await readWorld(plane.client, [{ group: 'apps', version: 'v1', resource: 'deployments' }]);
  };
  expect(differencesOf(await worldAt('2'), await worldAt('4'))).toEqual([]);
});

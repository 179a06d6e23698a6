import { SteppedClock } from '@pintle/async';
import type { ConfigMap } from '@pintle/kinds/core/v1';
import { ConfigMap as ConfigMaps } from '@pintle/kinds/core/v1';
import type { Store } from '@pintle/store';
import { openMemoryStore } from '@pintle/store';
import { expect, test } from 'vitest';
import { objectKey } from '../storage/keys.ts';
import { encodeObject } from '../storage/object-codec.ts';
import { FollowedObjects } from './followed-objects.ts';

const CONFIG_MAPS = { group: '', resource: 'configmaps' };

test('what was written before it was asked for is there', async () => {
  await using world = await open();
  const { store, followed } = world;
  for (let i = 0; i < 300; i++) {
    await put(store, `map-${i % 7}`, `${i}`);
    const found = (await followed.now('default')).get(`map-${i % 7}`);
    expect(found?.data).toEqual({ value: `${i}` });
  }
  await store.commit([{ type: 'delete', key: objectKey(CONFIG_MAPS, 'default', 'map-3') }]);
  expect([...(await followed.now('default')).keys()]).not.toContain('map-3');
});

test('a burst is taken in before anybody looks', async () => {
  await using world = await open();
  const { store, followed } = world;
  await Promise.all(Array.from({ length: 500 }, (_, i) => put(store, `map-${i}`, 'x')));
  expect((await followed.now('default')).size).toBe(500);
  expect(await followed.all()).toHaveLength(500);
});

test('the generation changes with the objects and only with them', async () => {
  await using world = await open();
  const { store, followed } = world;
  const before = followed.generation;
  await store.commit([{ type: 'put', key: 'elsewhere', value: Buffer.from('x') }]);
  await followed.upToDate();
  expect(followed.generation).toBe(before);
  await put(store, 'map', 'x');
  expect(followed.generation).not.toBe(before);
});

async function open() {
  const store = await openMemoryStore({ clock: new SteppedClock() });
  const followed = new FollowedObjects<ConfigMap>(store, ConfigMaps);
  await followed.load();
  const stopping = new AbortController();
  const running = followed.run({ signal: stopping.signal }).catch(() => undefined);
  const dispose = async () => {
    stopping.abort();
    await running;
    await store.close();
  };
  return { store, followed, [Symbol.asyncDispose]: dispose };
}

async function put(store: Store, name: string, value: string): Promise<void> {
  const metadata = { name, namespace: 'default' };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
  await store.commit([{ type: 'put', key: objectKey(CONFIG_MAPS, 'default', name), value: encodeObject(map) }]);
}

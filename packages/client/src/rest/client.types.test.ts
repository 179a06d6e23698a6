import { Node, Pod } from '@pintle/kinds/core/v1';
import type { Cached, KubernetesObject, ResourceType, Stored } from '@pintle/machinery';
import { expectTypeOf, test } from 'vitest';
import type { CachedClient } from '../informer/cached-client.ts';
import type { Informer } from '../informer/informer.ts';
import { defineIndex } from '../informer/object-index.ts';
import type { Client } from './client.ts';

// Mistakes that the compiler refuses stand after @ts-expect-error, in functions that nobody calls: the build checks them.

const ref = { namespace: 'default', name: 'web' };

test('a merge patch says fields of its kind, and null', () => {
  void (async (client: Client, cached: CachedClient, any: ResourceType) => {
    await client.patch(Pod, ref, { type: 'merge', body: { metadata: { labels: { a: null } }, spec: null } });
    await client.patch(Pod, ref, { type: 'merge', body: { spec: { nodeName: 'a', containers: [] } } });
    await client.patch(Pod, ref, {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
    });
    await client.patch(any, ref, { type: 'merge', body: { spec: { anything: 1 } } });
    // @ts-expect-error a field that is misspelt
    await client.patch(Pod, ref, { type: 'merge', body: { spec: { nodName: 'a' } } });
    // @ts-expect-error a field that is misspelt, at the top
    await cached.patch(Pod, ref, { type: 'merge', body: { sepc: { nodeName: 'a' } } });
    // @ts-expect-error a value of another type
    await client.patch(Pod, ref, { type: 'merge', body: { spec: { priority: 'high' } } });
    // @ts-expect-error items of a list are replaced as they are, so they must be whole
    await client.patch(Pod, ref, { type: 'merge', body: { spec: { containers: [{ image: 'a' }] } } });
    // @ts-expect-error a field that is misspelt, in an item
    await client.patch(Pod, ref, { type: 'strategic', body: { spec: { containers: [{ name: 'a', imgae: 'b' }] } } });
  });
});

test('an object of a kind in namespaces is not found without one', () => {
  void (async (client: Client, cached: CachedClient, any: ResourceType, pods: Informer<Pod, 'Namespaced'>) => {
    await client.get(Pod, ref);
    await client.get(Node, { name: 'one' });
    await client.get(any, { name: 'one' });
    pods.cache.get(ref);
    // @ts-expect-error pods are in namespaces
    await client.get(Pod, { name: 'web' });
    // @ts-expect-error pods are in namespaces
    await client.find(Pod, { name: 'web' });
    // @ts-expect-error pods are in namespaces
    await client.delete(Pod, { name: 'web' });
    // @ts-expect-error pods are in namespaces
    await client.patch(Pod, { name: 'web' }, { type: 'merge', body: {} });
    // @ts-expect-error pods are in namespaces
    await cached.find(Pod, { name: 'web' });
    // @ts-expect-error pods are in namespaces
    pods.cache.get({ name: 'web' });
  });
});

test('what was read from a server says who it is', () => {
  void (async (client: Client, any: ResourceType) => {
    const pod = await client.get(Pod, ref);
    expectTypeOf(pod.metadata.name).toEqualTypeOf<string>();
    expectTypeOf(pod.metadata.namespace).toEqualTypeOf<string>();
    expectTypeOf(pod.metadata.uid).toEqualTypeOf<string>();
    expectTypeOf(pod.metadata.resourceVersion).toEqualTypeOf<string>();
    expectTypeOf(pod.metadata.creationTimestamp).toEqualTypeOf<string>();
    expectTypeOf(pod).toExtend<Pod>();
    expectTypeOf((await client.list(Pod)).items[0]!.metadata.namespace).toEqualTypeOf<string>();
    for await (const { metadata } of client.each(Pod)) expectTypeOf(metadata.uid).toEqualTypeOf<string>();
    for await (const event of client.watch(Pod))
      if (event.type !== 'BOOKMARK') expectTypeOf(event.object.metadata.name).toEqualTypeOf<string>();
    expectTypeOf((await client.create(Pod, { metadata: ref })).metadata.uid).toEqualTypeOf<string>();
    expectTypeOf((await client.get(Node, { name: 'one' })).metadata.namespace).toEqualTypeOf<string | undefined>();
    expectTypeOf((await client.get(any, ref)).metadata.namespace).toEqualTypeOf<string | undefined>();
    // @ts-expect-error what is about to be written need not say so
    expectTypeOf<Pod['metadata']['uid']>().toEqualTypeOf<string>();
  });
});

test('objects of a cache are looked at, not written to', () => {
  void (async (client: CachedClient, live: Client, informer: Informer<Pod, 'Namespaced'>) => {
    const pod = await client.get(Pod, ref);
    expectTypeOf(pod).toExtend<Pod>();
    expectTypeOf(pod).toExtend<Stored<Pod, 'Namespaced'>>();
    // @ts-expect-error it is shared
    pod.spec = { containers: [] };
    // @ts-expect-error it is shared
    pod.metadata.labels = {};
    // @ts-expect-error a record of it is shared
    pod.metadata.labels!.app = 'web';
    // @ts-expect-error a list of it is shared
    pod.metadata.finalizers!.push('example.com/held');
    // @ts-expect-error a list of it is shared
    pod.spec!.containers.sort();
    // @ts-expect-error an item of a list is shared
    pod.spec!.containers[0] = { name: 'a' };
    // @ts-expect-error an item of a list is shared
    pod.spec!.containers[0]!.image = 'b';
    // @ts-expect-error those of an informer are too
    informer.cache.list()[0]!.spec = { containers: [] };
    informer.subscribe({
      added: (object) => {
        // @ts-expect-error those that a handler hears of are too
        object.spec = { containers: [] };
      },
    });

    // It can be looked at in every way, given to who takes a Pod, written back, and copied.
    const { finalizers = [], labels = {} } = pod.metadata;
    expectTypeOf(finalizers.includes('a')).toEqualTypeOf<boolean>();
    expectTypeOf(pod.spec!.containers.map(({ name }) => name)).toEqualTypeOf<string[]>();
    expectTypeOf([...finalizers].sort()).toEqualTypeOf<string[]>();
    nameOf(pod);
    await live.update(Pod, { ...pod, metadata: { ...pod.metadata, labels: { ...labels, app: 'web' } } });
    await live.update(Pod, pod);
    await live.create(Pod, { metadata: { name: 'b' }, spec: pod.spec! });
    await client.apply(Pod, pod, { fieldManager: 'a' });
    await client.delete(Pod, pod);
    const mine: Pod = structuredClone(pod);
    mine.metadata.finalizers?.push('example.com/held');
  });
});

function nameOf({ metadata }: Pod): string | undefined {
  return metadata.name;
}

test('an index is asked by itself, of its own kind', () => {
  const byNode = defineIndex(Pod, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const byRole = defineIndex(Node, ({ spec }) => (spec?.unschedulable ? ['cordoned'] : []));
  void (async (client: CachedClient) => {
    expectTypeOf(await client.list(Pod, { index: byNode.is('one') })).toExtend<Cached<Pod, 'Namespaced'>[]>();
    // @ts-expect-error there is no index of a name
    await client.list(Pod, { index: 'byNode' });
    // @ts-expect-error an index finds by text
    await client.list(Pod, { index: byNode.is(1) });
    // @ts-expect-error it is an index of nodes
    await client.list(Pod, { index: byRole.is('cordoned') });
    // @ts-expect-error pods have no such field
    defineIndex(Pod, ({ spec }) => [spec.nodName]);
  });
});

test('code of any kind goes on as it did', () => {
  void (async <T extends KubernetesObject>(client: Client, type: ResourceType<T>) => {
    const found: T | undefined = await client.find(type, { name: 'a' });
    const all: T[] = (await client.list(type)).items;
    await client.delete(type, { name: 'a', namespace: found?.metadata.namespace });
    return all;
  });
});

import type { KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { LazyObject } from '../rest/lazy-object.ts';
import { ObjectCache } from './object-cache.ts';

const ref = { namespace: 'a', name: 'web' };

function web(uid: string, resourceVersion: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...ref, uid, resourceVersion } };
}

function lazy(uid: string, resourceVersion: string): LazyObject<KubernetesObject> {
  return LazyObject.ofObject(web(uid, resourceVersion), (object) => object);
}

test('what was deleted here stays gone while older news of the same name comes in', () => {
  const cache = new ObjectCache();
  cache.set(lazy('first', '10'));
  cache.noteDeleted(ref, 'first');
  cache.noteWritten(web('second', '12'));
  cache.noteDeleted(ref, 'second');
  expect(cache.get(ref)).toBeUndefined();

  cache.delete('a/web', '11');
  cache.set(lazy('second', '12'));
  expect(cache.get(ref)).toBeUndefined();
  cache.delete('a/web', '13');
  cache.set(lazy('third', '14'));
  expect(cache.get(ref)?.metadata.uid).toBe('third');
});

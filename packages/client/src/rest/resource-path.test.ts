import { ConfigMap, Namespace, Node, Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { resourcePath } from './resource-path.ts';

test.each(['', '.', '..', 'shop/secrets/db', 'web/status', 'web%2Fstatus', '100%'])(
  '%j is the name of nothing, and leads nowhere',
  (text) => {
    expect(() => resourcePath(Namespace, { name: text })).toThrow(TypeError);
    expect(() => resourcePath(ConfigMap, { namespace: 'shop', name: text })).toThrow(TypeError);
    expect(() => resourcePath(ConfigMap, { namespace: text || '..', name: 'web' })).toThrow(TypeError);
  },
);

test('other characters stay what they are', () => {
  expect(resourcePath(Namespace, { name: 'a:b?c#d e' })).toBe('/api/v1/namespaces/a%3Ab%3Fc%23d%20e');
});

test('an object of a kind in namespaces has no path without one; a list has', () => {
  const namespace: string | undefined = undefined;
  expect(() => resourcePath(Pod, { namespace, name: 'web' })).toThrow(
    'Cannot find Pod web: the kind is namespaced, and no namespace is given',
  );
  expect(resourcePath(Pod, { namespace })).toBe('/api/v1/pods');
  expect(resourcePath(Pod, { namespace: 'a', name: 'web' })).toBe('/api/v1/namespaces/a/pods/web');
  expect(resourcePath(Node, { name: 'one' })).toBe('/api/v1/nodes/one');
});

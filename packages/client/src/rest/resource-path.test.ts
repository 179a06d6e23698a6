import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
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

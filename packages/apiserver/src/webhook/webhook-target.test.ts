import { expect, test } from 'vitest';
import { targetOf } from './webhook-target.ts';

test.each([
  [{ url: 'https://127.0.0.1:9443//validate' }, '/validate'],
  [{ url: 'https://127.0.0.1:9443/a//b/' }, '/a/b'],
  [{ url: 'https://127.0.0.1:9443' }, '/'],
  [{ service: { namespace: 'ns', name: 'hook', path: 'validate' } }, '/validate'],
  [{ service: { namespace: 'ns', name: 'hook', path: '//validate/' } }, '/validate'],
  [{ service: { namespace: 'ns', name: 'hook' } }, '/'],
])('the path of a webhook is asked for as Kubernetes does: %o', (config, path) => {
  expect(targetOf(config, 5_000).path).toBe(`${path}?timeout=5s`);
});

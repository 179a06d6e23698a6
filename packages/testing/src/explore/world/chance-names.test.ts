import { expect, test } from 'vitest';
import { ChanceNames } from './chance-names.ts';
import type { World } from './world.ts';

test.each([
  ['the beginning of a uid', 'configmaps default/blog-a2c87222', 'configmaps default/blog-9f31ab44', 'blog-*'],
  ['a part between others', 'secrets default/blog-a2c8-login', 'secrets default/blog-9f31-login', 'blog-*-login'],
  ['a whole name', 'configmaps default/a2c87222', 'configmaps default/9f31ab44', '*'],
  ['the name of a resource without namespaces', 'clusterroles.rbac zone-a2c8', 'clusterroles.rbac zone-9f31', 'zone-*'],
])('%s differs by chance', (_title, one, other, expected) => {
  const names = ChanceNames.between(worldOf(one, 'configmaps default/same'), worldOf(other, 'configmaps default/same'));
  expect([names.of(one), names.of(other)]).toEqual([expected, expected]);
  expect(names.of('configmaps default/same')).toBeUndefined();
});

test.each([
  ['names of other words', 'configmaps default/blog-north', 'configmaps default/blog-south'],
  ['numbers that count', 'configmaps default/blog-1', 'configmaps default/blog-2'],
  ['names in other places', 'configmaps a/blog-a2c87222', 'configmaps b/blog-9f31ab44'],
])('%s are compared', (_title, one, other) => {
  expect(ChanceNames.between(worldOf(one), worldOf(other)).isEmpty).toBe(true);
});

function worldOf(...keys: readonly string[]): World {
  return new Map(keys.map((key) => [key, { fields: new Map(), object: {} }]));
}

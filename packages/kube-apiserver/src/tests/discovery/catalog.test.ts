import type { CatalogVersion } from '@pintle/apiserver/discovery';
import { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import { builtinSchemas } from '@pintle/apiserver/openapi';
import { describe, expect, test } from 'vitest';
import { builtinVersions } from '../../builtin/builtin-versions.ts';

function version(group: string, name: string, groupPriority = 1000, versionPriority = 100): CatalogVersion {
  const schemas = builtinSchemas;
  return { group, version: name, groupPriority, versionPriority, resources: [], isCustom: true, schemas };
}

function told(catalog: DiscoveryCatalog): string[] {
  return catalog.groups.map(({ group, versions }) => `${group}: ${versions.map((item) => item.version).join(' ')}`);
}

describe('DiscoveryCatalog', () => {
  test('orders groups by priority and then by name', () => {
    const catalog = new DiscoveryCatalog([version('b.io', 'v1'), version('a.io', 'v1'), version('z.io', 'v1', 2000)]);
    expect(told(catalog)).toEqual(['z.io: v1', 'a.io: v1', 'b.io: v1']);
  });

  test('orders the versions of a group by priority and then by age', () => {
    const names = ['v1alpha1', 'v2', 'v1', 'v1beta1', 'zeta', 'v10'];
    const catalog = new DiscoveryCatalog(names.map((name) => version('a.io', name)));
    catalog.put(version('a.io', 'v1', 1000, 200));
    expect(told(catalog)).toEqual(['a.io: v1 v10 v2 v1beta1 v1alpha1 zeta']);
  });

  test('has a group while it has one of its versions', () => {
    const catalog = new DiscoveryCatalog([version('a.io', 'v1'), version('a.io', 'v2')]);
    catalog.remove({ group: 'a.io', version: 'v2' });
    expect(told(catalog)).toEqual(['a.io: v1']);
    catalog.remove({ group: 'a.io', version: 'v1' });
    expect(catalog.group('a.io')).toBeUndefined();
  });

  test('gives the same groups until something changes', () => {
    const catalog = new DiscoveryCatalog([version('a.io', 'v1')]);
    const { groups } = catalog;
    catalog.remove({ group: 'b.io', version: 'v1' });
    expect(catalog.groups).toBe(groups);
    catalog.put(version('a.io', 'v1'));
    expect(catalog.groups).not.toBe(groups);
  });

  test('has the built-in groups in the order Kubernetes tells them', () => {
    const names = new DiscoveryCatalog(builtinVersions()).groups.map(({ group }) => group);
    expect(names.slice(0, 4)).toEqual(['apiregistration.k8s.io', '', 'apps', 'events.k8s.io']);
    expect(names.slice(-3)).toEqual(['discovery.k8s.io', 'resource.k8s.io', 'flowcontrol.apiserver.k8s.io']);
  });

  test('has the resources of a built-in version in the order of names, subresources after their resource', () => {
    for (const { resources } of builtinVersions()) {
      const names = resources.flatMap(({ resource, subresources }) => [
        resource,
        ...subresources.map(({ subresource }) => `${resource}/${subresource}`),
      ]);
      expect(names).toEqual([...names].sort());
    }
  });
});

import type { ResourceType } from '@pintle/machinery';
import { describe, expect, test } from 'vitest';
import { schemaOf } from '../schemas/index.ts';
import { type BuiltinResource, builtinGroups, responseKindOf } from './discovery.ts';

interface Listed extends BuiltinResource {
  readonly group: string;
  readonly version: string;
}

const listed: readonly Listed[] = builtinGroups.flatMap(({ group, versions }) =>
  versions.flatMap(({ version, resources }) => resources.map((resource) => ({ group, version, ...resource }))),
);

describe('Discovery', () => {
  test('begins with the core group and keeps the order in which versions are preferred', () => {
    expect(builtinGroups[0]?.group).toBe('');
    const autoscaling = builtinGroups.find(({ group }) => group === 'autoscaling');
    expect(autoscaling?.versions.map(({ version }) => version)).toEqual(['v2', 'v1']);
  });

  test('says what kubectl needs of a resource', () => {
    const deployments = listed.find(({ group, resource }) => group === 'apps' && resource === 'deployments')!;
    expect(deployments).toMatchObject({ scope: 'Namespaced', shortNames: ['deploy'], categories: ['all'] });
    expect(deployments.verbs).toContain('deletecollection');
    const scale = deployments.subresources.find(({ subresource }) => subresource === 'scale')!;
    expect(responseKindOf(deployments, scale)).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });

  test.each(listed)('$group/$version $resource has a descriptor and a schema', async (resource) => {
    const kind = responseKindOf(resource, resource);
    const folder = resource.group === '' ? 'core' : resource.group.split('.')[0];
    const module = (await import(`../generated/${folder}/${resource.version}.ts`)) as Record<string, ResourceType>;
    expect(module[kind.kind]).toMatchObject({
      ...kind,
      plural: resource.resource,
      singular: resource.singular,
      scope: resource.scope,
      shortNames: resource.shortNames,
      categories: resource.categories,
    });
    expect(schemaOf(kind)?.properties?.metadata?.goType).toBe('v1.ObjectMeta');
  });
});

import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from './object-meta.ts';
import { formatObjectName } from './object-meta.ts';
import { gvrOf, resourceType } from './resource-type.ts';
import { Scheme } from './scheme.ts';

const Pod = resourceType<KubernetesObject>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
  shortNames: ['po'],
});
const Deployment = resourceType<KubernetesObject>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
});

test('resourceType fills in what follows from its options', () => {
  expect(Deployment).toMatchObject({
    apiVersion: 'apps/v1',
    singular: 'deployment',
    listKind: 'DeploymentList',
    shortNames: [],
    categories: [],
  });
  expect(Pod.apiVersion).toBe('v1');
  expect(gvrOf(Deployment)).toEqual({ group: 'apps', version: 'v1', resource: 'deployments' });
  expect(Object.isFrozen(Pod)).toBe(true);
  expect(Pod.Type).toBeUndefined();
});

describe('Scheme', () => {
  test('finds a type by its kind and by its resource', () => {
    const scheme = new Scheme([Pod, Deployment]);

    expect(scheme.typeOf({ group: 'apps', version: 'v1', kind: 'Deployment' })).toBe(Deployment);
    expect(scheme.typeOfResource({ group: '', version: 'v1', resource: 'pods' })).toBe(Pod);
    expect(scheme.typeOf({ group: '', version: 'v1', kind: 'Deployment' })).toBeUndefined();
    expect(scheme.typeOf({ group: '', version: 'v1', kind: '__proto__' })).toBeUndefined();
    expect([...scheme.types()]).toEqual([Pod, Deployment]);
  });

  test('takes the same descriptor twice', () => {
    expect([...new Scheme([Pod]).register(Pod).types()]).toEqual([Pod]);
  });

  test('refuses a second descriptor for a kind', () => {
    const other = resourceType<KubernetesObject>({ ...Pod, plural: 'podlets' });

    expect(() => new Scheme([Pod, other])).toThrow('Cannot register v1/Pod: another descriptor is registered for it');
  });

  test('refuses a second descriptor for a resource', () => {
    const other = resourceType<KubernetesObject>({ ...Pod, kind: 'Podlet' });

    const scheme = new Scheme([Pod]);
    expect(() => scheme.register(other)).toThrow('Cannot register v1/pods: another descriptor is registered for it');
    expect([...scheme.types()]).toEqual([Pod]);
  });

  test('lets versions of one kind stand side by side', () => {
    const beta = resourceType<KubernetesObject>({ ...Deployment, version: 'v1beta1' });
    const scheme = new Scheme([Deployment, beta]);

    expect(scheme.typeOf({ group: 'apps', version: 'v1beta1', kind: 'Deployment' })).toBe(beta);
  });
});

test('formatObjectName joins namespace and name', () => {
  expect(formatObjectName({ namespace: 'default', name: 'web' })).toBe('default/web');
  expect(formatObjectName({ name: 'node-1' })).toBe('node-1');
  expect(formatObjectName({})).toBe('');
});

import { loadRules } from '@pintle/kinds/rules';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { expect, test } from 'vitest';
import type { ServedResource } from '../../resource/served-resource.ts';
import { checkChanged, checkNew } from './validate-metadata.ts';

const previous: ObjectMeta = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' };

async function resourceOf(group: string, kind: string, { isCustom = false } = {}): Promise<ServedResource> {
  const rules = isCustom ? {} : await loadRules({ group, kind }, { hasStatus: false });
  return { type: { group, version: 'v1', kind, scope: 'Namespaced' }, rules, isCustom } as unknown as ServedResource;
}

/** How often a bad label, and a finalizer of no known domain, are told of when an object is changed. */
function looks(resource: ServedResource): { label: number; finalizer: number } {
  const { metadataChecks } = resource.rules;
  const errors = checkChanged({ ...previous, labels: { a: 'not a label' }, finalizers: ['mine'] }, previous, resource, {
    ...(metadataChecks && { metadataChecks }),
    findings: [],
  });
  const count = (field: string): number => errors.filter((error) => error.field === field).length;
  return { label: count('metadata.labels'), finalizer: count('metadata.finalizers[0]') };
}

test.each([
  ['', 'Endpoints', { label: 4, finalizer: 2 }],
  ['', 'Namespace', { label: 4, finalizer: 2 }],
  ['', 'Service', { label: 3, finalizer: 1 }],
  ['apps', 'Deployment', { label: 3, finalizer: 1 }],
  ['', 'LimitRange', { label: 3, finalizer: 1 }],
  ['policy', 'PodDisruptionBudget', { label: 2, finalizer: 0 }],
  ['coordination.k8s.io', 'Lease', { label: 3, finalizer: 0 }],
])('an update of %s %s repeats what is wrong with its metadata', async (group, kind, expected) => {
  expect(looks(await resourceOf(group, kind))).toEqual(expected);
});

test('a kind may look at metadata between its own checks', async () => {
  const { rules, ...resource } = await resourceOf('', 'Secret');
  const next = { ...previous, finalizers: ['mine'] };
  const secret = (metadata: ObjectMeta, type: string) =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata, type, data: { 'a/b': '' } }) as KubernetesObject;
  const findings = rules.validateUpdate!(secret(next, 'a'), secret(previous, 'b'));
  const errors = checkChanged(next, previous, { rules, ...resource }, { findings });
  expect(errors.map(({ field }) => field)).toEqual([
    'metadata.finalizers[0]',
    'type',
    'metadata.finalizers[0]',
    'data[a/b]',
  ]);
});

test('an update of a custom resource is looked at once by its kind', async () => {
  expect(looks(await resourceOf('example.com', 'Fruit', { isCustom: true }))).toEqual({ label: 3, finalizer: 0 });
});

test('a kind that does not look at metadata takes any name that can stand in a path', async () => {
  const named = { ...previous, name: 'Upper_Case' };
  expect(checkNew(named, await resourceOf('policy', 'PodDisruptionBudget'), [])).toEqual([]);
  expect(checkNew(named, await resourceOf('', 'ConfigMap'), [])).toHaveLength(1);
  expect(checkNew({ ...previous, name: 'a/b' }, await resourceOf('policy', 'PodDisruptionBudget'), [])).toHaveLength(1);
});

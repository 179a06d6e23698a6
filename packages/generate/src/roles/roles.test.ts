import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { afterAll, expect, test } from 'vitest';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { describeUse, OBSERVED_FILE, readObserved, writeObserved } from './observed-use.ts';
import { operatorRoles } from './operator-roles.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-roles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const use = (group: string, resource: string, verb: string) => ({ group, resource, verb });

test('what was seen is written one to a line, sorted, and added to', () => {
  expect(readObserved(folder)).toEqual([]);
  writeObserved(folder, [use('apps', 'deployments/status', 'patch'), use('', 'pods', 'get')]);
  const added = writeObserved(folder, [use('', 'pods', 'get'), use('', 'configmaps', 'create')]);
  expect(added.map(describeUse)).toEqual(['configmaps create']);
  expect(JSON.parse(readFileSync(join(folder, OBSERVED_FILE), 'utf8'))).toEqual({
    uses: ['configmaps create', 'pods get', 'deployments.apps/status patch'],
  });
  expect(readObserved(folder)).toContainEqual(use('apps', 'deployments/status', 'patch'));
  writeObserved(folder, [use('', 'pods', 'get')], { isNew: true });
  expect(readObserved(folder)).toEqual([use('', 'pods', 'get')]);
});

test.each([
  ['{"uses":["pods"]}', '"pods" is no use of a resource'],
  ['{}', 'it has no list of uses'],
  ['{', 'JSON'],
])('a file with %s in it is told to be wrong', (text, problem) => {
  writeFileSync(join(folder, OBSERVED_FILE), text);
  expect(() => readObserved(folder)).toThrow(problem);
});

const FRUIT = {
  metadata: { name: 'fruits.example.com' },
  spec: { group: 'example.com', names: { plural: 'fruits' }, scope: 'Namespaced' },
} as unknown as CustomResourceDefinition;

const FACTS: OperatorFacts = {
  definitions: [FRUIT],
  converted: [],
  rules: [{ apiGroups: ['example.com'], resources: ['fruits'], verbs: ['list', 'watch'] }],
  ownRules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  observed: [
    use('example.com', 'fruits', 'watch'),
    use('', 'events', 'create'),
    use('', 'configmaps', 'patch'),
    use('', 'nodes', 'list'),
    use('apiextensions.k8s.io', 'customresourcedefinitions', 'create'),
  ],
};

test('what was seen and not declared is allowed and told of; definitions are installed by others', () => {
  const { cluster, own, undeclared } = operatorRoles(FACTS, { namespaced: false });
  expect(undeclared.map(describeUse)).toEqual(['configmaps patch', 'nodes list']);
  expect(cluster).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    { apiGroups: ['example.com'], resources: ['fruits'], verbs: ['get', 'list', 'patch', 'update', 'watch'] },
    { apiGroups: ['example.com'], resources: ['fruits/finalizers'], verbs: ['update'] },
    { apiGroups: ['example.com'], resources: ['fruits/status'], verbs: ['get', 'patch', 'update'] },
  ]);
  expect(own.flatMap(({ resources }) => resources)).toEqual(['secrets', 'leases']);
});

test('an operator of one namespace is allowed elsewhere only what is in none', () => {
  const { cluster, own } = operatorRoles(FACTS, { namespaced: true });
  expect(cluster).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }]);
  expect(own.flatMap(({ resources }) => resources)).toEqual(
    expect.arrayContaining(['configmaps', 'events', 'secrets', 'leases', 'fruits', 'fruits/status']),
  );
});

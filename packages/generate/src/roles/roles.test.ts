import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { afterAll, expect, test } from 'vitest';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { checkRights, operatorRoles } from '../operator/operator-roles.ts';
import { describeUse, OBSERVED_FILE, readObserved, writeObserved } from './observed-use.ts';
import { isAllowed, rulesOf, usesOf } from './rules.ts';

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
  ['{"uses":["pods"]}', '"pods" is not a resource and a verb'],
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
  declared: [],
  sources: { uses: [], unknown: [], handed: [], isSharded: false, hasTelemetry: false },
  controlled: ['fruits.example.com'],
  observed: [
    use('example.com', 'fruits', 'watch'),
    use('', 'events', 'create'),
    use('', 'configmaps', 'patch'),
    use('', 'nodes', 'list'),
    use('apiextensions.k8s.io', 'customresourcedefinitions', 'create'),
  ],
};

test('what was seen and not declared is allowed and told of; definitions are installed by others', () => {
  const { cluster, own, onlyObserved } = operatorRoles(FACTS, { namespaced: false });
  expect(onlyObserved.map(describeUse)).toEqual(['configmaps patch', 'nodes list']);
  expect(cluster).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
    { apiGroups: ['example.com'], resources: ['fruits'], verbs: ['get', 'list', 'patch', 'watch'] },
    { apiGroups: ['example.com'], resources: ['fruits/finalizers'], verbs: ['update'] },
    { apiGroups: ['example.com'], resources: ['fruits/status'], verbs: ['patch'] },
  ]);
  expect(own.flatMap(({ resources }) => resources)).toEqual(['secrets', 'leases']);
});

test('a sharded operator may follow its members and write its map, in its own namespace only', () => {
  const sources = { ...FACTS.sources, isSharded: true };
  const { cluster, own } = operatorRoles({ ...FACTS, sources }, { namespaced: false });
  expect(own).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'list', 'update', 'watch'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    },
  ]);
  expect(isAllowed(use('', 'configmaps', 'update'), cluster)).toBe(false);
});

test('an operator of one namespace is allowed elsewhere only what is in none', () => {
  const { cluster, own } = operatorRoles(FACTS, { namespaced: true });
  expect(cluster).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }]);
  expect(own.flatMap(({ resources }) => resources)).toEqual(
    expect.arrayContaining(['configmaps', 'events', 'secrets', 'leases', 'fruits', 'fruits/status']),
  );
});

const place = { file: 'src/operator.ts', line: 3, call: 'client.get(type, …)' };
const quiet = { ...FACTS, rules: [], ownRules: [], observed: [] };

test('what the sources do is allowed without being declared or seen', () => {
  const sources = { ...quiet.sources, uses: [{ ...use('', 'secrets', 'list'), ...place }] };
  const { cluster, onlyObserved } = operatorRoles(
    { ...quiet, sources, observed: [use('', 'secrets', 'list')] },
    { namespaced: false },
  );
  expect(cluster).toContainEqual({ apiGroups: [''], resources: ['secrets'], verbs: ['list'] });
  expect(onlyObserved).toEqual([]);
});

test('a call of a kind that only shows at run time fails with its place, unless its verbs are declared', () => {
  const facts = { ...quiet, sources: { ...quiet.sources, unknown: [{ ...place, verbs: ['get'] }] } };
  expect(() => checkRights(facts, { namespaced: false })).toThrow(
    /src\/operator\.ts:3: client\.get\(type, …\) needs get\n.*manager\.declare/,
  );
  const declared = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
  const notes: string[] = [];
  checkRights({ ...facts, declared, rules: declared }, { namespaced: false }, (note) => notes.push(note));
  expect(notes).toEqual([]);
});

test('what is declared and never used is told', () => {
  const declared = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];
  const facts = { ...quiet, declared, rules: declared, observed: [use('', 'secrets', 'get')] };
  const notes: string[] = [];
  checkRights(facts, { namespaced: false }, (note) => notes.push(note));
  expect(notes).toEqual(['Declared but not used, neither in the sources nor in recorded requests: secrets list']);
});

test('verbs that no request has are not told as never used', () => {
  const rbac = 'rbac.authorization.k8s.io';
  const declared = [
    { apiGroups: [rbac], resources: ['clusterroles'], verbs: ['bind', 'escalate'] },
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
  ];
  const notes: string[] = [];
  checkRights({ ...quiet, declared, rules: declared }, { namespaced: false }, (note) => notes.push(note));
  expect(notes).toEqual([]);
});

test('an operator that writes roles or bindings is told which right the server asks for', () => {
  const rbac = 'rbac.authorization.k8s.io';
  const owned = [{ apiGroups: [rbac], resources: ['clusterroles', 'rolebindings'], verbs: ['create', 'patch'] }];
  const notesOf = (declared: OperatorFacts['declared']): string[] => {
    const notes: string[] = [];
    const facts = { ...quiet, declared, rules: [...owned, ...declared] };
    checkRights(facts, { namespaced: false }, (note) => notes.push(note));
    return notes;
  };
  expect(notesOf([])).toEqual([
    "The operator writes clusterroles: the server refuses rights that the operator does not have, unless it may `escalate`: manager.declare(ClusterRole, ['escalate'])",
    "The operator writes rolebindings: the server refuses rights that the operator does not have, unless it may `bind`: manager.declare(ClusterRole, ['bind'], { names: ['NAME'] })",
  ]);
  const roles = { apiGroups: [rbac], resources: ['clusterroles'] };
  expect(notesOf([{ ...roles, verbs: ['bind', 'escalate'] }])).toEqual([]);
  expect(notesOf([{ ...roles, verbs: ['bind'], resourceNames: ['admin'] }])).toHaveLength(1);
});

test('a client that is handed to another package is told of, unless something is known of what it does', () => {
  const facts = { ...quiet, sources: { ...quiet.sources, handed: [{ ...place, package: 'copier' }] } };
  const notes: string[] = [];
  checkRights(facts, { namespaced: false }, (note) => notes.push(note));
  expect(notes).toEqual([
    expect.stringContaining('src/operator.ts:3 client.get(type, …) of copier. Run `pintle observe'),
  ]);
  checkRights({ ...facts, observed: [use('', 'events', 'create')] }, { namespaced: false }, (note) => notes.push(note));
  expect(notes).toHaveLength(1);
});

test('a resource without a controller takes no rights', () => {
  const { cluster } = operatorRoles({ ...quiet, controlled: [] }, { namespaced: false });
  expect(cluster.flatMap(({ resources }) => resources)).toEqual(['events']);
});

test('rights by name stay by name, unless all objects are allowed anyway', () => {
  const named = (name: string, verb: string) => ({ ...use('example.com', 'fruits', verb), name });
  const uses = [named('b', 'get'), named('a', 'get'), named('a', 'patch'), use('example.com', 'fruits', 'patch')];
  const rules = rulesOf(uses);
  expect(rules).toEqual([
    { apiGroups: ['example.com'], resources: ['fruits'], verbs: ['patch'] },
    { apiGroups: ['example.com'], resources: ['fruits'], verbs: ['get'], resourceNames: ['a', 'b'] },
  ]);
  expect(rulesOf(usesOf(rules))).toEqual(rules);
  expect(isAllowed(named('a', 'get'), rules)).toBe(true);
  expect(isAllowed(named('c', 'get'), rules)).toBe(false);
  expect(isAllowed(use('example.com', 'fruits', 'get'), rules)).toBe(false);
});

import type { UserInfo } from '@pintle/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { define } from '../define.ts';
import { ADMIN, textOf } from '../open-test-server.ts';
import type { TestApi } from '../test-api.ts';
import { openTestApi } from '../test-api.ts';
import { thingDefinition } from '../thing-definition.ts';

/** 18 of the list in `docs/security.md`: every scope, every form of a URL, every verb. */
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** May do everything in the namespace `default`, and nothing elsewhere. */
const jane: UserInfo = { username: 'jane', groups: ['system:authenticated'] };
const SECRET = 'hunter2';
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'] as const;
const metadata = { name: 'default', labels: { told: SECRET } };

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
  const status = {
    subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
  };
  await define(api, thingDefinition([{ name: 'v1', ...status }], { scope: 'Cluster' }));
  await define(api, {
    ...thingDefinition([{ name: 'v1', ...status }], { names: { plural: 'parts', kind: 'Part' } }),
    metadata: { name: 'parts.example.com' },
  });
  await define(api, {
    ...thingDefinition([{ name: 'v1' }], {
      group: 'example.net',
      scope: 'Cluster',
      names: { plural: 'namespaces', kind: 'Namespace' },
    }),
    metadata: { name: 'namespaces.example.net' },
  });
  await api.post('/apis/example.com/v1/things', { apiVersion: 'example.com/v1', kind: 'Thing', metadata });
  await api.post('/apis/example.net/v1/namespaces', { apiVersion: 'example.net/v1', kind: 'Namespace', metadata });
  await api.post('/api/v1/nodes', { metadata });
  await api.post('/api/v1/namespaces', { metadata: { ...metadata, name: 'other' } });
  for (const namespace of ['default', 'other']) {
    await api.post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata });
    const part = { apiVersion: 'example.com/v1', kind: 'Part', metadata };
    await api.post(`/apis/example.com/v1/namespaces/${namespace}/parts`, part);
  }
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await api.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'all' }, rules });
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' };
  await api.post(`${RBAC}/namespaces/default/rolebindings`, { metadata: { name: 'all' }, roleRef, subjects });
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

/** Nothing is told and nothing is done. */
async function expectNothing(user: UserInfo, verb: (typeof VERBS)[number], path: string): Promise<void> {
  const [, , group = '', version] = path.split('/');
  const apiVersion = path.startsWith('/api/') ? group : `${group}/${version}`;
  const kind = /things/.test(path) ? 'Thing' : /parts/.test(path) ? 'Part' : /nodes/.test(path) ? 'Node' : 'ConfigMap';
  const before = api.server.store.revision;
  const type = { PATCH: 'application/merge-patch+json', APPLY: 'application/apply-patch+yaml' };
  const answer = await api.server.send(verb === 'APPLY' ? 'PATCH' : verb, `${path}?fieldManager=me&timeoutSeconds=1`, {
    user,
    body: { apiVersion, kind, metadata: { name: path.endsWith('new') ? 'new' : 'default', labels: { by: 'jane' } } },
    headers: { 'content-type': type[verb as keyof typeof type] ?? 'application/json' },
  });
  expect([404, 405], `${verb} ${path}`).toContain(answer.status);
  expect(await textOf(answer), `${verb} ${path}`).not.toContain(SECRET);
  expect(api.server.store.revision, `${verb} ${path}`).toBe(before);
}

describe('18: what belongs to no namespace is not reached through one, by whoever may do everything there', () => {
  const forms = [
    '/apis/example.com/v1/namespaces/default/things',
    '/apis/example.com/v1/namespaces/default/things/default',
    '/apis/example.com/v1/namespaces/default/things/new',
    '/apis/example.com/v1/namespaces/default/things/default/status',
    '/apis/example.com/v1/namespaces/default/things/default/scale',
    '/apis/example.net/v1/namespaces/default',
    '/apis/example.net/v1/namespaces/default/namespaces',
    '/apis/example.net/v1/namespaces/default/namespaces/default',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/nodes/default',
    '/api/v1/namespaces/default/nodes/default/status',
    '/api/v1/namespaces/default/namespaces',
    '/api/v1/namespaces/default/namespaces/other',
    '/api/v1/namespaces/default/namespaces/other/status',
    '/api/v1/namespaces/default/persistentvolumes/new',
  ];
  test.each(forms)('%s', async (path) => {
    for (const verb of VERBS) await expectNothing(jane, verb, path);
  });

  test.each([
    '/apis/example.com/v1/watch/namespaces/default/things/default',
    '/api/v1/watch/namespaces/default/nodes/default',
    '/api/v1/watch/namespaces/default/namespaces/other',
  ])('%s', async (path) => {
    await expectNothing(jane, 'GET', path);
  });
});

describe('18: what belongs to a namespace is not reached without one, by nobody', () => {
  test.each([
    '/api/v1/configmaps/default',
    '/api/v1/configmaps/new',
    '/apis/example.com/v1/parts/default',
    '/apis/example.com/v1/parts/new',
    '/apis/example.com/v1/parts/default/status',
    '/apis/coordination.k8s.io/v1/leases/new',
  ])('%s', async (path) => {
    for (const verb of VERBS) await expectNothing(ADMIN, verb, path);
  });

  test.each<[string, readonly (typeof VERBS)[number][]]>([
    ['/api/v1/configmaps', ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']],
    ['/apis/example.com/v1/parts', ['POST', 'DELETE']],
    ['/api/v1/namespaces/default/configmaps/new', ['POST']],
  ])('nothing is written at %s', async (path, verbs) => {
    for (const verb of verbs) await expectNothing(ADMIN, verb, path);
  });
});

test('18: an object that says it lies elsewhere is not written here', async () => {
  const elsewhere = { metadata: { name: 'new', namespace: 'other' } };
  expect((await api.post('/api/v1/namespaces/default/configmaps', elsewhere)).status).toBe(400);
  const stored = { ...elsewhere, metadata: { ...elsewhere.metadata, name: 'default' } };
  expect((await api.put('/api/v1/namespaces/default/configmaps/default', stored)).status).toBe(400);
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...elsewhere };
  expect((await api.apply('/api/v1/namespaces/default/configmaps/new', 'me', applied)).status).toBe(400);
});

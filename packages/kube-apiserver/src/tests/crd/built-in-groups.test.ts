import type { UserInfo } from '@pintle/apiserver';
import { expect, test } from 'vitest';
import { DEFINITIONS, define, until } from '../../testing/define.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const RBAC = 'rbac.authorization.k8s.io';
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A definition in a group of the server's own. */
function definitionOf(plural: string, ...versions: readonly string[]) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${RBAC}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
    spec: {
      group: RBAC,
      scope: 'Cluster',
      names: { plural, kind: 'Grape' },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: OPEN },
      })),
    },
  };
}

function bindingOf(version: string, kind: string, role: string, name: string) {
  return {
    apiVersion: `${RBAC}/${version}`,
    kind,
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'mallory' }],
  };
}

async function namesOf(api: TestApi, path: string): Promise<string[]> {
  const { items } = (await api.get(path)).body as unknown as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

async function undefine(api: TestApi, plural: string): Promise<void> {
  const path = `${DEFINITIONS}/${plural}.${RBAC}`;
  await api.delete(path);
  await until(api, path, ({ status }) => status === 404);
}

test('whoever defines a resource beside a built-in one writes none of its objects', async () => {
  await using api = await openTestApi();
  const mallory: UserInfo = { username: 'mallory', groups: ['system:authenticated'] };
  await api.post(`/apis/${RBAC}/v1/clusterroles`, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'binder' },
    rules: [{ verbs: ['create'], apiGroups: [RBAC], resources: ['clusterrolebindings'] }],
  });
  await api.post(`/apis/${RBAC}/v1/clusterrolebindings`, bindingOf('v1', 'ClusterRoleBinding', 'binder', 'binder'));
  await define(api, definitionOf('clusterrolebindings', 'v9'));

  const path = `/apis/${RBAC}/v9/clusterrolebindings`;
  const made = await api.post(path, bindingOf('v9', 'Grape', 'cluster-admin', 'taken'), { user: mallory });
  expect(made.status).toBe(201);
  expect(await namesOf(api, path)).toEqual(['taken']);
  expect(await namesOf(api, `/apis/${RBAC}/v1/clusterrolebindings`)).not.toContain('taken');
  expect((await api.get('/api/v1/secrets', { user: mallory })).status).toBe(403);
});

test('a definition beside a built-in resource takes none of its objects with it when it goes', async () => {
  await using api = await openTestApi();
  const path = `/apis/${RBAC}/v1/clusterrolebindings`;
  const before = await namesOf(api, path);
  await define(api, definitionOf('clusterrolebindings', 'v9'));
  await api.post(`/apis/${RBAC}/v9/clusterrolebindings`, bindingOf('v9', 'Grape', 'view', 'own'));
  await undefine(api, 'clusterrolebindings');
  expect(before).toContain('cluster-admin');
  expect(await namesOf(api, path)).toEqual(before);
  await define(api, definitionOf('clusterrolebindings', 'v9'));
  expect(await namesOf(api, `/apis/${RBAC}/v9/clusterrolebindings`)).toEqual([]);
});

test.each(['grapes', 'clusterroles'])('%s of a built-in version are never served', async (plural) => {
  await using api = await openTestApi();
  const discovered = await api.get(`/apis/${RBAC}/v1`);
  const roles = await namesOf(api, `/apis/${RBAC}/v1/clusterroles`);
  await define(api, definitionOf(plural, 'v1', 'v9'));
  expect((await api.get(`/apis/${RBAC}/v9/${plural}`)).body.kind).toBe('GrapeList');
  expect(await api.get(`/apis/${RBAC}/v1`)).toEqual(discovered);
  expect((await api.get(`/apis/${RBAC}/v1/grapes`)).status).toBe(404);
  await undefine(api, plural);
  expect(await api.get(`/apis/${RBAC}/v1`)).toEqual(discovered);
  expect(await namesOf(api, `/apis/${RBAC}/v1/clusterroles`)).toEqual(roles);
});

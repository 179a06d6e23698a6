import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const PODS = '/api/v1/namespaces/default/pods';
const ann = { username: 'ann', groups: ['growers', 'system:authenticated'] };

const rule = (verbs: string, resources: string, more: object = {}) => ({
  apiGroups: [''],
  verbs: verbs.split(','),
  resources: resources.split(','),
  ...more,
});

async function grant(
  api: TestApi,
  rules: object[],
  subjects: object[] = [{ kind: 'User', name: 'ann' }],
): Promise<void> {
  await api.post(`${RBAC}/namespaces/default/roles`, { metadata: { name: 'r' }, rules });
  await api.post(`${RBAC}/namespaces/default/rolebindings`, {
    metadata: { name: 'b' },
    roleRef: { kind: 'Role', name: 'r' },
    subjects,
  });
}

describe('A role that is bound', () => {
  test('allows what its rules say, in its namespace, from the next request on', async () => {
    await using api = await openTestApi();
    expect(await api.get(PODS, { user: ann })).toMatchObject({
      status: 403,
      body: {
        message: 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
    await grant(api, [rule('list', 'pods')]);
    expect((await api.get(PODS, { user: ann })).status).toBe(200);
    expect((await api.get(`${PODS}/x`, { user: ann })).status).toBe(403);
    expect((await api.get('/api/v1/pods', { user: ann })).status).toBe(403);
    expect((await api.get(PODS, { user: { username: 'bob', groups: [] } })).status).toBe(403);
  });

  test('allows nothing once it, or the binding, is gone', async () => {
    await using api = await openTestApi();
    await grant(api, [rule('list', 'pods')], [{ kind: 'Group', name: 'growers' }]);
    expect((await api.get(PODS, { user: ann })).status).toBe(200);
    await api.delete(`${RBAC}/namespaces/default/roles/r`);
    expect((await api.get(PODS, { user: ann })).body.message).toContain(
      'in the namespace "default": RBAC: role.rbac.authorization.k8s.io "r" not found',
    );
    await api.delete(`${RBAC}/namespaces/default/rolebindings/b`);
    expect((await api.get(PODS, { user: ann })).body.message).toMatch(/in the namespace "default"$/);
  });
});

describe('A new server', () => {
  test('lets everybody who is known discover it and ask about themselves', async () => {
    await using api = await openTestApi();
    expect((await api.get('/apis', { user: ann })).status).toBe(200);
    const review = { spec: { resourceAttributes: { verb: 'list', resource: 'pods' } } };
    expect(
      await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, { user: ann }),
    ).toMatchObject({ status: 201, body: { status: { allowed: false } } });
  });

  test('has the roles admin, edit and view filled in', async () => {
    await using api = await openTestApi();
    const rules = async (name: string) => {
      const { body } = await api.get(`${RBAC}/clusterroles/${name}`);
      return (body.rules as unknown[]).length;
    };
    expect([await rules('view'), await rules('edit'), await rules('admin')]).toEqual([12, 27, 29]);
  });
});

test('Opening a connection into a pod by GET takes the right to create one', async () => {
  await using api = await openTestApi();
  await grant(api, [rule('get', 'pods/exec,pods/log')]);
  const { status, body } = await api.get(`${PODS}/p/exec`, { user: ann });
  expect(status).toBe(403);
  expect(body.message).toContain('User "ann" cannot create resource "pods/exec"');
  expect((await api.get(`${PODS}/p/log`, { user: ann })).status).toBe(404);
});

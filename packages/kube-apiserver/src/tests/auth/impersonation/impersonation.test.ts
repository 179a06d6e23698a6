import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../../testing/test-api.ts';
import { openTestApi } from '../../../testing/test-api.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const actor = { username: 'actor', groups: ['system:authenticated'] };

type Headers = Record<string, string>;

async function openWith(...rules: object[]): Promise<TestApi> {
  const api = await openTestApi();
  await api.post(`${RBAC}/clusterroles`, { metadata: { name: 'actor' }, rules });
  await api.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'actor' },
    roleRef: { kind: 'ClusterRole', name: 'actor' },
    subjects: [{ kind: 'User', name: 'actor' }],
  });
  return api;
}

async function who(api: TestApi, headers: Headers): Promise<unknown> {
  const { body } = await api.post(
    WHO,
    {},
    { user: actor, headers: { 'content-type': 'application/json', ...headers } },
  );
  return body.kind === 'Status' ? body.message : (body.status as { userInfo: unknown }).userInfo;
}

const may = (apiGroup: string, resource: string, ...resourceNames: string[]) => ({
  apiGroups: [apiGroup],
  verbs: ['impersonate'],
  resources: [resource],
  ...(resourceNames.length > 0 && { resourceNames }),
});

describe('A user who may impersonate', () => {
  test('is the other one, with the groups, uid and extras they may have', async () => {
    await using api = await openWith(
      may('', 'users', 'ann'),
      may('', 'groups', 'growers'),
      may('authentication.k8s.io', 'uids', 'u1'),
      may('authentication.k8s.io', 'userextras/scopes', 'view'),
    );
    const all = {
      'impersonate-user': 'ann',
      'impersonate-group': 'growers',
      'impersonate-uid': 'u1',
      'impersonate-extra-scopes': 'view',
    };
    expect(await who(api, all)).toEqual({
      username: 'ann',
      uid: 'u1',
      groups: ['growers', 'system:authenticated'],
      extra: { scopes: ['view'] },
    });
    expect(await who(api, { 'impersonate-user': 'bob' })).toContain('cannot impersonate resource "users"');
    expect(await who(api, { ...all, 'impersonate-group': 'system:masters' })).toContain(
      'groups "system:masters" is forbidden',
    );
    expect(await who(api, { ...all, 'impersonate-uid': 'u2' })).toContain(
      'uids.authentication.k8s.io "u2" is forbidden',
    );
    expect(await who(api, { ...all, 'impersonate-extra-scopes': 'edit' })).toContain('"userextras/scopes"');
  });

  test('may be allowed it for some actions alone', async () => {
    await using api = await openWith(
      { apiGroups: ['authentication.k8s.io'], verbs: ['impersonate:user-info'], resources: ['users', 'groups'] },
      {
        apiGroups: ['authentication.k8s.io'],
        verbs: ['impersonate-on:user-info:create'],
        resources: ['selfsubjectreviews'],
      },
    );
    expect(await who(api, { 'impersonate-user': 'ann' })).toMatchObject({ username: 'ann' });
    expect(await who(api, { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' })).toContain(
      'impersonating the system:masters group is not allowed',
    );
    expect(await who(api, { 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'view' })).toContain(
      'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
    );
    const pods = await api.get('/api/v1/pods', { user: actor, headers: { 'impersonate-user': 'ann' } });
    expect(pods.body.message).toContain('User "actor" cannot impersonate-on:user-info:list resource "pods"');
  });
});

describe('Impersonation headers', () => {
  test.each<[Headers, string]>([
    [{ 'impersonate-group': 'a' }, 'Groups:[]string{"a"}, Extra:map[string][]string(nil)}'],
    [{ 'impersonate-extra-x': 'y' }, 'Extra:map[string][]string{"x":[]string{"y"}}}'],
  ])('%j without a user are refused', async (headers, text) => {
    await using api = await openTestApi();
    expect(await who(api, headers)).toContain(text);
  });

  test('of a prototype are data', async () => {
    await using api = await openTestApi();
    const headers = {
      'content-type': 'application/json',
      'impersonate-user': 'ann',
      'impersonate-extra-__proto__': 'x',
    };
    const { body } = await api.post(WHO, {}, { headers });
    const { userInfo } = body.status as { userInfo: { extra: object } };
    expect(Object.entries(userInfo.extra)).toEqual([['__proto__', ['x']]]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

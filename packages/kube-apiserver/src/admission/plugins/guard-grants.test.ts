import { describe, expect, test } from 'vitest';
import { bindPolicy, policyRule } from '../../testing/admission-policy.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const eve = { username: 'eve', groups: ['system:authenticated'] };
const as = { user: eve };

const rbacRule = (verbs: string[], resources: string[], resourceNames?: string[]) => ({
  apiGroups: ['rbac.authorization.k8s.io'],
  verbs,
  resources,
  ...(resourceNames && { resourceNames }),
});
const mayWrite = rbacRule(
  ['create', 'update', 'patch'],
  ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
);
const reads = { apiGroups: [''], verbs: ['get', 'list'], resources: ['configmaps'] };
const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, roleName: string) => ({
  metadata: { name },
  roleRef: { kind, name: roleName },
  subjects: [{ kind: 'User', name: 'eve' }],
});

/** Eve may write roles and bindings everywhere, and has the given rules in the namespace. */
async function openForEve(...rules: object[]): Promise<TestApi> {
  const api = await openTestApi();
  await api.post(`${RBAC}/clusterroles`, role('author', mayWrite));
  await api.post(`${RBAC}/clusterrolebindings`, binding('author', 'ClusterRole', 'author'));
  await api.post(ROLES, role('own', ...rules));
  await api.post(BINDINGS, binding('own', 'Role', 'own'));
  await api.post(ROLES, role('strong', { apiGroups: ['*'], verbs: ['*'], resources: ['*'] }));
  return api;
}

describe('Whoever writes a role', () => {
  test.each<[string, object, number]>([
    ['less than they have', { apiGroups: [''], verbs: ['get'], resources: ['configmaps'] }, 201],
    ['one of what they have, by name', { ...reads, resourceNames: ['x'] }, 201],
    ['another verb', { ...reads, verbs: ['delete'] }, 403],
    ['every verb', { ...reads, verbs: ['*'] }, 403],
    ['a subresource', { ...reads, resources: ['configmaps/status'] }, 403],
    ['another group', { ...reads, apiGroups: ['apps'] }, 403],
  ])('may grant %s: %j ► %i', async (_what, rule, status) => {
    await using api = await openForEve(reads);
    expect((await api.post(ROLES, role('new', rule), as)).status).toBe(status);
  });

  test('is told what they do not have, each thing once and together', async () => {
    await using api = await openForEve(reads);
    const answer = await api.post(ROLES, role('new', { ...reads, verbs: ['get', 'delete', 'create'] }), as);
    expect(answer.body.message).toBe(
      'roles.rbac.authorization.k8s.io "new" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["delete" "create"]}',
    );
  });

  test('cannot grow it by a patch, an apply or an update that creates', async () => {
    await using api = await openForEve(reads);
    const path = `${ROLES}/mine`;
    const more = {
      ...role('mine', { ...reads, verbs: ['delete'] }),
      kind: 'Role',
      apiVersion: 'rbac.authorization.k8s.io/v1',
    };
    const send = async (method: string, type: string) => {
      const options = { body: more, headers: { 'content-type': type }, user: eve };
      return (await api.server.send(method, `${path}?fieldManager=x`, options)).status;
    };
    expect(await send('PUT', 'application/json')).toBe(403);
    expect(await send('PATCH', 'application/apply-patch+yaml')).toBe(403);
    await api.post(ROLES, role('mine', reads), as);
    expect(await send('PATCH', 'application/merge-patch+json')).toBe(403);
    expect(await send('PUT', 'application/json')).toBe(403);
  });

  test('grants nothing that a mutating policy adds to it in its second pass', async () => {
    await using api = await openForEve(reads);
    const onRoles = { ...policyRule('rbac.authorization.k8s.io', 'roles'), reinvocationPolicy: 'IfNeeded' };
    const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
    const everything = `[JSONPatch{op: "replace", path: "/rules/0/verbs", value: ["*"]}]`;
    const mark = `[JSONPatch{op: "add", path: "/metadata/labels", value: {"is": "marked"}}]`;
    const isMarked = 'has(object.metadata.labels)';
    await bindPolicy(api, 'Mutating', 'a-template', {
      ...onRoles,
      mutations: [patch(`${isMarked} ? ${everything} : []`)],
    });
    await bindPolicy(api, 'Mutating', 'b-mark', {
      ...onRoles,
      mutations: [patch(`${isMarked} ? [] : ${mark}`)],
    });
    expect((await api.post(ROLES, role('new', reads), as)).status).toBe(403);
  });

  test('is refused before the version of what they send is looked at', async () => {
    await using api = await openForEve(reads);
    await api.post(ROLES, role('mine', reads), as);
    const sent = { metadata: { resourceVersion: '1' }, rules: [{ ...reads, verbs: ['delete'] }] };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const send = (body: object) => api.server.send('PATCH', `${ROLES}/mine`, { body, headers, user: eve });
    expect((await send(sent)).status).toBe(403);
    expect((await send({ ...sent, rules: [] })).status).toBe(409);
  });

  test('may write it with the right to escalate it, by name', async () => {
    await using api = await openForEve(rbacRule(['escalate'], ['roles'], ['mine']));
    await api.post(ROLES, role('mine'), as);
    const grow = (name: string) =>
      api.server.send('PATCH', `${ROLES}/${name}`, {
        user: eve,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { rules: [{ apiGroups: ['*'], verbs: ['*'], resources: ['*'] }] },
      });
    expect((await grow('mine')).status).toBe(200);
    expect((await grow('own')).status).toBe(403);
  });

  test('is told what is wrong with a rule that allows nothing', async () => {
    await using api = await openForEve();
    const rules = [{ apiGroups: [''], verbs: [], resources: ['pods'] }];
    expect((await api.post(ROLES, { metadata: { name: 'none' }, rules }, as)).status).toBe(422);
  });

  test('is refused when there is too much to compare', async () => {
    await using api = await openForEve(reads);
    const many = (prefix: string) => Array.from({ length: 100 }, (_, i) => `${prefix}${i}`);
    const huge = { apiGroups: many('g'), resources: many('r'), verbs: many('v') };
    expect((await api.post(ROLES, role('huge', huge), as)).body.message).toContain('too many to compare');
  });

  test('is told the first of very many things they do not have, and how many more there are', async () => {
    await using api = await openForEve(reads);
    const resourceNames = Array.from({ length: 99_000 }, (_, i) => `n${i}`);
    const { status, body } = await api.post(ROLES, role('new', { ...reads, verbs: ['delete'], resourceNames }), as);
    const message = String(body.message);
    expect(status).toBe(403);
    expect(message).toContain('ResourceNames:["n0"]');
    expect(message).toMatch(/\nand 98000 more$/);
    expect(message.length).toBeLessThan(200_000);
  });

  test('is refused when they hold too much to compare it with', async () => {
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const held = names('n', 2_000).map((name) => ({ ...reads, verbs: ['get'], resourceNames: [name] }));
    await using api = await openForEve(...held);
    const wide = { apiGroups: [''], resources: ['configmaps'], verbs: names('v', 2_000) };
    const { status, body } = await api.post(ROLES, role('wide', wide), as);
    expect(status).toBe(403);
    expect(body.message).toContain('takes more than 1000000 comparisons');
  });

  test('needs everything to make one of others', async () => {
    await using api = await openForEve(reads);
    const whole = {
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    };
    expect((await api.post(`${RBAC}/clusterroles`, whole, as)).body.message).toContain(
      'must have cluster-admin privileges to use the aggregationRule',
    );
  });
});

describe('Whoever binds a role', () => {
  test('must hold all of it', async () => {
    await using api = await openForEve(reads);
    expect((await api.post(BINDINGS, binding('a', 'Role', 'own'), as)).status).toBe(201);
    expect((await api.post(BINDINGS, binding('b', 'Role', 'strong'), as)).status).toBe(403);
    const root = binding('c', 'ClusterRole', 'cluster-admin');
    expect((await api.post(`${RBAC}/clusterrolebindings`, root, as)).status).toBe(403);
    expect((await api.post(BINDINGS, binding('d', 'Role', 'not-there'), as)).status).toBe(404);
  });

  test.each<[string, string, string, string]>([
    ['rolebindings', 'Pod', 'x', 'unsupported role reference kind: "Pod"'],
    ['rolebindings', 'Role', '', 'Name parameter required.'],
    ['rolebindings', 'ClusterRole', 'a/b', 'Name parameter invalid: "a/b": may not contain \'/\''],
    ['clusterrolebindings', 'Role', 'x', 'Namespace parameter required.'],
  ])('is told of %s to %s %j that it is a reference to nothing', async (resource, kind, name, message) => {
    await using api = await openForEve(reads);
    const path = resource === 'rolebindings' ? BINDINGS : `${RBAC}/${resource}`;
    expect((await api.post(path, binding('new', kind, name), as)).body.message).toBe(message);
  });

  test('or the right to bind it', async () => {
    await using api = await openForEve(rbacRule(['bind'], ['clusterroles'], ['view']));
    expect((await api.post(BINDINGS, binding('a', 'ClusterRole', 'view'), as)).status).toBe(201);
    expect((await api.post(BINDINGS, binding('b', 'ClusterRole', 'edit'), as)).status).toBe(403);
  });
});

test('An update that creates takes the right to create', async () => {
  await using api = await openTestApi();
  await api.post(ROLES, role('updater', { apiGroups: [''], verbs: ['update'], resources: ['limitranges'] }));
  await api.post(BINDINGS, binding('updater', 'Role', 'updater'));
  const path = '/api/v1/namespaces/default/limitranges';
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'x' }, spec: { limits: [{ type: 'Pod' }] } };
  const headers = { 'content-type': 'application/json' };
  const put = () => api.server.send('PUT', `${path}/x`, { body: range, headers, user: eve });
  expect((await put()).status).toBe(403);
  await api.post(path, range);
  expect((await put()).status).toBe(200);
});

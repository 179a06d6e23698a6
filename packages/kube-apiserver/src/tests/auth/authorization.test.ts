import { describeDenial } from '@pintle/apiserver/testing';
import { describe, expect, test } from 'vitest';
import type { KubeApiServerOptions } from '../../kube-api-server.ts';
import { textOf } from '../../testing/open-test-server.ts';
import { openTestApi } from '../../testing/test-api.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const jane = { username: 'jane', groups: ['system:authenticated'] };

/** What a stranger is answered, in a cluster whose roles let strangers list namespaces. */
async function askAsStranger(path: string, options: Partial<KubeApiServerOptions>): Promise<number> {
  await using api = await openTestApi(options);
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list'] }];
  await api.post(`${RBAC}/clusterroles`, { metadata: { name: 'strangers' }, rules });
  await api.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'strangers' },
    roleRef: { kind: 'ClusterRole', name: 'strangers' },
    subjects: [{ kind: 'Group', name: 'system:unauthenticated' }],
  });
  const response = await api.server.server.handle({
    method: 'GET',
    path,
    query: '',
    headers: {},
    body: new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '' },
  });
  if (response.status !== 401) expect(response.headers.connection).toBe('close');
  await textOf(response);
  return response.status;
}

describe('Strangers', () => {
  test.each<['public' | 'full' | 'none' | undefined, string, number]>([
    [undefined, '/readyz', 200],
    [undefined, '/version', 200],
    [undefined, '/api', 403],
    [undefined, '/metrics', 403],
    [undefined, '/api/v1/namespaces', 403],
    ['public', '/api/v1/namespaces', 403],
    ['full', '/api/v1/namespaces', 200],
    ['full', '/api/v1/pods', 403],
    ['none', '/readyz', 401],
    ['none', '/api/v1/namespaces', 401],
  ])('with %s access to %s are answered %i', async (anonymous, path, status) => {
    expect(await askAsStranger(path, anonymous === undefined ? {} : { anonymous })).toBe(status);
  });
});

describe('Who decides', () => {
  test.each<[KubeApiServerOptions['authorization'], number]>([
    [undefined, 403],
    [['RBAC'], 403],
    [['Node', 'RBAC'], 403],
    [['RBAC', 'AlwaysAllow'], 200],
    [['AlwaysDeny'], 403],
    [[], 403],
  ])('%j lets jane list namespaces: %i', async (authorization, status) => {
    await using api = await openTestApi(authorization === undefined ? {} : { authorization });
    expect((await api.get('/api/v1/namespaces', { user: jane })).status).toBe(status);
    expect((await api.get('/api/v1/namespaces')).status).toBe(200);
  });
});

test('What a client chose is not markup in a refusal', () => {
  const text = describeDenial({ username: '<b>&', groups: [] }, { kind: 'path', verb: 'get', path: '/<script>' });
  expect(text).toBe('User "&lt;b&gt;&amp;" cannot get path "/&lt;script&gt;"');
});

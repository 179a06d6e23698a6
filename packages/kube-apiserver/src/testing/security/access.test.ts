import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { UserInfo } from '@pintle/apiserver';
import { HttpsListener } from '@pintle/apiserver';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { define } from '../define.ts';
import { textOf } from '../open-test-server.ts';
import type { TestApi } from '../test-api.ts';
import { openTestApi } from '../test-api.ts';
import { thingDefinition } from '../thing-definition.ts';

/** Numbers are those of the list in `docs/security.md`. */
const HOME = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const jane: UserInfo = { username: 'jane', groups: ['system:authenticated'] };

/** Gives a user rights in the namespace `default`. */
async function grant(api: TestApi, rules: object[], user = jane): Promise<void> {
  const name = `r${Math.round(performance.now() * 1000)}`;
  await api.post(`${RBAC}/namespaces/default/roles`, { metadata: { name }, rules });
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user.username }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  await api.post(`${RBAC}/namespaces/default/rolebindings`, { metadata: { name }, roleRef, subjects });
}

const statusAs = async (api: TestApi, method: string, path: string, body?: object, headers = {}) => {
  const type = { 'content-type': 'application/json', ...headers };
  return (await api.server.send(method, path, { user: jane, headers: type, ...(body && { body }) })).status;
};

test('15: a bad credential is a 401 though strangers may come in without one', async () => {
  await using api = await openTestApi({ anonymous: 'full' });
  const ask = async (headers: Record<string, string>) => {
    const signal = new AbortController().signal;
    const request = { method: 'GET', path: '/version', query: '', body: new Uint8Array(), signal };
    return (await api.server.server.handle({ ...request, headers, peer: { address: '10.0.0.1' } })).status;
  };
  expect(await ask({})).toBe(200);
  expect(await ask({ authorization: 'Bearer nonsense' })).toBe(401);
});

test('NCC 47W: whoever comes by a socket of this very machine is nobody, whatever they say of themselves', async () => {
  await using api = await openTestApi();
  const authority = await createAuthority('servers', 1, Date.now());
  const spec = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, spec, Date.now());
  await using listener = await HttpsListener.listen({
    ...pair,
    handle: (request) => api.server.server.handle(request),
  });
  const ask = async (headers: Record<string, string>) => {
    const options = { port: listener.port, host: '127.0.0.1', path: `${HOME}/secrets`, ca: authority.certificate };
    const [answer] = (await once(request({ ...options, headers }).end(), 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  const master = { user: 'system:apiserver', group: 'system:masters' };
  expect(await ask({})).toBe(403);
  expect(await ask({ 'x-remote-user': master.user, 'x-remote-group': master.group })).toBe(403);
  expect(await ask({ 'impersonate-user': master.user, 'impersonate-group': master.group })).toBe(403);
  expect(await ask({ 'x-user': JSON.stringify({ username: master.user, groups: [master.group] }) })).toBe(403);
  for (const token of [master.user, 'loopback', '', api.server.server.constructor.name]) {
    expect(await ask({ authorization: `Bearer ${token}` }), token).toBe(token === '' ? 403 : 401);
  }
});

test('NCC WHE: a Secret in the form of a bootstrap token lets nobody in', async () => {
  await using api = await openTestApi();
  const data = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:all',
  };
  const secret = { metadata: { name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token' };
  const stringData = { ...data, expiration: '2999-01-01T00:00:00Z' };
  expect((await api.post('/api/v1/namespaces/kube-system/secrets', { ...secret, stringData })).status).toBe(201);
  const { status } = await api.server.server.handle({
    method: 'GET',
    path: '/version',
    query: '',
    headers: { authorization: 'Bearer abcdef.0123456789abcdef' },
    body: new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '10.0.0.1' },
  });
  expect(status).toBe(401);
});

describe('19: no name reaches into another resource or namespace', () => {
  const climbs = [
    ...[
      '..',
      '.',
      '...',
      '%2e',
      '%2e%2e',
      '%2E%2E',
      '.%2e',
      '%2e.',
      '..%2f..',
      '%2e%2e%2f',
      '%2e%2e%2f%2e%2e%2fsecrets',
    ],
    ...['a%2fb', '%2fsecrets', 'secrets%2fhidden', 'default%2fsecrets', '..%2fsecrets%2fdefault'],
    ...['a%00b', '%00', '%00..', '..%00', 'a%0ab', '%0d%0a', '%20', '%09', '%7f', '%ff', '%c0%ae%c0%ae', '%e0%80%ae'],
    ...['%252e%252e', '%252f', '%25252e', 'x%2f..%2fy', 'x%2f.%2fy', '*', '%', '%2', '%zz', '%u002e', '..;', '..;a=b'],
    ...[
      '..%5c..',
      '%5c',
      'a%5cb',
      '__proto__',
      'constructor',
      'core',
      'core%2fsecrets',
      '%ef%bc%8e%ef%bc%8e',
      '‥',
      '~',
    ],
    ...['hidden0', 'default0', 'hidden%00', '%2e%2e%3bsecrets', '$', '%24', '-', '_pintle', '%5fpintle'],
  ];
  const shapes = [
    (c: string) => `/api/v1/namespaces/${c}/configmaps`,
    (c: string) => `/api/v1/namespaces/default/configmaps/${c}`,
    (c: string) => `/api/v1/namespaces/default/configmaps/${c}/secrets/hidden`,
    (c: string) => `/api/v1/namespaces/default/${c}/secrets`,
    (c: string) => `/api/v1/namespaces/${c}/${c}/secrets/hidden`,
    (c: string) => `/apis/example.com/v1/namespaces/${c}/things`,
    (c: string) => `/apis/${c}/v1/things`,
    (c: string) => `/apis/example.com/${c}/things`,
    (c: string) => `/api/v1/watch/namespaces/${c}/configmaps/${c}`,
  ];
  const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

  test(`${climbs.length * shapes.length * methods.length} hostile paths find nothing`, async () => {
    await using api = await openTestApi();
    await define(api, thingDefinition([{ name: 'v1' }]));
    await api.post(`${HOME}/secrets`, { metadata: { name: 'hidden' }, stringData: { a: 'hunter2' } });
    await api.post(`${HOME}/configmaps`, { metadata: { name: 'shown' }, data: { a: 'hunter2' } });
    for (const climb of climbs) {
      for (const shape of shapes) {
        for (const method of methods) {
          const path = shape(climb);
          const answer = await api.server.send(method, `${path}?timeoutSeconds=1`, { body: '{}' });
          if (!(answer.body instanceof Uint8Array)) {
            await (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
            continue;
          }
          const text = await textOf(answer);
          expect(text, `${method} ${path}`).not.toContain('hunter2');
          expect(text, `${method} ${path}`).not.toContain(Buffer.from('hunter2').toString('base64'));
          if (answer.status < 300) expect(text, `${method} ${path}`).toMatch(/"items":\s?\[\]|^$/);
          expect(answer.status, `${method} ${path}`).toBeLessThan(500);
        }
      }
    }
    expect((await api.get(`${HOME}/secrets/hidden`)).status).toBe(200);
  });

  test('nor does a token to go on with', async () => {
    await using api = await openTestApi();
    const secret = { metadata: { name: 'hidden' }, stringData: { a: 'hunter2' } };
    await api.post(`${HOME}/secrets`, secret);
    const other = { metadata: { name: 'hidden' }, data: { a: 'b' }, revision: 1 };
    const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
    const { status, body } = await api.post(revisions, other);
    expect(status).toBe(201);
    const rv = Number(body.metadata.resourceVersion);
    const keys = ['apps/controllerrevisions/default/hidden', 'apps/', 'core/', 'core/secrets/default/hidden'];
    for (const start of ['../secrets/', '../../secrets/default/', '/../../secrets', '\0', '../', ...keys]) {
      const token = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
      const answer = await api.server.send('GET', `${HOME}/configmaps?limit=500&continue=${token}`);
      expect(await textOf(answer)).not.toContain('hidden');
    }
  });
});

test('20: a list of one name takes the right to that name; each form of watching takes the right to watch', async () => {
  await using api = await openTestApi();
  await grant(api, [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['list'] }]);
  const list = (query: string) => statusAs(api, 'GET', `${HOME}/secrets${query}`);
  expect(await list('?fieldSelector=metadata.name%3Dmine')).toBe(200);
  for (const query of [
    '',
    '?fieldSelector=metadata.name%3Dother',
    '?fieldSelector=metadata.name!%3Dmine',
    '?fieldSelector=metadata.name%3Dmine&watch=true',
    '?fieldSelector=metadata.name%3Dmine&watch=1',
    '?fieldSelector=metadata.name%3Dmine&watch=t',
    '?fieldSelector=metadata.name%3Dmine&watch',
  ]) {
    expect(await list(query), query).toBe(403);
  }
  expect(await statusAs(api, 'GET', '/api/v1/watch/namespaces/default/secrets')).toBe(403);
  expect(await statusAs(api, 'DELETE', `${HOME}/secrets?fieldSelector=metadata.name%3Dmine`)).toBe(403);
});

test('20: who may list may not watch, whichever way it is asked for, nor delete all', async () => {
  await using api = await openTestApi();
  await grant(api, [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'get', 'delete'] }]);
  expect(await statusAs(api, 'GET', `${HOME}/secrets`)).toBe(200);
  for (const path of [
    '/api/v1/watch/namespaces/default/secrets',
    '/api/v1/watch/namespaces/default/secrets/x',
    ...['true', '1', 't', 'T', 'True', 'yes', ''].map((value) => `/api/v1/namespaces/default/secrets?watch=${value}`),
  ]) {
    expect(await statusAs(api, 'GET', path), path).toBe(403);
  }
  expect(await statusAs(api, 'DELETE', `${HOME}/secrets`)).toBe(403);
});

test('21: who may not look is told so whether or not there is something', async () => {
  await using api = await openTestApi();
  await api.post(`${HOME}/secrets`, { metadata: { name: 'there' } });
  const answers = await Promise.all(
    ['there', 'not-there'].map(async (name) => {
      const answer = await api.server.send('GET', `${HOME}/secrets/${name}`, { user: jane });
      return [answer.status, (await textOf(answer)).replaceAll(name, 'NAME')];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]![0]).toBe(403);
  expect(await statusAs(api, 'GET', '/apis/example.com/v1/nothings')).toBe(403);
});

test('22: what lies behind an object takes rights of its own', async () => {
  await using api = await openTestApi();
  await grant(api, [
    {
      apiGroups: [''],
      resources: ['pods', 'serviceaccounts', 'namespaces'],
      verbs: ['get', 'update', 'patch', 'create'],
    },
  ]);
  const pod = `${HOME}/pods/p`;
  for (const [method, path] of [
    ['PUT', `${pod}/status`],
    ['PATCH', `${pod}/ephemeralcontainers`],
    ['POST', `${pod}/binding`],
    ['POST', `${pod}/eviction`],
    ['GET', `${pod}/exec?command=sh`],
    ['GET', `${pod}/attach`],
    ['GET', `${pod}/portforward`],
    ['GET', `${pod}/log`],
    ['GET', `${pod}/proxy/`],
    ['POST', `${HOME}/serviceaccounts/default/token`],
    ['PUT', '/api/v1/namespaces/default/finalize'],
    ['PUT', '/api/v1/namespaces/default/status'],
  ] as const) {
    expect(await statusAs(api, method, path, { metadata: { name: 'p' } }), `${method} ${path}`).toBe(403);
  }
});

test('22: a WebSocket, which is opened with GET, takes the right to create', async () => {
  await using api = await openTestApi();
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await api.post(`${HOME}/pods`, { metadata: { name: 'p' }, spec });
  const ways = ['exec', 'attach', 'portforward'];
  const open = (way: string) =>
    api.get(`${HOME}/pods/p/${way}?command=sh`, {
      user: jane,
      headers: { connection: 'upgrade', upgrade: 'websocket' },
    });
  const resources = ways.map((way) => `pods/${way}`);
  await grant(api, [{ apiGroups: [''], resources, verbs: ['get'] }]);
  for (const way of ways) {
    const { status, body } = await open(way);
    expect([status, body.message]).toEqual([403, expect.stringContaining(`cannot create resource "pods/${way}"`)]);
  }
  await grant(api, [{ apiGroups: [''], resources, verbs: ['create'] }]);
  for (const way of ways) expect((await open(way)).body.message).toContain('does not have a host assigned');
});

test('23: a dry run leaves nothing behind, whichever verb it came by', async () => {
  await using api = await openTestApi();
  const maps = `${HOME}/configmaps`;
  await api.post(maps, { metadata: { name: 'kept' }, data: { a: '1' } });
  const before = (await api.get(`${maps}/kept`)).body.metadata.resourceVersion;
  const dry = 'dryRun=All';
  await api.post(`${maps}?${dry}`, { metadata: { name: 'new' } });
  await api.put(`${maps}/kept?${dry}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } });
  await api.merge(`${maps}/kept?${dry}`, { data: { a: '2' } });
  await api.apply(`${maps}/kept?${dry}`, 'me', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } });
  await api.delete(`${maps}/kept?${dry}`);
  await api.delete(`${maps}?${dry}`);
  expect((await api.get(`${maps}/kept`)).body.metadata.resourceVersion).toBe(before);
  expect((await api.get(`${maps}/new`)).status).toBe(404);
});

test.each(['mutate', 'validate'])(
  '23: a plugin that would change what was before as it %ss fails, and what it tried is not stored',
  async (step) => {
    const meddling = {
      name: 'Meddling',
      handles: ({ operation }: { operation: string }) => operation !== 'CREATE',
      [step]: ({ oldObject }: { oldObject: { metadata: { labels?: object } } | undefined }) => {
        oldObject!.metadata.labels = { forged: 'yes' };
      },
    };
    await using api = await openTestApi({ admission: [meddling as never] });
    await api.post(`${HOME}/configmaps`, { metadata: { name: 'm' } });
    expect((await api.merge(`${HOME}/configmaps/m`, { data: { a: 'b' } })).status).toBe(500);
    expect((await api.delete(`${HOME}/configmaps/m`)).status).toBe(500);
    expect(JSON.stringify((await api.get(`${HOME}/configmaps/m`)).body)).not.toContain('forged');
  },
);

describe('24: owners are set by those who may delete, and hold up those whose finalizers one may set', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u' };
  const verbs = ['create', 'update', 'patch', 'get'];

  test('to hold up an owner takes the right to set its finalizers', async () => {
    await using api = await openTestApi({ enabledAdmission: ['OwnerReferencesPermissionEnforcement'] });
    await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs }]);
    const create = (ownerReferences: object[]) =>
      statusAs(api, 'POST', `${HOME}/configmaps`, { metadata: { generateName: 'm-', ownerReferences } });
    expect(await create([owner])).toBe(201);
    expect(await create([{ ...owner, blockOwnerDeletion: true }])).toBe(403);
    expect(await create([{ ...owner, kind: 'Unheard', blockOwnerDeletion: true }])).toBe(403);
    await grant(api, [{ apiGroups: [''], resources: ['configmaps/finalizers'], verbs: ['update'] }]);
    expect(await create([{ ...owner, blockOwnerDeletion: true }])).toBe(201);
  });

  test('no patch or update leads past that', async () => {
    await using api = await openTestApi({ enabledAdmission: ['OwnerReferencesPermissionEnforcement'] });
    await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs }]);
    await api.post(`${HOME}/configmaps`, { metadata: { name: 'm' } });
    const path = `${HOME}/configmaps/m`;
    const metadata = { name: 'm', ownerReferences: [owner] };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    expect(await statusAs(api, 'PUT', path, body)).toBe(403);
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json']) {
      expect(await statusAs(api, 'PATCH', path, { metadata }, { 'content-type': `application/${type}` })).toBe(403);
    }
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    expect(await statusAs(api, 'PATCH', `${path}?fieldManager=me`, body, apply)).toBe(403);
    expect(await statusAs(api, 'PUT', path, { ...body, metadata: { name: 'm' }, data: { a: 'b' } })).toBe(200);
  });
});

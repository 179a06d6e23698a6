import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { HttpsListener } from '@pintle/apiserver';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { JsonObject } from '@pintle/machinery/json';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { define } from '../define.ts';
import { textOf } from '../open-test-server.ts';
import { openTestApi } from '../test-api.ts';
import { thingDefinition } from '../thing-definition.ts';

/** Numbers are those of the list in `docs/security.md`. */
const HOME = '/api/v1/namespaces/default';
const stranger = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

test('28: those who may edit do not lead services elsewhere, nor does anybody to the machine itself', async () => {
  await using api = await openTestApi();
  const { body } = await api.get('/apis/rbac.authorization.k8s.io/v1/clusterroles/edit');
  const rules = body.rules as { resources?: string[]; verbs: string[] }[];
  const writes = rules.filter(({ verbs }) => verbs.some((verb) => ['create', 'update', 'patch', '*'].includes(verb)));
  for (const resource of ['endpoints', 'endpointslices']) {
    expect(writes.some(({ resources = [] }) => resources.includes(resource))).toBe(false);
  }
  const slice = { addressType: 'IPv4', metadata: { name: 's' } };
  for (const address of ['127.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.0']) {
    const slices = `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices`;
    const sent = { ...slice, endpoints: [{ addresses: [address] }] };
    expect((await api.post(slices, sent)).status, address).toBe(422);
    const subsets = [{ addresses: [{ ip: address }] }];
    expect((await api.post(`${HOME}/endpoints`, { metadata: { name: 'e' }, subsets })).status, address).toBe(422);
  }
});

test('29: webhooks and definitions name only addresses that are https and nothing else', async () => {
  await using api = await openTestApi();
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const register = async (clientConfig: object) => {
    const hook = { name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig };
    return (await api.post(`${path}?dryRun=All`, { metadata: { name: 'h' }, webhooks: [hook] })).status;
  };
  expect(await register({ url: 'https://a.example.com/x' })).toBe(201);
  for (const url of [
    'http://a.example.com/',
    'https://me:secret@a.example.com/',
    'https://a.example.com/?a=b',
    'https://a.example.com/#a',
    'file:///etc/passwd',
    'https://',
    'a.example.com',
  ]) {
    expect(await register({ url }), url).toBe(422);
  }
  expect(await register({ service: { namespace: 'a', name: 'b', path: '/x/../y?z' } })).toBe(422);
});

test('30: where it is asked for, services get no addresses outside, and may keep those they have', async () => {
  const services = `${HOME}/services`;
  const outside = (...externalIPs: string[]) => ({ ports: [{ port: 80 }], externalIPs });
  await using api = await openTestApi({ enabledAdmission: ['DenyServiceExternalIPs'] });
  // From before it was asked for.
  const metadata = { name: 'old', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };
  const old = { apiVersion: 'v1', kind: 'Service', metadata, spec: outside('192.0.2.1', '192.0.2.2') };
  const key = objectKey({ group: '', resource: 'services' }, 'default', 'old');
  await api.server.store.commit([{ type: 'put', key, value: encodeObject(old as never) }]);
  const { status, body } = await api.post(services, { metadata: { name: 'new' }, spec: outside('192.0.2.3') });
  expect([status, body.message]).toEqual([
    403,
    'services "new" is forbidden: Use of external IPs is denied by admission control',
  ]);
  const change = async (...addresses: string[]) =>
    (await api.merge(`${services}/old`, { spec: { externalIPs: addresses } })).status;
  expect(await change('192.0.2.1', '192.0.2.2')).toBe(200);
  expect(await change('192.0.2.1', '192.0.2.3')).toBe(403);
  const applied = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'old' },
    spec: { externalIPs: ['192.0.2.3'] },
  };
  expect((await api.apply(`${services}/old?force=true`, 'me', applied)).status).toBe(403);
  expect(await change('192.0.2.1')).toBe(200);
  expect(await change('192.0.2.2')).toBe(403);
  expect((await api.post(services, { metadata: { name: 'inside' }, spec: { ports: [{ port: 80 }] } })).status).toBe(
    201,
  );
});

test('30: addresses outside can be forbidden to services by a policy', async () => {
  await using api = await openTestApi();
  const root = '/apis/admissionregistration.k8s.io/v1';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] };
  await api.post(`${root}/validatingadmissionpolicies`, {
    metadata: { name: 'no-external-ips' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: '!has(object.spec.externalIPs) || object.spec.externalIPs.size() == 0' }],
    },
  });
  const spec = { policyName: 'no-external-ips', validationActions: ['Deny'] };
  await api.post(`${root}/validatingadmissionpolicybindings`, { metadata: { name: 'no-external-ips' }, spec });
  const create = async (externalIPs: string[]) => {
    const service = { ports: [{ port: 80 }], ...(externalIPs.length > 0 && { externalIPs }) };
    return (await api.post(`${HOME}/services?dryRun=All`, { metadata: { name: 's' }, spec: service })).status;
  };
  expect(await create([])).toBe(201);
  expect(await create(['192.0.2.1'])).toBe(422);
});

test('31: an address with leading zeros, which others read as octal, does not get in', async () => {
  await using api = await openTestApi();
  const create = async (spec: object) =>
    (await api.post(`${HOME}/services`, { metadata: { generateName: 's-' }, spec: { ports: [{ port: 80 }], ...spec } }))
      .status;
  expect(await create({ externalIPs: ['192.0.2.8'] })).toBe(201);
  for (const spec of [
    { externalIPs: ['192.0.2.010'] },
    { clusterIP: '10.0.0.010' },
    { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.0.02.0/24'] },
  ]) {
    expect(await create(spec), JSON.stringify(spec)).toBe(422);
  }
  const subsets = [{ addresses: [{ ip: '192.0.2.010' }], ports: [{ port: 80 }] }];
  expect((await api.post(`${HOME}/endpoints`, { metadata: { name: 'e' }, subsets })).status).toBe(422);
});

describe('32: requests that two readers could read differently are refused', () => {
  const requests: [string, string][] = [
    ['two lengths', 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header with a space in its name', 'GET /x HTTP/1.1\r\nHost: a\r\nTransfer Encoding: chunked\r\n\r\n'],
    ['a space before the colon', 'GET /x HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc'],
    ['a folded header', 'GET /x HTTP/1.1\r\nHost: a\r\nX: a\r\n b: c\r\n\r\n'],
    ['a line feed in a header', 'GET /x HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n'],
  ];
  test.each(requests)('%s', async (_what, bytes) => {
    const authority = await createAuthority('servers', 1, Date.now());
    const spec = { commonName: 's', hosts: ['localhost'], usage: 'server' as const, days: 1 };
    const pair = await issueCertificate(authority, spec, Date.now());
    const seen: string[] = [];
    await using listener = await HttpsListener.listen({
      ...pair,
      handle: async ({ path }) => {
        seen.push(path);
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
    });
    const options = { port: listener.port, host: '127.0.0.1', ca: authority.certificate, servername: 'localhost' };
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] }, () => socket.write(bytes));
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('error', () => resolve(text));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d|^$/);
    expect(seen).toEqual([]);
  });

  test('what is authorized is what is served, however the path is spelt', async () => {
    const asked: string[] = [];
    await using api = await openTestApi({
      authorizer: {
        authorize: (_user, info) => {
          asked.push(info.kind === 'resource' ? `${info.resource}/${info.name}` : info.path);
          return { allowed: true, reason: '' };
        },
      },
    });
    await api.post(`${HOME}/configmaps`, { metadata: { name: 'm' } });
    for (const path of [
      '//api//v1/namespaces/default/configmaps/m',
      `${HOME}/configmaps/m/`,
      `${HOME}/configmaps/%6d`,
    ]) {
      asked.length = 0;
      const answer = await api.server.send('GET', path);
      if (answer.status === 200) expect(asked).toEqual(['configmaps/m']);
      else expect(answer.status, path).toBe(404);
    }
  });
});

test('34: errors are no pages for browsers, and other sites are not let in', async () => {
  await using api = await openTestApi();
  const headers = { origin: 'https://evil.example', accept: 'text/html,*/*' };
  for (const path of ['/', '/nothing', '/api', '/version', `${HOME}/configmaps/none`, '/apis/none/v1', '/openapi/v3']) {
    const answer = await api.server.send('GET', path, { headers });
    expect(String(answer.headers['content-type'] ?? ''), path).not.toContain('text/html');
    const names = Object.keys(answer.headers);
    expect(
      names.filter((name) => name.startsWith('access-control-')),
      path,
    ).toEqual([]);
    if (answer.status >= 400 && String(answer.headers['content-type']).startsWith('text/')) {
      expect(answer.headers['x-content-type-options'], path).toBe('nosniff');
    }
  }
  expect((await api.server.send('OPTIONS', `${HOME}/configmaps`, { headers })).status).toBeGreaterThanOrEqual(400);
});

test('35: what tells of the process is not there for strangers, or not at all', async () => {
  await using api = await openTestApi({ anonymous: 'full' });
  for (const path of ['/metrics', '/debug/pprof/', '/debug/flags/v', '/logs/', '/configz', '/debug/pprof/profile']) {
    const status = async (user?: typeof stranger) => (await api.server.send('GET', path, user && { user })).status;
    expect(await status(stranger), path).toBe(403);
    if (path !== '/metrics') expect(await status(), path).toBe(404);
  }
});

describe('37: names of prototypes are names like any other', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  const data = `{${NAMES.map((name) => `"${name}":"v"`).join()}}`;
  const keys = (body: JsonObject): string[] => Object.keys(body.data as object).sort();
  const patches: [string, string, string][] = [
    ['a merge patch', 'application/merge-patch+json', `{"data":${data}}`],
    ['a strategic patch', 'application/strategic-merge-patch+json', `{"data":${data}}`],
    [
      'a JSON patch',
      'application/json-patch+json',
      JSON.stringify(NAMES.map((name) => ({ op: 'add', path: `/data/${name}`, value: 'v' }))),
    ],
    [
      'an apply',
      'application/apply-patch+yaml',
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":${data}}`,
    ],
  ];

  test.each(patches)('in %s', async (_name, type, body) => {
    await using api = await openTestApi();
    await api.post(`${HOME}/configmaps`, { metadata: { name: 'm' }, data: { own: 'x' } });
    const path = `${HOME}/configmaps/m`;
    const answer = await api.server.send('PATCH', `${path}?fieldManager=me`, {
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(200);
    const text = await textOf(await api.server.send('GET', path));
    for (const name of NAMES) expect(text).toContain(`"${name}":"v"`);
    expect(keys(JSON.parse(text)).length).toBe(NAMES.length + 1);
    expect(({} as Record<string, unknown>).v).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('in objects, labels, custom fields and queries', async () => {
    await using api = await openTestApi();
    await define(api, thingDefinition([{ name: 'v1' }]));
    const labels = '{"constructor":"a","prototype":"b"}';
    const thing = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","labels":${labels}},"data":${data},"x":{"__proto__":{"polluted":true}}}`;
    const headers = { 'content-type': 'application/json' };
    const path = '/apis/example.com/v1/namespaces/default/things';
    expect((await api.server.send('POST', path, { body: thing, headers })).status).toBe(201);
    const text = await textOf(await api.server.send('GET', `${path}?labelSelector=constructor%3Da&__proto__=x`));
    expect(text).toContain('"__proto__":{"polluted":true}');
    expect((await api.get(`${path}?labelSelector=toString`)).body.items).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('38: bytes and characters that are no text are refused', async () => {
  await using api = await openTestApi();
  const create = async (body: Uint8Array | string, type = 'application/json') =>
    (await api.server.send('POST', `${HOME}/configmaps`, { body, headers: { 'content-type': type } })).status;
  expect(await create('{"metadata":{"name":"a\\u0000b"}}')).toBe(422);
  expect(await create('{"metadata":{"name":"a\\ud800"}}')).toBe(422);
  const head = Buffer.from('{"metadata":{"name":"b"},"data":{"a":"');
  // Of JSON, as in Go, what is no text is read as the character that stands for it.
  expect(await create(Buffer.concat([head, Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]))).toBe(201);
  expect((await api.get(`${HOME}/configmaps/b`)).body.data).toEqual({ a: '\ufffd\ufffd' });
  expect(await create(Buffer.concat([Buffer.from('metadata: {name: '), Buffer.from([0xff])]), 'application/yaml')).toBe(
    400,
  );
  const message = (name: Buffer) => {
    const meta = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
    const raw = Buffer.concat([Buffer.from([0x0a, meta.length]), meta]);
    const type = Buffer.concat([
      Buffer.from([0x0a, 2]),
      Buffer.from('v1'),
      Buffer.from([0x12, 9]),
      Buffer.from('ConfigMap'),
    ]);
    const unknown = [Buffer.from([0x0a, type.length]), type, Buffer.from([0x12, raw.length]), raw];
    return Buffer.concat([Buffer.from('6b387300', 'hex'), ...unknown]);
  };
  const protobuf = 'application/vnd.kubernetes.protobuf';
  expect(await create(message(Buffer.from('good')), protobuf)).toBe(201);
  for (const name of [
    [0xff, 0xfe],
    [0x61, 0xc3],
    [0xed, 0xa0, 0x80],
    [...Buffer.alloc(60, 'a'), 0xff],
  ]) {
    expect(await create(message(Buffer.from(name)), protobuf)).toBe(400);
  }
});

test('39: a number comes back digit for digit', async () => {
  await using api = await openTestApi();
  const integer = { type: 'integer', format: 'int64' };
  const schema = { type: 'object', properties: { n: integer, m: { type: 'number' } } };
  await define(api, thingDefinition([{ name: 'v1', schema }]));
  const path = '/apis/example.com/v1/namespaces/default/things';
  const body = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"n":9007199254740993}';
  await api.server.send('POST', path, { body, headers: { 'content-type': 'application/json' } });
  expect(await textOf(await api.server.send('GET', `${path}/t`))).toContain('"n":9007199254740993');
  const patch = { body: '[{"op":"test","path":"/n","value":9007199254740992}]' };
  const headers = { 'content-type': 'application/json-patch+json' };
  expect((await api.server.send('PATCH', `${path}/t`, { ...patch, headers })).status).toBe(422);
});

describe('what all sources keep to', () => {
  const packages = join(import.meta.dirname, '../../../..');
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^[a-z-]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/bench\//.test(file),
  );
  const sources = files.map((file) => [file, readFileSync(join(packages, file), 'utf8')] as const);
  const found = (pattern: RegExp): string[] =>
    sources.flatMap(([file, text]) => (pattern.test(text) ? [file] : [])).sort();

  test('certificates are verified everywhere: who says otherwise is listed here', () => {
    expect(files.length).toBeGreaterThan(300);
    // The listener, and a backend in tests, ask for certificates without judging them; the others do what was asked for.
    expect(found(/rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/)).toEqual([
      'apiserver/src/http/https-server.ts',
      'apiserver/src/outbound/target.ts',
      'client/src/transport/dial.ts',
      'kube-apiserver/src/testing/aggregated-backend.ts',
    ]);
    expect(found(/checkServerIdentity/)).toEqual([
      'apiserver/src/outbound/outbound-client.ts',
      'apiserver/src/outbound/server-identity.ts',
    ]);
  });

  test('what throws for some words of a client is called in one place of the server, which catches it', () => {
    expect(found(/\bdecodeURI(Component)?\b/)).toEqual([
      'apiserver/src/request/request-info.ts',
      'cel/src/functions/urls.ts',
      'client/src/transport/dial.ts',
      'console/src/web/state/router.ts',
      'operator/src/permissions/request-access.ts',
      'operator/src/resource/structural-schema.ts',
    ]);
    // A request's target is no URL: new URL('//', base) throws.
    expect(found(/new URL\([^)]*, 'https?:/)).toEqual([]);
  });

  test('secrets are compared by their digests, in constant time, and never looked up as they are', () => {
    const inAuth = (pattern: RegExp) =>
      found(pattern).filter((file) => /^(kube-)?apiserver\/src\/(auth|extension)\//.test(file));
    expect(inAuth(/\b(token|secret|password)\w* === (?!undefined|''|null)|=== (token|secret|password)\b/i)).toEqual([]);
    expect(inAuth(/\.equals\(|Buffer\.compare\(|localeCompare\(/)).toEqual([]);
    expect(inAuth(/\.(get|has|set|delete|includes|indexOf|startsWith)\((token|secret|password)\b[,)]/)).toEqual([]);
    expect(inAuth(/=> \[(token|secret|password),/)).toEqual([]);
    expect(inAuth(/timingSafeEqual\(/)).toEqual(['kube-apiserver/src/auth/tokens/account-checks.ts']);
    const [, tokens] = sources.find(([file]) => file.endsWith('auth/token-authenticator.ts'))!;
    expect(tokens).toContain("createHash('sha256')");
  });

  test('nothing is run that was text', () => {
    expect(found(/\beval\(|new Function\(/)).toEqual([]);
  });
});

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test, vi } from 'vitest';
import type { Protocol } from '../../testing/aggregated-backend.ts';
import {
  API_SERVICE,
  alice,
  GROUP,
  OBJECT_META,
  OPENAPI,
  type OPENAPI_V2,
  openBackend,
  openFront,
  RESOURCES,
  ROOT,
  register,
  untilAvailable,
} from '../../testing/aggregated-backend.ts';
import { textOf } from '../../testing/open-test-server.ts';
import { openTestApi } from '../../testing/test-api.ts';

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

describe.each<Protocol>(['http/1.1', 'h2'])('over %s', (protocol) => {
  test('requests reach the other server with the user in headers, and its answers come back as they are', async () => {
    await using backend = await openBackend((request, response) => {
      const { method, url, headers } = request;
      response.writeHead(418, { 'content-type': 'application/json', 'x-own': 'yes' });
      request.on('data', () => {}).on('end', () => response.end(JSON.stringify({ method, url, headers })));
    }, protocol);
    await using api = await openTestApi();
    await register(api, backend);
    await untilAvailable(api, 'Passed');
    const headers = {
      'x-remote-user': 'mallory',
      'x-remote-extra-a': 'b',
      authorization: 'Bearer secret',
      'x-kept': '1',
    };
    const answer = await api.server.send('POST', `${ROOT}/things?a=%2F`, { body: '{}', headers, user: alice });

    expect([answer.status, answer.headers['x-own']]).toEqual([418, 'yes']);
    expect([...backend.protocols]).toEqual([protocol === 'h2' ? '2.0' : '1.1']);
    const seen = JSON.parse(await textOf(answer));
    expect(seen).toMatchObject({ method: 'POST', url: `${ROOT}/things?a=%2F` });
    expect(seen.headers).toMatchObject({
      'x-kept': '1',
      'x-remote-user': Buffer.from('älice').toString('latin1'),
      'x-remote-uid': 'u1',
      'x-remote-group': 'system:masters, a',
      'x-remote-extra-x.io%2fk%25': '1, 2',
      'x-forwarded-proto': 'https',
    });
    for (const name of ['authorization', 'x-remote-extra-a', 'connection'])
      expect(seen.headers).not.toHaveProperty(name);
  });

  test.each<[string, object]>([
    ['a group with a line feed behind it', { groups: ['system:masters\n'] }],
    ['a group with a space before it', { groups: ['a', ' system:masters'] }],
    ['a name with a tab behind it', { username: 'ann\t' }],
    ['a name with a NUL in it', { username: 'an\0n' }],
    ['a uid with a space behind it', { uid: 'u1 ' }],
    ['an extra value with a space before it', { extra: { scopes: [' all'] } }],
  ])('nobody is passed on as somebody else: %s', async (_what, odd) => {
    let asked = 0;
    await using backend = await openBackend((_request, response) => {
      asked++;
      response.end();
    }, protocol);
    const authorizer = { authorize: () => ({ allowed: true, reason: '' }) };
    await using api = await openTestApi({ authorizer });
    await register(api, backend);
    await untilAvailable(api, 'Passed');
    const user = { username: 'ann', groups: [], ...odd };
    expect((await api.server.send('GET', `${ROOT}/things`, { user })).status).toBe(400);
    expect(asked).toBe(0);
  });

  test('a stream goes through chunk by chunk, and ends when the client leaves', async () => {
    let isLeft = false;
    let more: (() => void) | undefined;
    await using backend = await openBackend((_request, response) => {
      response.write('one');
      more = () => response.write('two');
      response.on('close', () => {
        isLeft = true;
      });
    }, protocol);
    await using api = await openTestApi();
    await register(api, backend);
    await untilAvailable(api, 'Passed');
    const { body } = await api.server.send('GET', `${ROOT}/things?watch=true`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe('one');
    more?.();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe('two');
    await chunks.return?.();
    await until(async () => expect(isLeft).toBe(true));
  });

  test('a redirect is not passed on, a compressed answer is unfolded, paths cannot climb', async () => {
    await using backend = await openBackend((request, response) => {
      if (request.url?.endsWith('/away')) response.writeHead(302, { location: 'https://evil.example/' }).end();
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain'));
    }, protocol);
    await using api = await openTestApi();
    await register(api, backend);
    await untilAvailable(api, 'Passed');
    const away = await api.server.send('GET', `${ROOT}/away`);
    expect([away.status, away.headers.location]).toEqual([502, undefined]);
    expect(await textOf(away)).toBe('the backend attempted to redirect this request, which is not permitted');
    expect(await textOf(await api.server.send('GET', `${ROOT}/things`))).toBe('plain');
    for (const path of ['/../../secret', '/%2e%2e/x']) {
      expect((await api.server.send('GET', `${ROOT}${path}`)).status).toBe(400);
    }
  });
});

test('the other server is shown the certificate of this one, and must have one for its service', async () => {
  const authority = await createAuthority('front', 1, Date.now());
  const spec = { commonName: 'front-proxy', hosts: [], usage: 'client' as const, days: 1 };
  const proxyCertificate = await issueCertificate(authority, spec, Date.now());
  await using backend = await openBackend((_request, response) => response.end('hello'));
  await using api = await openTestApi({ proxyCertificate });
  await register(api, backend);
  await untilAvailable(api, 'Passed');
  expect(new Set(backend.clients)).toEqual(new Set(['front-proxy']));

  const elsewhere = { type: 'ExternalName', externalName: 'localhost' };
  await api.post('/api/v1/namespaces/default/services', { metadata: { name: 'other' }, spec: elsewhere });
  await api.merge(API_SERVICE, { spec: { service: { name: 'other' } } });
  await untilAvailable(api, 'FailedDiscoveryCheck');
  expect(JSON.stringify((await api.get(API_SERVICE)).body)).toContain('backend.default.svc, not other.default.svc');
  await api.merge(API_SERVICE, { spec: { service: { name: 'backend' } } });
  await untilAvailable(api, 'Passed');

  await api.merge(API_SERVICE, { spec: { caBundle: Buffer.from(authority.certificate).toString('base64') } });
  await untilAvailable(api, 'FailedDiscoveryCheck');
  const refused = await api.server.send('GET', `${ROOT}/things`);
  expect([refused.status, await textOf(refused)]).toEqual([503, 'service unavailable\n']);
});

test('discovery and OpenAPI tell of what the other server has, and that it is stale once that is gone', async () => {
  const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  await using api = await openTestApi();
  const versions = async () => {
    const { body } = await api.get('/apis', { headers: aggregated });
    const items = body.items as { metadata: { name: string }; versions: object[] }[];
    return items.find(({ metadata }) => metadata.name === GROUP)?.versions;
  };
  const resources = [{ resource: 'things', subresources: [{ subresource: 'status' }] }];
  {
    await using backend = await openBackend((_request, response) => response.end());
    await register(api, backend);
    await until(async () => expect(await versions()).toMatchObject([{ freshness: 'Current', resources }]));
    expect((await api.get(`/openapi/v3${ROOT}`)).body).toEqual(OPENAPI);
    expect((await api.get(ROOT)).body).toEqual(RESOURCES);
    const v2 = (await api.get('/openapi/v2')).body as unknown as typeof OPENAPI_V2;
    expect(v2.paths[`/apis/${GROUP}/v1/things`]).toBeDefined();
    expect(JSON.stringify(v2.paths['/api/v1/pods'])).not.toContain('not theirs');
    const thing = v2.definitions['com.example.Thing'];
    expect(thing.properties.metadata.$ref).toBe(`#/definitions/${OBJECT_META}_v2`);
    expect(v2.definitions).toHaveProperty(['com.example.Part']);
    expect(v2.definitions).not.toHaveProperty(['com.example.Unused']);
    expect(v2.definitions[OBJECT_META].description).not.toBe('theirs');
    const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    const proto = await api.server.send('GET', '/openapi/v2', { headers: { accept } });
    expect(Buffer.from(proto.body as Uint8Array).includes('com.example.Thing')).toBe(true);
  }

  await api.server.clock.advance(31_000);
  await untilAvailable(api, 'FailedDiscoveryCheck');
  await until(async () => expect(await versions()).toMatchObject([{ freshness: 'Stale', resources }]));
  await api.delete(API_SERVICE);
  await until(async () => expect(await versions()).toBeUndefined());
  expect(JSON.stringify((await api.get('/openapi/v2')).body)).not.toContain('com.example.Thing');
});

test('a connection that the other server upgrades is handed to it, without the credential of the client', async () => {
  let asked: IncomingMessage | undefined;
  await using backend = await openBackend((_request, response) => response.end());
  backend.server.on('upgrade', (request, socket) => {
    asked = request;
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nwelcome ');
    socket.pipe(socket);
  });
  await using api = await openTestApi({ authenticator: { authenticate: () => ({ user: alice, source: 'test' }) } });
  await register(api, backend);
  await untilAvailable(api, 'Passed');
  await using front = await openFront(api);
  const token = 'base64url.bearer.authorization.k8s.io.c2VjcmV0';
  const headers = { connection: 'upgrade', upgrade: 'echo', 'sec-websocket-protocol': `${token}, plain` };
  const path = `${ROOT}/namespaces/default/things/one/connect`;
  const request = get({ ...front.address, path, headers });
  const [response, socket, head] = (await once(request, 'upgrade')) as [IncomingMessage, Duplex, Buffer];
  expect(response.headers.upgrade).toBe('echo');
  socket.write('hello');
  let text = head.toString();
  while (text !== 'welcome hello') text += String(await once(socket, 'data'));
  socket.destroy();
  expect(asked?.headers).toMatchObject({ upgrade: 'echo', 'sec-websocket-protocol': 'plain', 'x-remote-uid': 'u1' });
});

test('a connection that the other server does not upgrade is not handed to it, whatever its answer claims', async () => {
  let received = '';
  await using backend = await openBackend((_request, response) => response.end());
  backend.server.on('upgrade', (_request, socket: Duplex) => {
    const claims = 'Connection: Upgrade\r\nUpgrade: echo\r\nContent-Length: 2';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', () => {});
    socket.write(`HTTP/1.1 403 Forbidden\r\n${claims}\r\n\r\nno`);
  });
  await using api = await openTestApi({ authenticator: { authenticate: () => ({ user: alice, source: 'test' }) } });
  await register(api, backend);
  await untilAvailable(api, 'Passed');
  await using front = await openFront(api);
  const socket = connectTls({ ...front.address, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  const path = `${ROOT}/namespaces/default/things/one/connect`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
  // As in CVE-2018-1002105: what follows would reach the other server with the rights of this one.
  socket.write(`GET ${ROOT}/secrets HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\n\r\n`);
  let text = '';
  socket.on('error', () => {});
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*\r\n\r\nno$/);
  expect(text).not.toMatch(/\r\nupgrade:/i);
  expect(received).toBe('');
  // Who could not be handed a connection asks for none.
  const plain = await api.server.send('GET', path, { headers: { connection: 'upgrade', upgrade: 'echo' } });
  expect([plain.status, await textOf(plain)]).toEqual([200, '']);
});

test.each(['169.254.169.254', '2852039166'])(
  'a service that leads to the link of the machine, as %s, leads nowhere',
  async (host) => {
    await using backend = await openBackend((_request, response) => response.end('credentials'));
    await using api = await openTestApi({ resolveService: async () => ({ host, port: 80 }) });
    await register(api, backend);
    await untilAvailable(api, 'FailedDiscoveryCheck');
    const { body } = await api.get(API_SERVICE);
    expect(JSON.stringify(body)).toContain('169.254.169.254: the address is not allowed');
  },
);

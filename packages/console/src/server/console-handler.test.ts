import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import { deferred, SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { ConsoleHandler } from './console-handler.ts';

const ADMIN = { username: 'kubernetes-admin', groups: ['system:masters'] };
const TOKENS: Readonly<Record<string, string>> = { 'Bearer good': 'alice' };
const SECRET = 'a'.repeat(43);
const MINUTE_MS = 60_000;

/** Names 127.0.0.1 and localhost; nobody has its key. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUP1nR1Wx8Jc8+Mspe8CJlmpnAGH4wCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGc2VydmVyMCAXDTI2MTExODE0MDkyNloYDzIxMjYxMDI1MTQw
OTI2WjARMQ8wDQYDVQQDDAZzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AATr/ZDZGBqLXTws1dQp24BZh2EZYlK0Wx0t3Qf143hvNm79Iu9JGVLkmKHoaitO
IyM0Micy9AooiUtuBq0fkO2oo28wbTAdBgNVHQ4EFgQUf/pn/XkW8qHQL0UlzlNU
iTHFiycwHwYDVR0jBBgwFoAUf/pn/XkW8qHQL0UlzlNUiTHFiycwDwYDVR0TAQH/
BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAPTPaPAbHboZKx0FNoV6kDYlnMBBpQaS3s8bHetai/juAiEA3nWDozsm
nAUeUe9xrceeeScClX22ILyXUAMVNDQk6/M=
-----END CERTIFICATE-----
`;

/** A console before an API that knows one token and says back what it is asked. */
async function openConsole() {
  const clock = new SteppedClock();
  const asked: ApiRequest[] = [];
  const answer = (request: ApiRequest): ApiResponse => {
    asked.push(request);
    const name = request.peer.user?.username ?? TOKENS[`${request.headers.authorization}`];
    if (name === undefined) return { status: 401, headers: {}, body: new Uint8Array(0) };
    if (request.path.endsWith('selfsubjectreviews')) return json(201, { status: { userInfo: { username: name } } });
    if (request.path.endsWith('accessreviews')) return json(201, { status: { allowed: name === 'root' } });
    return json(200, {});
  };
  const links = [{ secret: SECRET, user: ADMIN, expiresMs: clock.monotonic() + 10 * MINUTE_MS }];
  const options = { answer, clock, version: 'v1', certificate: () => CERTIFICATE, address: '127.0.0.1', links };
  const handler = await ConsoleHandler.open({ ...options, folder: '/nowhere' });
  const send = (
    method: string,
    path: string,
    more: { headers?: object; body?: object; arriving?: ApiRequest['body']; peer?: object } = {},
  ) =>
    handler.handle({
      method,
      path: path.split('?')[0]!,
      query: path.split('?')[1] ?? '',
      headers: {
        host: '127.0.0.1:6443',
        origin: 'https://127.0.0.1:6443',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-dest': 'empty',
        ...more.headers,
      },
      body: more.arriving ?? Buffer.from(more.body === undefined ? '' : JSON.stringify(more.body)),
      signal: new AbortController().signal,
      peer: { address: '127.0.0.1', ...more.peer },
    });
  const logIn = async (login: object = { link: SECRET }): Promise<string> => {
    const { headers } = await send('POST', '/console/session', { body: login });
    return `${headers['set-cookie']}`.split(';')[0]!;
  };
  return { clock, asked, send, logIn };
}

function json(status: number, value: object): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

test('a link logs in once, with a cookie that no script sees', async () => {
  const { send } = await openConsole();
  const first = await send('POST', '/console/session', { body: { link: SECRET } });
  expect(first.status).toBe(201);
  expect(first.headers['set-cookie']).toMatch(
    /^__Host-pintle-6443=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
  expect((await send('POST', '/console/session', { body: { link: SECRET } })).status).toBe(401);
});

test('a link is good for its time, a session for eight hours after its last request', async () => {
  const late = await openConsole();
  await late.clock.advance(10 * MINUTE_MS);
  expect((await late.send('POST', '/console/session', { body: { link: SECRET } })).status).toBe(401);

  const { clock, send, logIn } = await openConsole();
  const cookie = await logIn();
  const ask = async () => (await send('GET', '/console/api/api/v1/pods', { headers: { cookie } })).status;
  await clock.advance(7 * 60 * MINUTE_MS);
  expect(await ask()).toBe(200);
  await clock.advance(7 * 60 * MINUTE_MS);
  expect(await ask()).toBe(200);
  await clock.advance(8 * 60 * MINUTE_MS);
  expect(await ask()).toBe(401);
});

test('the API sees the session’s user, and nothing that a page claims to be', async () => {
  const { asked, send, logIn } = await openConsole();
  const cookie = await logIn();
  const claims = {
    authorization: 'Bearer good',
    'impersonate-user': 'root',
    'x-remote-user': 'root',
    upgrade: 'websocket',
    'user-agent': 'Mozilla',
  };
  await send('GET', '/console/api/api/v1/pods', {
    headers: { cookie, ...claims },
    peer: { certificate: Buffer.from('x') },
  });
  const { headers, peer, canUpgrade } = asked.at(-1)!;
  expect(headers).toEqual({ 'user-agent': 'pintle-console' });
  expect(peer).toEqual({ address: '127.0.0.1', user: ADMIN });
  expect(canUpgrade).toBe(false);
});

test('a pasted token is judged by the server with every request', async () => {
  const { asked, send, logIn } = await openConsole();
  expect((await send('POST', '/console/session', { body: { token: 'bad' } })).status).toBe(401);
  const cookie = await logIn({ token: 'good' });
  await send('GET', '/console/api/api/v1/pods', { headers: { cookie } });
  expect(asked.at(-1)).toMatchObject({ headers: { authorization: 'Bearer good' }, peer: { address: '127.0.0.1' } });
  expect(asked.at(-1)!.peer.user).toBeUndefined();
});

describe('another page cannot', () => {
  const refused = async (status: number, method: string, path: string, headers: object) => {
    const { asked, send, logIn } = await openConsole();
    const cookie = await logIn();
    const before = asked.length;
    expect((await send(method, path, { headers: { cookie, ...headers } })).status).toBe(status);
    expect(asked.length).toBe(before);
  };
  const PODS = '/console/api/api/v1/pods';
  test('send a request from another site', () => refused(403, 'POST', PODS, { 'sec-fetch-site': 'cross-site' }));
  test('send one from another port', () => refused(403, 'GET', PODS, { 'sec-fetch-site': 'same-site' }));
  test('name another origin', () => refused(403, 'POST', PODS, { origin: 'https://127.0.0.1:9' }));
  test('leave the origin out', () => refused(403, 'DELETE', PODS, { origin: undefined }));
  test('open a stream without an origin', () =>
    refused(403, 'POST', '/console/watch/api/v1/pods', { origin: undefined }));
  test('open a shared stream', () => refused(403, 'POST', '/console/watches', { origin: 'https://127.0.0.1:9' }));
  test('change one', () => refused(403, 'POST', '/console/watches/any', { 'sec-fetch-site': 'cross-site' }));
  test('show data as a page', () => refused(403, 'GET', PODS, { 'sec-fetch-dest': 'document' }));
  test('bend a name to this address', () => refused(421, 'GET', PODS, { host: 'evil.example:6443' }));
  test('get what a pod serves', () => refused(403, 'GET', '/console/api/api/v1/namespaces/a/pods/b/proxy/', {}));
  test('hide that it asks for it', () => refused(403, 'GET', '/console/api/api/v1/namespaces/a/pods/b/%70roxy', {}));
  test('make a link', () => refused(403, 'POST', '/console/link', {}));
});

test('values of Secrets are shown one at a time, when asked for, and the server is told', async () => {
  const { asked, send, logIn } = await openConsole();
  const cookie = await logIn();
  const get = async (path: string, headers: object = {}) =>
    (await send('GET', `/console/api/api/v1/${path}`, { headers: { cookie, accept: 'application/json', ...headers } }))
      .status;
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  expect(await get('secrets')).toBe(403);
  expect(await get('secrets', { 'x-pintle-reveal': '1' })).toBe(403);
  expect(await get('secrets', table)).toBe(200);
  expect(await get('secrets?includeObject=Object', table)).toBe(403);
  expect(await get('secrets?include%4fbject=Object', table)).toBe(403);
  for (const path of ['namespaces//secrets', 'namespaces/a/%73ecrets', 'namespaces/a/secrets//', 'watch/secrets'])
    expect([path, await get(path)]).toEqual([path, 403]);
  expect(await get('namespaces//secrets/b', { 'x-pintle-reveal': '1' })).toBe(403);
  expect(await get('namespaces/a/secrets/b')).toBe(403);
  expect(await get('namespaces/a/secrets/b', { 'x-pintle-reveal': '1' })).toBe(200);
  expect(asked.at(-1)!.headers['user-agent']).toBe('pintle-console (reveal)');
});

test('the response to the deletion of a Secret, which may be the Secret, has no values', async () => {
  const { asked, send, logIn } = await openConsole();
  const headers = { cookie: await logIn(), accept: 'application/json' };
  const remove = async (path: string) => await send('DELETE', `/console/api/api/v1/namespaces/a/${path}`, { headers });
  expect((await remove('secrets/b?dryRun=All&propagationPolicy=Foreground')).status).toBe(200);
  expect(asked.at(-1)!.headers.accept).toBe('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  expect((await remove('%73ecrets/b')).status).toBe(200);
  expect(asked.at(-1)!.headers.accept).toBe('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  expect((await remove('configmaps/b')).status).toBe(200);
  expect(asked.at(-1)!.headers.accept).toBe('application/json');
  expect((await remove('secrets')).status).toBe(403);
});

test('a user who logs in again and again ends sessions of their own only', async () => {
  const { send, logIn } = await openConsole();
  const admin = await logIn();
  const first = await logIn({ token: 'good' });
  for (let i = 0; i < 300; i++) await logIn({ token: 'good' });
  const status = async (cookie: string) => (await send('GET', '/console/api/version', { headers: { cookie } })).status;
  expect([await status(admin), await status(first)]).toEqual([200, 401]);
});

test('logins that never arrive hold a megabyte, and keep nobody out', async () => {
  const { send } = await openConsole();
  let answered = 0;
  const slow = async function* () {
    yield Buffer.alloc(15_000, ' ');
    await new Promise(() => {});
  };
  for (let i = 0; i < 1_000; i++) {
    void send('POST', '/console/session', { arriving: slow() }).then(({ status, headers }) => {
      expect([status, headers.connection]).toEqual([429, 'close']);
      answered++;
    });
  }
  await expect.poll(() => answered).toBeGreaterThan(900);
  const whole = async function* () {
    yield Buffer.from('{"token":');
    yield Buffer.from('"good"}');
  };
  expect((await send('POST', '/console/session', { arriving: whole() })).status).toBe(201);
});

test('changes that one user sends slowly are bounded, and hinder no other user', async () => {
  const { send, logIn } = await openConsole();
  const [admin, cookie] = [await logIn(), await logIn({ token: 'good' })];
  const { body } = await send('POST', '/console/watches', { headers: { cookie: admin } });
  const frames = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const { stream } = JSON.parse(Buffer.from((await frames.next()).value).toString());
  const own = await send('POST', '/console/watches', { headers: { cookie } });
  const ownFrames = (own.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const { stream: ownStream } = JSON.parse(Buffer.from((await ownFrames.next()).value).toString());
  let refused = 0;
  const slow = async function* () {
    yield Buffer.alloc(1_000_000, ' ');
    await new Promise(() => {});
  };
  const half = deferred();
  const change = async function* () {
    yield Buffer.from('{"open":[],');
    await half.promise;
    yield Buffer.from('"close":[]}');
  };
  const other = send('POST', `/console/watches/${stream}`, { headers: { cookie: admin }, arriving: change() });
  for (let i = 0; i < 100; i++) {
    void send('POST', `/console/watches/${ownStream}`, { headers: { cookie }, arriving: slow() }).then(() => refused++);
  }
  await expect.poll(() => refused).toBeGreaterThan(80);
  half.resolve();
  expect((await other).status).toBe(200);
});

test('links are made for whoever may, from the command line only', async () => {
  const { send } = await openConsole();
  const cli = { origin: undefined, 'sec-fetch-site': undefined, 'sec-fetch-dest': undefined };
  expect((await send('POST', '/console/link', { headers: cli })).status).toBe(401);
  expect((await send('POST', '/console/link', { headers: { ...cli, authorization: 'Bearer good' } })).status).toBe(403);
  const peer = { user: { username: 'root', groups: [] } };
  const { status, body } = await send('POST', '/console/link', { headers: cli, peer });
  expect(status).toBe(201);
  const { path } = JSON.parse(Buffer.from(body as Uint8Array).toString());
  expect((await send('POST', '/console/session', { body: { link: path.split('link=')[1] } })).status).toBe(201);
});

test('a shared stream is of its own session, and each of its watches is judged as one alone', async () => {
  const { asked, send, logIn } = await openConsole();
  const [cookie, other] = [await logIn(), await logIn({ token: 'good' })];
  const { status, body } = await send('POST', '/console/watches', { headers: { cookie } });
  expect(status).toBe(200);
  const frames = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const next = async () => JSON.parse(Buffer.from((await frames.next()).value).toString());
  const { stream } = await next();
  const watch = (id: number, path: string) => ({ id, path, query: '', accept: 'application/json' });
  const change = (by: string | undefined, ...open: object[]) =>
    send('POST', `/console/watches/${stream}`, { headers: { cookie: by }, body: { open, close: [] } });
  expect((await change(undefined, watch(1, '/api/v1/pods'))).status).toBe(401);
  expect((await change(other, watch(1, '/api/v1/pods'))).status).toBe(404);
  const before = asked.length;
  expect((await change(cookie, { ...watch(1, '/api/v1/pods'), accept: 'a\r\nb: c' })).status).toBe(400);
  expect(asked.length).toBe(before);

  expect((await change(cookie, watch(2, '/api/v1/secrets'))).status).toBe(200);
  expect(await next()).toEqual({ id: 2, status: 403 });
  expect((await next()).bytes).toBeGreaterThan(0);
  expect((await next()).message).toContain('values of Secrets');
  expect(await next()).toEqual({ id: 2, isOver: true });
  expect(asked.length).toBe(before);

  await change(cookie, watch(3, '/api/v1/pods'));
  expect(await next()).toEqual({ id: 3, status: 200 });
  expect(asked.at(-1)).toMatchObject({ method: 'GET', path: '/api/v1/pods', query: 'watch=1' });
  expect(asked.at(-1)!.headers).toEqual({ accept: 'application/json', 'user-agent': 'pintle-console' });
  expect(asked.at(-1)!.peer).toEqual({ address: '127.0.0.1', user: ADMIN });
  await send('DELETE', '/console/session', { headers: { cookie } });
  while (!(await frames.next()).done);
});

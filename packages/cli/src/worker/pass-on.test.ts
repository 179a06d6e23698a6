import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, type ApiResponse, HttpsListener, type Peer } from '@pintle/apiserver';
import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import { CONNECTION_HEADER, encodePeer, PEER_HEADER, withForwardedPeer } from '../workers/peer-header.ts';
import { isForMain, PassedRequests } from './pass-on.ts';

test.each([
  ['/metrics', true],
  ['/metrics/slis', false],
  ['/console', true],
  ['/console/static/page.js', true],
  ['/consoles', false],
  ['/pintle/backup', true],
  ['/api/v1/namespaces/a/pods/b/log', true],
  ['/api/v1/namespaces/a/pods/b/exec', true],
  ['/api/v1/namespaces/a/pods/b/%65xec', true],
  ['/api/v1/namespaces/a/pods/b/portforward', true],
  ['/api/v1/namespaces/a/services/b/proxy/some/path', true],
  ['/api/v1/nodes/a/proxy/metrics', true],
  ['/api/v1/proxy/nodes/a', true],
  ['/api/v1/namespaces/log/pods/log', false],
  ['/api/v1/namespaces/a/configmaps/log', false],
  ['/apis/example.com/v1/namespaces/a/pods/b/log', false],
  ['/api/v1/namespaces/a/pods/b', false],
  ['/metrics%', false],
])('%s is for the main process: %s', (path, expected) => {
  expect(isForMain({ method: 'GET', path })).toBe(expected);
});

const peer: Peer = { address: '203.0.113.9', reachedAt: '127.0.0.1:6443', certificate: Buffer.from([1, 2, 255]) };

/** A client without a certificate. */
const UNKNOWN: Peer = { address: '203.0.113.9' };

function requestOf(change: Partial<ApiRequest> = {}): ApiRequest {
  const { signal } = new AbortController();
  return {
    method: 'POST',
    path: '/metrics',
    query: 'a=1',
    headers: { host: 'server', accept: ['a', 'b'] },
    body: Buffer.from('body'),
    signal,
    peer,
    ...change,
  };
}

async function passed(request: ApiRequest, answer: (request: ApiRequest) => object = () => ({})) {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  const path = join(folder, 'main');
  let seen: ApiRequest | undefined;
  let body = '';
  await using _listener = await HttpsListener.listenPrivately({
    path,
    handle: async (received) => {
      seen = withForwardedPeer(received);
      for await (const chunk of received.body instanceof Uint8Array ? [received.body] : received.body)
        body += Buffer.from(chunk).toString();
      return { status: 200, headers: { 'x-answer': 'yes' }, body: Buffer.from('answer'), ...answer(seen) };
    },
  });
  try {
    const response = await new PassedRequests(path).passOn(request);
    let text = '';
    for await (const chunk of response.body instanceof Uint8Array ? [response.body] : response.body)
      text += Buffer.from(chunk).toString();
    return { response, text, seen: seen!, body };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a request arrives as it came, with its client, and the answer comes back', async () => {
  const { response, text, seen, body } = await passed(requestOf());
  expect(seen).toMatchObject({ method: 'POST', path: '/metrics', query: 'a=1', peer });
  expect([seen.headers.host, body]).toEqual(['server', 'body']);
  expect([response.status, response.headers['x-answer'], text]).toEqual([200, 'yes', 'answer']);
  expect(response.headers.connection).toBeUndefined();
});

test('a client cannot name another one', async () => {
  const forged = encodePeer({ address: '198.51.100.1' });
  const { seen } = await passed(requestOf({ headers: { host: 'a', [PEER_HEADER]: forged } }));
  expect(seen.peer).toEqual(peer);
  expect(seen.headers[PEER_HEADER]).toBeUndefined();
});

test('headers of the connection are not passed on', async () => {
  const headers = { host: 'a', connection: 'keep-alive', te: 'trailers', expect: '100-continue' };
  const { seen } = await passed(requestOf({ headers }));
  for (const name of ['te', 'expect']) expect(seen.headers[name]).toBeUndefined();
});

test('a client cannot remove the headers in which a proxy names its user', async () => {
  const identity = { 'impersonate-user': 'ann', 'x-remote-user': 'ann', 'x-remote-group': ['a', 'b'] };
  const connection = 'close, Impersonate-User, X-Remote-User, x-remote-group';
  const { seen } = await passed(requestOf({ headers: { host: 'a', connection, ...identity } }));
  expect(seen.headers).toMatchObject(identity);
});

test('a body that was not read is not announced', async () => {
  const headers = { host: 'a', 'content-length': '10' };
  const { seen, text } = await passed(requestOf({ method: 'GET', headers, body: new Uint8Array() }));
  expect([seen.headers['content-length'], text]).toEqual([undefined, 'answer']);
});

test('what shall become of the connection of the client is told', async () => {
  const { response } = await passed(requestOf(), () => ({ headers: { [CONNECTION_HEADER]: 'close' } }));
  expect(response.headers.connection).toBe('close');
  expect(response.headers[CONNECTION_HEADER]).toBeUndefined();
});

test('without the main process, a request is answered with 503', async () => {
  const response = await new PassedRequests('/nowhere/at/all').passOn(requestOf());
  expect(response.status).toBe(503);
});

test('a request without its client is refused', async () => {
  expect(() => withForwardedPeer(requestOf())).toThrow('its client is not named');
});

/** Responses of a megabyte that nobody takes, to `count` requests that come together. */
async function untaken(
  count: number,
  headers: Record<string, string>,
  use: (taken: (at: number) => Promise<number>) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  const path = join(folder, 'main');
  await using _listener = await HttpsListener.listenPrivately({
    path,
    handle: async () => ({ status: 200, headers: { ...headers }, body: Buffer.alloc(1024 * 1024) }),
  });
  try {
    const passed = new PassedRequests(path);
    const responses: ApiResponse[] = [];
    for (let index = 0; index < count; index++) responses.push(await passed.passOn(requestOf()));
    await use(async (at) => {
      let length = 0;
      for await (const chunk of responses[at]!.body as AsyncIterable<Uint8Array>) length += chunk.length;
      return length;
    });
    for (const { body } of responses) (body as unknown as { destroy(): void }).destroy();
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('clients that the main process does not know cannot hold any number of responses', () =>
  untaken(520, { [CONNECTION_HEADER]: 'keep-alive' }, async (taken) => {
    for (const at of [0, 7]) await expect(taken(at)).rejects.toThrow();
    for (const at of [8, 519]) expect(await taken(at)).toBe(1024 * 1024);
  }));

test('responses to clients that it knows stay', () =>
  untaken(520, {}, async (taken) => {
    for (const at of [0, 519]) expect(await taken(at)).toBe(1024 * 1024);
  }));

test('no number of requests without a credential waits for its turn', async () => {
  const passed = new PassedRequests('/nowhere/at/all');
  const all = Array.from({ length: 1_100 }, () => passed.passOn(requestOf({ peer: UNKNOWN })));
  const user = passed.passOn(requestOf({ headers: { authorization: 'Bearer a' } }));
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1_100 - 1_024);
  expect([(await user).status, (await passed.passOn(requestOf({ peer: UNKNOWN }))).status]).toEqual([503, 503]);
});

test('requests that wait for an answer are not ended by any number of those without a credential', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  const path = join(folder, 'main');
  const gate = deferred();
  await using _listener = await HttpsListener.listenPrivately({
    path,
    handle: async ({ headers }) => {
      if (headers.authorization !== undefined) await gate.promise;
      return { status: 200, headers: { [CONNECTION_HEADER]: 'keep-alive' }, body: Buffer.alloc(1024 * 1024) };
    },
  });
  const passed = new PassedRequests(path);
  const waiting = passed.passOn(requestOf({ headers: { host: 'a', authorization: 'Bearer a' } }));
  const others: ApiResponse[] = [];
  for (let index = 0; index < 520; index++) others.push(await passed.passOn(requestOf({ peer: UNKNOWN })));
  gate.resolve();
  expect((await waiting).status).toBe(200);
  for (const { body } of [...others, await waiting]) (body as unknown as { destroy(): void }).destroy();
  await rm(folder, { recursive: true });
});

test('requests of one client that come together do not hold up those of others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  const path = join(folder, 'main');
  const order: string[] = [];
  await using _listener = await HttpsListener.listenPrivately({
    path,
    handle: async ({ headers }) => {
      order.push(String(headers.authorization ?? ''));
      return { status: 200, headers: {}, body: new Uint8Array() };
    },
  });
  const passed = new PassedRequests(path);
  const many = Array.from({ length: 200 }, () => passed.passOn(requestOf()));
  const other = passed.passOn(requestOf({ headers: { host: 'a', authorization: 'Bearer a' } }));
  await Promise.all([...many, other]);
  expect(order.indexOf('Bearer a')).toBeLessThan(40);
  await rm(folder, { recursive: true });
});

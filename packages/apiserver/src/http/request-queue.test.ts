import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { deferred } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { ListenOptions } from './http-listener.ts';
import { HttpsListener } from './https-listener.ts';
import { readBody } from './read-body.ts';

type Handle = ListenOptions['handle'];

let authority: KeyPair;
let serverPair: KeyPair;
let client: KeyPair;
const sockets: TLSSocket[] = [];

beforeAll(async () => {
  const now = Date.now();
  authority = await createAuthority('test', 1, now);
  serverPair = await issueCertificate(
    authority,
    { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
    now,
  );
  client = await issueCertificate(authority, { commonName: 'jane', usage: 'client', days: 1 }, now);
});

/** Counts the requests that Node has parsed and not answered yet, on all connections. */
const held = new Set<IncomingMessage>();
const parsed = channel('http.server.request.start');
const answered = channel('http.server.response.finish');
const onParsed = (message: unknown): void => {
  const { request } = message as { request: IncomingMessage };
  request.socket.setMaxListeners(0);
  request.socket.once('close', () => held.delete(request));
  held.add(request);
};
const onAnswered = (message: unknown): void => {
  held.delete((message as { request: IncomingMessage }).request);
};

beforeEach(() => {
  parsed.subscribe(onParsed);
  answered.subscribe(onAnswered);
});

afterEach(() => {
  parsed.unsubscribe(onParsed);
  answered.unsubscribe(onAnswered);
  for (const socket of sockets.splice(0)) socket.destroy();
  held.clear();
});

function listen(handle: Handle): Promise<HttpsListener> {
  return HttpsListener.listen({ handle, ...serverPair, clientCa: authority.certificate });
}

async function open(port: number, options: { readonly isKnown?: boolean } = {}): Promise<TLSSocket> {
  const tcp = connectTcp({ port, host: '127.0.0.1' });
  await once(tcp, 'connect');
  const socket = connectTls({
    socket: tcp,
    ca: authority.certificate,
    checkServerIdentity: () => undefined,
    ALPNProtocols: ['http/1.1'],
    ...(options.isKnown && { cert: client.certificate, key: client.privateKey }),
  });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Until nothing more is parsed for many turns. */
async function quiet(): Promise<void> {
  for (let turns = 0, before = -1; turns < 300; turns++) {
    await new Promise(setImmediate);
    if (held.size !== before) turns = 0;
    before = held.size;
  }
}

function heldBytes(): number {
  return [...held].reduce((sum, { rawHeaders }) => sum + rawHeaders.reduce((bytes, text) => bytes + text.length, 0), 0);
}

const large = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(60_000)}\r\n\r\n`;
const small = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost:x\r\n\r\n`;
const never = new Promise<ApiResponse>(() => {});

/** Sends without waiting for the server to take it. */
function flood(socket: TLSSocket, request: string, count: number): void {
  const bytes = Buffer.from(request);
  for (let i = 0; i < count; i++) socket.write(bytes);
}

describe('requests that are sent before the answer to the last one', () => {
  test.each([
    ['without an answer', () => never],
    ['behind a watch', watch],
  ])('wait by the handful, not by the thousand: %s', async (_what, handle) => {
    await using listener = await listen(handle);
    for (const isKnown of [false, true]) {
      const socket = await open(listener.port, { isKnown });
      flood(socket, large(), 100);
      await quiet();
      expect(held.size).toBeLessThanOrEqual(4);
      held.clear();
    }
    await listener.close({ graceMs: 0 });
  });

  test('wait when the client takes no answers', async () => {
    await using listener = await listen(() => textResponse(200, 'x'.repeat(7_000)));
    const socket = await open(listener.port);
    // Answers that fit into what the system keeps for a client leave.
    socket.pause();
    let most = 0;
    for (let round = 0; round < 40; round++) {
      flood(socket, large(), 25);
      await quiet();
      most = Math.max(most, held.size);
    }
    expect(most).toBeLessThanOrEqual(4);
    await listener.close({ graceMs: 0 });
  });

  test('are few in one read, too, once a connection has sent some before their time', async () => {
    await using listener = await listen(() => never);
    const socket = await open(listener.port);
    socket.write(small() + small());
    await vi.waitFor(() => expect(held.size).toBe(2));
    socket.write(small().repeat(10_000));
    await quiet();
    expect(held.size).toBeLessThanOrEqual(10);
    await listener.close({ graceMs: 0 });
  });

  test('take a bounded part of memory over all connections', async () => {
    await using listener = await listen(() => never);
    const connections = await Promise.all(Array.from({ length: 100 }, () => open(listener.port)));
    for (const socket of connections) flood(socket, large(), 20);
    await quiet();
    expect(held.size).toBeGreaterThanOrEqual(100);
    // One request of each is being answered; the others share 16 MB.
    expect(heldBytes()).toBeLessThan(100 * 60_100 + 17 * 1024 * 1024);
    await listener.close({ graceMs: 0 });
  });

  test.each([
    ['small ones', small()],
    ['with a body', `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde`],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['that expect a miracle', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: miracle\r\n\r\n'],
    ['that Node answers itself', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n'],
  ])('by strangers on many connections are cut where no room is left: %s', async (_what, request) => {
    await using listener = await listen(() => never);
    const connections = await Promise.all(Array.from({ length: 30 }, () => open(listener.port)));
    for (const socket of connections) socket.write(small() + request.repeat(1_000));
    await quiet();
    // 16 MB of at least 4 KB each, and the first read of the connection that is cut.
    expect(held.size).toBeLessThan(4_096 + 700 + 30 * 10);
    // Others go on meanwhile.
    const known = await open(listener.port, { isKnown: true });
    const before = held.size;
    known.write(small().repeat(5));
    await vi.waitFor(() => expect(held.size).toBe(before + 5));
    await listener.close({ graceMs: 0 });
  });

  test('are all answered in order when their client takes the answers, however many there are', async () => {
    let running = 0;
    let most = 0;
    await using listener = await listen(async (request) => {
      most = Math.max(most, ++running);
      const body = await readBody(request);
      running--;
      return textResponse(
        200,
        `[${request.path} ${body.length}]${'x'.repeat(request.path.endsWith('7') ? 20_000 : 10)}`,
      );
    });
    const socket = await open(listener.port);
    const expected: string[] = [];
    let requests = '';
    for (let i = 0; i < 2_000; i++) {
      const bodyBytes = i % 10 === 3 ? i * 20 : 0;
      expected.push(`[/${i} ${bodyBytes}]`);
      requests +=
        bodyBytes === 0
          ? small(`/${i}`)
          : `POST /${i} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n\r\n${'y\r\n\r\n'.repeat(bodyBytes / 5)}`;
    }
    socket.write(`${requests}GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    expect(
      Buffer.concat(chunks)
        .toString()
        .match(/\[.*?\]/g),
    ).toEqual([...expected, '[/last 0]']);
    expect(most).toBe(1);
  });

  test('end with an upgrade, which gets what follows it', async () => {
    const first = deferred<ApiResponse>();
    await using listener = await listen(({ path }) => (path === '/first' ? first.promise : textResponse(200, path)));
    const socket = await open(listener.port);
    socket.write(`${small('/first')}${small('/second')}`);
    await vi.waitFor(() => expect(held.size).toBe(2));
    socket.write(`GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n${small('/never')}`);
    first.resolve(textResponse(200, '/first'));
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text.match(/\/(first|second|up|never)/g)).toEqual(['/first', '/second', '/up']);
  });

  test('do not reach the connection that uses the parser next', async () => {
    const served: string[] = [];
    const first = deferred<ApiResponse>();
    await using listener = await listen(({ path, peer }) => {
      if (peer.certificate !== undefined) served.push(path);
      return path === '/a' ? first.promise : textResponse(200, path);
    });
    const socket = await open(listener.port);
    socket.write(small('/a') + small('/b'));
    await vi.waitFor(() => expect(held.size).toBe(2));
    socket.write(small('/smuggled').repeat(100));
    await quiet();
    // Not noticed while nothing is read from it; writing to it is.
    socket.destroy();
    const others = await Promise.all(Array.from({ length: 5 }, () => open(listener.port, { isKnown: true })));
    first.resolve(textResponse(200, '/a'));
    for (const other of others) {
      other.write(small('/other'));
      await once(other, 'data');
    }
    await quiet();
    expect(new Set(served)).toEqual(new Set(['/other']));
  });
});

function watch(): ApiResponse {
  async function* events(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{}\n');
    await never;
  }
  return { status: 200, headers: {}, body: events() };
}

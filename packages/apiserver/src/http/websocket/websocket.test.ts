import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { deferred } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { beforeAll, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../request/exchange.ts';
import { headerOf, textResponse } from '../../request/exchange.ts';
import { HttpsListener } from '../https-listener.ts';

const OPCODES = { text: 0x1, close: 0x8, ping: 0x9 } as const;

let pair: KeyPair;

beforeAll(async () => {
  const authority = await createAuthority('test', 1, Date.now());
  pair = await issueCertificate(
    authority,
    { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
    Date.now(),
  );
});

interface Connection {
  readonly head: string;
  readonly socket: TLSSocket;
  /** The next frame as `opcode:payload`. */
  next(): Promise<string>;
}

const listen = (handle: (request: ApiRequest) => Promise<ApiResponse>) => HttpsListener.listen({ handle, ...pair });

async function open(
  port: number,
  headers: Record<string, string> = {},
  path = '/api/v1/pods?watch=true',
  behind: Uint8Array = new Uint8Array(0),
): Promise<Connection> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: pair.certificate,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const all = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(Buffer.concat([Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), behind]));
  let bytes: Buffer = Buffer.alloc(0);
  const chunks = socket.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  const more = async (): Promise<void> => {
    const { value, done } = await chunks.next();
    if (done) throw new Error('The connection ended');
    bytes = Buffer.concat([bytes, value]);
  };
  while (!bytes.includes('\r\n\r\n')) await more();
  const end = bytes.indexOf('\r\n\r\n') + 4;
  const head = bytes.subarray(0, end).toString();
  bytes = bytes.subarray(end);
  const next = async (): Promise<string> => {
    while (bytes.length < 2 || bytes.length < 2 + (bytes[1]! & 0x7f)) await more();
    const length = bytes[1]! & 0x7f;
    const frame = `${bytes[0]! & 0x0f}:${bytes.subarray(2, 2 + length).toString('latin1')}`;
    bytes = bytes.subarray(2 + length);
    return frame;
  };
  return { head, socket, next };
}

/** A frame as a client sends it. */
function masked(opcode: number, payload: string): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const bytes = Buffer.from(payload, 'latin1').map((byte, i) => byte ^ mask[i & 3]!);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length]), mask, bytes]);
}

function watchOf(...chunks: string[]): ApiResponse {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: body() };
}

/** A watch that lasts until its request is aborted. */
function lasting({ signal }: ApiRequest): ApiResponse {
  async function* body() {
    yield Buffer.from('{"type":"ADDED"}\n');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: body() };
}

test('each event is a text frame, however the chunks fall', async () => {
  await using listener = await listen(async () => watchOf('{"a":1}\n{"b"', ':2}\n', '{"c":3}\n'));
  const { head, next } = await open(listener.port);
  expect(head).toContain('101 Switching Protocols');
  expect(head).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  expect(await next()).toBe('1:{"a":1}\n');
  expect(await next()).toBe('1:{"b":2}\n');
  expect(await next()).toBe('1:{"c":3}\n');
  expect(await next()).toBe('8:\u0003\u00e8');
});

test('each event of protobuf is a binary frame, which needs no length of its own', async () => {
  async function* body() {
    yield Buffer.from('\0\0\0\u0003abc');
    yield Buffer.from('\0\0\0\u0001d');
  }
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
  await using listener = await listen(async () => ({ status: 200, headers, body: body() }));
  const { next } = await open(listener.port);
  expect([await next(), await next()]).toEqual(['2:abc', '2:d']);
});

test('a ping is answered, a close ends the watch', async () => {
  const ended = deferred();
  await using listener = await listen(async (request) => {
    request.signal.addEventListener('abort', () => ended.resolve());
    return lasting(request);
  });
  const { socket, next } = await open(listener.port);
  expect(await next()).toBe('1:{"type":"ADDED"}\n');
  socket.write(masked(OPCODES.ping, 'hello'));
  expect(await next()).toBe('10:hello');
  socket.write(masked(OPCODES.text, 'ignored'));
  socket.write(masked(OPCODES.close, '\u0003\u00e8'));
  expect(await next()).toBe('8:\u0003\u00e8');
  await ended.promise;
});

test('frames that come in one packet with the handshake are read', async () => {
  const ended = deferred();
  await using listener = await listen(async (request) => {
    request.signal.addEventListener('abort', () => ended.resolve());
    return lasting(request);
  });
  const path = '/api/v1/pods?watch=true';
  const frames = Buffer.concat([masked(OPCODES.ping, 'hello'), masked(OPCODES.close, '')]);
  const { next } = await open(listener.port, {}, path, frames);
  const seen = [await next(), await next()];
  expect(seen).toContain('10:hello');
  await ended.promise;
});

test.each([
  ['is not masked', Buffer.from('8100', 'hex'), '8:\u0003\u00ea'],
  ['has a reserved bit', Buffer.from('f18000000000', 'hex'), '8:\u0003\u00ea'],
  ['is of an unknown kind', Buffer.from('838000000000', 'hex'), '8:\u0003\u00ea'],
  ['is too long', Buffer.from('81ff00000000ffffffff', 'hex'), '8:\u0003\u00f1'],
  ['is a long ping', Buffer.from('89fe0100', 'hex'), '8:\u0003\u00ea'],
])('a frame that %s ends the connection', async (_what, bytes, close) => {
  await using listener = await listen(async (request) => lasting(request));
  const { socket, next } = await open(listener.port);
  await next();
  socket.write(bytes);
  expect(await next()).toBe(close);
});

test('a token sent as a protocol becomes a header and is not sent back', async () => {
  let seen: string | undefined;
  await using listener = await listen(async (request) => {
    seen = headerOf(request, 'authorization');
    return watchOf('{}\n');
  });
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;
  const { head } = await open(listener.port, { 'Sec-WebSocket-Protocol': `${token}, v4.channel.k8s.io` });
  expect(seen).toBe('Bearer secret');
  expect(head).toContain('Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n');
  expect((await open(listener.port, { 'Sec-WebSocket-Protocol': token })).head).toContain(' 400 ');
});

test('a handshake that is wrong, or a request that is refused, is answered plainly', async () => {
  await using listener = await listen(async () => textResponse(403, 'no'));
  expect((await open(listener.port)).head).toContain(' 403 ');
  expect((await open(listener.port, { 'Sec-WebSocket-Version': '8' })).head).toContain(' 400 ');
  expect((await open(listener.port, { 'Sec-WebSocket-Key': '' })).head).toContain(' 400 ');
  expect((await open(listener.port, {}, '/api/v1/pods')).head).toContain(' 403 ');
});

test('a handshake that ws refuses ends the watch that was begun for it', async () => {
  const ended = deferred();
  const leave = async () => {
    ended.resolve();
    return { done: true, value: undefined } as const;
  };
  const body = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: leave }) };
  const headers = { 'content-type': 'application/json' };
  await using listener = await listen(async () => ({ status: 200, headers, body }));
  expect((await open(listener.port, { 'Sec-WebSocket-Protocol': 'a, a' })).head).toContain(' 400 ');
  await ended.promise;
});

test('pings are not answered without end to a client that takes no answers', async () => {
  await using listener = await listen(async (request) => lasting(request));
  const { socket, next } = await open(listener.port);
  await next();
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => masked(OPCODES.ping, 'x'.repeat(100))));
  socket.pause();
  for (let i = 0; i < 300; i++) {
    socket.write(pings);
    await new Promise(setImmediate);
  }
  socket.write(masked(OPCODES.close, ''));
  let answers = 0;
  for (let frame = await next(); !frame.startsWith('8:'); frame = await next()) answers++;
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThan(300_000);
});

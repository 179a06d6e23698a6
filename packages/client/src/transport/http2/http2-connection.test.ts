import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream, Settings } from 'node:http2';
import { createServer } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { realClock } from '@pintle/async';
import { expect, onTestFinished, test } from 'vitest';
import { plainSocket } from '../dialed-socket.ts';
import { flow, readAll, type TransportRequest, type TransportResponse } from '../transport.ts';
import { Http2Connection } from './http2-connection.ts';
import { requestFieldsOf } from './request-fields.ts';

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A connection to a server of Node's. */
async function open(answer: Answer, settings: Settings = {}) {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer({ settings, maxSessionMemory: 100 }).listen(0, '127.0.0.1');
  server.on('session', (session) => sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answer(stream, headers);
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const closed: unknown[] = [];
  const url = new URL(`http://127.0.0.1:${port}`);
  const onClose = (connection: Http2Connection): void => void closed.push(connection);
  const connection = new Http2Connection({ server: url, dialed: plainSocket(socket), clock: realClock, onClose });
  connection.open();
  onTestFinished(() => {
    connection.close();
    server.close();
  });
  const send = (request: Partial<TransportRequest> = {}): Promise<TransportResponse> => {
    const whole = { method: 'GET', path: '/', ...request };
    return connection.send(whole, requestFieldsOf(whole, whole.path, url));
  };
  return { connection, socket, send, sessions, closed, url };
}

const textOf = async (response: TransportResponse) => Buffer.from(await readAll(response)).toString('latin1');
const echo: Answer = (stream, headers) => {
  stream.respond({ 'x-path': headers[':path'], 'x-method': headers[':method'] });
  stream.pipe(stream);
};

test('requests and answers are what they are, many at a time', async () => {
  const { send, sessions } = await open(echo);
  const all = Array.from({ length: 90 }, async (_, index) => {
    const body = Buffer.from('x'.repeat(index * 997));
    const response = await send({ method: 'POST', path: `/${index}?a=b`, body });
    expect(response.headers).toMatchObject({ 'x-path': `/${index}?a=b`, 'x-method': 'POST' });
    expect(await textOf(response)).toBe(body.toString());
  });
  await Promise.all(all);
  expect(sessions).toHaveLength(1);
});

test('a short answer is given whole', async () => {
  const { send } = await open((stream) => {
    stream.respond({ 'set-cookie': ['a', 'b'], warning: 'c', 'x-d': ['e', 'f'], 'x-g': '\u00c3\u00a0' });
    stream.end('short');
  });
  const { status, headers, body } = await send();
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'set-cookie': ['a', 'b'], warning: ['c'], 'x-d': 'e, f', 'x-g': '\u00c3\u00a0' });
  expect(body).toEqual(Buffer.from('short'));
});

test('headers of any length go both ways', async () => {
  const long = 'x'.repeat(40_000);
  const { send } = await open((stream, headers) =>
    stream.respond({ 'x-long': headers['x-long'] }, { endStream: true }),
  );
  expect((await send({ headers: { 'x-long': long } })).headers['x-long']).toBe(long);
});

test('a server sees what was said', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const { send, url } = await open((stream, headers) => {
    seen.push(headers);
    stream.respond({}, { endStream: true });
  });
  await send({ method: 'PATCH', headers: { accept: 'a', 'X-B': ['1', '2'] }, body: Buffer.from('{}') });
  await send({ method: 'PUT', body: new Uint8Array(0), headers: { host: 'other' } });
  await send({ method: 'DELETE' });
  expect(seen).toMatchObject([
    {
      ':method': 'PATCH',
      ':authority': url.host,
      ':scheme': 'http',
      accept: 'a',
      'x-b': '1, 2',
      'content-length': '2',
    },
    { ':method': 'PUT', ':authority': 'other', 'content-length': '0' },
    { ':method': 'DELETE' },
  ]);
  expect(seen[2]!['content-length']).toBe(undefined);
});

test('interim answers, trailers and answers without a body are taken as that', async () => {
  const { send } = await open((stream, headers) => {
    const path = headers[':path'];
    stream.additionalHeaders({ ':status': 103 });
    if (path === '/trailers') {
      stream.respond({}, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-after': 'a' }));
      stream.end('body');
    } else stream.respond({ ':status': path === '/none' ? 204 : 200, 'content-length': 0 }, { endStream: true });
  });
  expect(await textOf(await send({ path: '/trailers' }))).toBe('body');
  expect(await send({ path: '/none' })).toMatchObject({ status: 204, body: Buffer.alloc(0) });
});

test('the answer to HEAD says how long a body would be', async () => {
  const { send } = await open((stream) => stream.respond({ 'content-length': 1_000 }, { endStream: true }));
  expect(await send({ method: 'HEAD' })).toMatchObject({ status: 200, headers: { 'content-length': '1000' } });
});

test('a long body flows in large pieces that are lent', async () => {
  const long = Buffer.alloc(24 * 1024 * 1024, 'abcdefg');
  const { send } = await open((stream) => {
    stream.respond();
    stream.end(long);
  });
  const copies: Buffer[] = [];
  const { body } = await send();
  await flow(body, (chunk, isLent) => {
    expect(isLent).toBe(true);
    copies.push(Buffer.from(chunk));
  });
  expect(Buffer.concat(copies).equals(long)).toBe(true);
  expect(copies.length).toBeLessThan(long.length / 16_384);
});

test('bodies larger than any window go both ways', async () => {
  const { send } = await open(echo, { initialWindowSize: 10_000 });
  const body = Buffer.alloc(9 * 1024 * 1024, 'abcdefg');
  const [one, two] = await Promise.all([send({ method: 'POST', body }), send({ method: 'POST', body })]);
  const [first, second] = await Promise.all([readAll(one), readAll(two)]);
  expect(body.equals(first)).toBe(true);
  expect(body.equals(second)).toBe(true);
});

test('bodies that nobody reads hold up no other, and are kept until somebody does', async () => {
  const long = Buffer.alloc(6 * 1024 * 1024, 'x');
  const { send, socket } = await open((stream, headers) => {
    stream.respond();
    stream.end(headers[':path'] === '/long' ? long : 'short');
  });
  const unread = await Promise.all(Array.from({ length: 6 }, () => send({ path: '/long' })));
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(6 * 4 * 1024 * 1024);
  for (let count = 0; count < 5; count++) expect(await textOf(await send())).toBe('short');
  for (const response of unread) expect(long.equals(await readAll(response))).toBe(true);
});

test('an aborted request ends its stream and no other, wherever it is', async () => {
  const closed: number[] = [];
  const { send, connection } = await open((stream, headers) => {
    stream.once('close', () => closed.push(stream.rstCode ?? 0));
    if (headers[':path'] === '/half') stream.respond();
    if (headers[':path'] === '/half') stream.write('half');
    if (headers[':path'] === '/') stream.respond({}, { endStream: true });
  });
  for (const path of ['/never', '/half', '/upload']) {
    const stop = new AbortController();
    const body = path === '/upload' ? Buffer.alloc(1024 * 1024) : undefined;
    const answering = send({ path, signal: stop.signal, ...(body && { method: 'PUT', body }) });
    const reading = path === '/half' ? readAll(await answering) : answering;
    if (path !== '/half') await send();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  }
  await expect.poll(() => closed.filter((code) => code === 8)).toHaveLength(3);
  expect((await send()).status).toBe(200);
  expect(connection.isIdle).toBe(true);
});

test('a loop that is left, or whose taker throws, ends its stream', async () => {
  const closed: number[] = [];
  const { send } = await open((stream) => {
    stream.once('close', () => closed.push(stream.rstCode ?? 0));
    stream.respond();
    stream.write('half');
  });
  const { body } = await send();
  for await (const _ of body as AsyncIterable<Uint8Array>) break;
  const failing = flow((await send()).body, () => {
    throw new Error('enough');
  });
  await expect(failing).rejects.toThrow('enough');
  await expect.poll(() => closed).toEqual([8, 8]);
});

test('a server that goes away finishes what it began, and gets no more', async () => {
  const streams: ServerHttp2Stream[] = [];
  const { send, connection, sessions, closed } = await open((stream) => {
    stream.respond();
    stream.write('a');
    streams.push(stream);
  });
  const response = await send();
  sessions[0]!.goaway(0, streams[0]!.id!);
  await expect.poll(() => connection.hasFreeStream).toBe(false);
  await expect(send()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
  expect(closed).toEqual([]);
  streams[0]!.end('b');
  expect(await textOf(response)).toBe('ab');
  await expect.poll(() => closed).toEqual([connection]);
});

test('a server that takes few streams gets few', async () => {
  const { send, connection } = await open((stream) => void stream, { maxConcurrentStreams: 2 });
  await expect.poll(() => connection.hasFreeStream).toBe(true);
  const stop = new AbortController();
  const first = send({ signal: stop.signal });
  const second = send({ signal: stop.signal });
  await expect.poll(() => connection.hasFreeStream).toBe(false);
  stop.abort(new Error('enough'));
  await Promise.allSettled([first, second]);
  expect(connection.hasFreeStream).toBe(true);
});

test('closing ends everything, and nothing is sent afterwards', async () => {
  const { send, connection, sessions } = await open((stream) => {
    stream.respond();
    stream.write('half');
  });
  const response = await send();
  const unread = await send();
  const chunks = readAll(response);
  const gone = once(sessions[0]!, 'close');
  connection.close();
  for (const reading of [chunks, readAll(unread)])
    await expect(reading).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
  await expect(send()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
  await gone;
});

test('what would be read as something else is not sent', async () => {
  const { url } = await open(echo);
  const get = { method: 'GET', path: '/' };
  const bad = [
    [{ ...get, method: 'GET ' }, '/'],
    [get, '/a b'],
    [get, ''],
    [{ ...get, headers: { 'x-a': 'b\r\nx: y' } }, '/'],
    [{ ...get, headers: { 'x: y': 'b' } }, '/'],
    [{ ...get, headers: { ':path': '/other' } }, '/'],
    [{ ...get, headers: { host: 'a b' } }, '/'],
    [{ ...get, headers: { Connection: 'close' } }, '/'],
    [{ ...get, headers: { 'transfer-encoding': 'chunked' } }, '/'],
  ] as const;
  for (const [request, target] of bad) {
    expect(() => requestFieldsOf(request, target, url)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'Unsupported' }) }),
    );
  }
});

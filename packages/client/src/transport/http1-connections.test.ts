import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { type Clock, realClock, SteppedClock } from '@pintle/async';
import { expect, onTestFinished, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { Http1Connections } from './http1-connections.ts';
import { flow, readAll, type TransportResponse } from './transport.ts';

/** A server that answers the requests of each connection by a script; `seen` has the heads of all requests. */
async function serve(answer: (socket: Socket, request: string, count: number) => void) {
  const seen: string[] = [];
  const served = await serveRaw((socket) => {
    let text = '';
    let count = 0;
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        text = text.slice(end + 4 + length);
        seen.push(head);
        answer(socket, head, ++count);
      }
    });
  });
  return { ...served, seen };
}

async function serveRaw(talk: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    talk(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, sockets };
}

interface OpenOptions {
  readonly clock?: Clock;
  readonly proxy?: URL;
  readonly first?: Socket;
}

function open(url: URL, { clock = realClock, proxy, first }: OpenOptions = {}): Http1Connections {
  const connections = new Http1Connections({ server: url, alpn: ['http/1.1'], ...(proxy && { proxy }) }, clock, first);
  onTestFinished(() => connections.close());
  return connections;
}

/** A reset is an end as well. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

const get = { method: 'GET', path: '/' };
const textOf = async (response: TransportResponse) => Buffer.from(await readAll(response)).toString('latin1');
const answerOf = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n');

test('a connection is used again once its answer has been read', async () => {
  const { url, sockets } = await serve((socket, request) => socket.write(answerOf(request.split(' ')[1]!)));
  const connections = open(url);
  for (const path of ['/a', '/b', '/c']) expect(await textOf(await connections.send(get, path))).toBe(path);
  expect(sockets).toHaveLength(1);
  await Promise.all(
    ['/d', '/e'].map(async (path) => expect(await textOf(await connections.send(get, path))).toBe(path)),
  );
  expect(sockets).toHaveLength(2);
});

const KEPT = '\r\nConnection: keep-alive';

test('requests say what they have', async () => {
  const { url, seen } = await serve((socket) => socket.write(answerOf('')));
  const connections = open(url);
  const body = Buffer.from('{}');
  const headers = { 'x-a': ['1', '2'], accept: '*/*' };
  await connections.send({ method: 'POST', path: '/', headers, body }, '/a?b=c');
  await connections.send({ method: 'PUT', path: '/' }, '/');
  await connections.send({ method: 'DELETE', path: '/' }, '/');
  expect(seen).toEqual([
    `POST /a?b=c HTTP/1.1\r\nhost: ${url.host}\r\nx-a: 1\r\nx-a: 2\r\naccept: */*\r\ncontent-length: 2${KEPT}`,
    `PUT / HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 0${KEPT}`,
    `DELETE / HTTP/1.1\r\nhost: ${url.host}${KEPT}`,
  ]);
});

test('what would be read as something else is not sent', async () => {
  const { url, seen, sockets } = await serve((socket) => socket.write(answerOf('')));
  const connections = open(url);
  const bad = [
    [{ ...get, method: 'GET / HTTP/1.1\r\nx: y\r\n\r\nGET' }, '/'],
    [get, '/a b'],
    [get, '/a\r\nx: y'],
    [{ ...get, headers: { 'x-a': 'b\r\nx: y' } }, '/'],
    [{ ...get, headers: { 'x: y\r\nx-a': 'b' } }, '/'],
    [{ ...get, headers: { 'x-a': ['fine', 'b\n'] } }, '/'],
  ] as const;
  for (const [request, target] of bad) {
    const error = await connections.send(request, target).catch((thrown: unknown) => thrown);
    // And not tried again: there is nothing to hope for.
    expect(error).toMatchObject({ failure: { code: 'Unsupported' } });
  }
  expect(sockets).toHaveLength(0);
  expect(await textOf(await connections.send(get, '/'))).toBe('');
  expect(seen).toHaveLength(1);
});

test('a long body waits for whoever wants it, and is not read further than that', async () => {
  // More than two sockets hold between them.
  const body = Buffer.alloc(48 * 1024 * 1024, 'x');
  const { url, sockets } = await serve((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
  const connections = open(url);
  const response = await connections.send(get, '/');
  const chunks = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let length = ((await chunks.next()).value as Uint8Array).length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(sockets[0]!.writableLength).toBeGreaterThan(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) length += next.value.length;
  expect(length).toBe(body.length);
  expect(body.equals(await readAll(await connections.send(get, '/')))).toBe(true);
  expect(sockets).toHaveLength(1);
});

test('chunks that flow make the same body, and stay as they are if they are not lent', async () => {
  const body = Array.from({ length: 300_000 }, (_, index) => `${index},`).join('');
  const { url } = await serve((socket) => socket.write(answerOf(body)));
  const response = await open(url).send(get, '/');
  const copies: Buffer[] = [];
  await flow(response.body, (chunk, isLent) =>
    copies.push(isLent ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)),
  );
  expect(Buffer.concat(copies).toString()).toBe(body);
});

test('what a taker throws ends the response and its connection', async () => {
  const { url, sockets } = await serve((socket) => socket.write(answerOf('x'.repeat(1024 * 1024))));
  const connections = open(url);
  const response = await connections.send(get, '/');
  const closed = closing(sockets[0]!);
  const failing = flow(response.body, () => {
    throw new Error('enough');
  });
  await expect(failing).rejects.toThrow('enough');
  await closed;
});

test('an answer that nobody asked for is never taken for the next one', async () => {
  const { url, sockets } = await serve((socket, request, count) => {
    socket.write(answerOf(request.split(' ')[1]!));
    if (count === 1) socket.write(answerOf('poison'));
  });
  const connections = open(url);
  for (const path of ['/a', '/b', '/c', '/d']) {
    const answer = await connections.send(get, path).then(textOf, (error: unknown) => error);
    // The second answer may come before or after the next request is sent: then that has no answer.
    if (answer instanceof ClientError) expect(answer.failure.code).toBe('Unreachable');
    else expect(answer).toBe(path);
  }
  expect(sockets.length).toBeGreaterThan(1);
});

test.each(['Connection: close', 'Keep-Alive: timeout=0'])(
  'after %s the next request has another connection',
  async (header) => {
    const { url, sockets } = await serve((socket) => socket.write(answerOf('a', header)));
    const connections = open(url);
    expect(await textOf(await connections.send(get, '/'))).toBe('a');
    expect(await textOf(await connections.send(get, '/'))).toBe('a');
    expect(sockets).toHaveLength(2);
  },
);

test('a connection that the server is about to close is not used', async () => {
  const { url, sockets } = await serve((socket) => socket.write(answerOf('a', 'Keep-Alive: timeout=5')));
  const clock = new SteppedClock();
  const connections = open(url, { clock });
  await connections.send(get, '/');
  await clock.advance(3_999);
  await connections.send(get, '/');
  expect(sockets).toHaveLength(1);
  await clock.advance(4_000);
  await connections.send(get, '/');
  expect(sockets).toHaveLength(2);
});

test('a body without a length ends with the connection', async () => {
  const { url } = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall'));
  expect(await textOf(await open(url).send(get, '/'))).toBe('all');
});

test('a connection that is gone before it could be used is replaced by another', async () => {
  const { url, sockets } = await serve((socket) => socket.write(answerOf('a')));
  const first = connect({ port: Number(url.port), host: url.hostname });
  await once(first, 'connect');
  const connections = open(url, { first });
  first.destroy();
  await once(first, 'close');
  expect(await textOf(await connections.send(get, '/'))).toBe('a');
  expect(sockets).toHaveLength(2);
});

test('a connection over which the server spoke first is not used', async () => {
  const { url, seen, sockets } = await serve((socket) => socket.write(answerOf('a')));
  const first = connect({ port: Number(url.port), host: url.hostname });
  await once(first, 'connect');
  const connections = open(url, { first });
  await expect.poll(() => sockets).toHaveLength(1);
  const closed = once(first, 'close');
  sockets[0]!.write(answerOf('early'));
  await closed;
  expect(await textOf(await connections.send(get, '/'))).toBe('a');
  expect(seen).toHaveLength(1);
  expect(sockets).toHaveLength(2);
});

test('a connection over which something comes between two requests is closed', async () => {
  const { url, sockets } = await serve((socket) => socket.write(answerOf('a')));
  const connections = open(url);
  await connections.send(get, '/');
  const closed = closing(sockets[0]!);
  sockets[0]!.write(answerOf('poison'));
  await closed;
  expect(await textOf(await connections.send(get, '/'))).toBe('a');
});

test('an answer that comes before all of the request was sent is given, and its connection not used again', async () => {
  const { url, sockets } = await serveRaw((socket) => {
    socket.once('data', () => socket.pause().write(answerOf('enough')));
  });
  const connections = open(url);
  const body = Buffer.alloc(64 * 1024 * 1024);
  const response = await connections.send({ method: 'POST', path: '/', body }, '/');
  const closed = closing(sockets[0]!);
  expect(await textOf(response)).toBe('enough');
  sockets[0]!.resume();
  await closed;
});

test.each([
  ['before an answer', ''],
  ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['with no answer', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
])('a connection that ends %s is told as one', async (_, text) => {
  const { url } = await serve((socket) => socket.end(text));
  const error = await open(url)
    .send(get, '/')
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
});

test('a connection that breaks in the body is told to whoever reads it', async () => {
  const { url } = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () => socket.resetAndDestroy());
  });
  const response = await open(url).send(get, '/');
  await expect(readAll(response)).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
});

test('an aborted request ends at once, with its connection, wherever it is', async () => {
  const { url, sockets } = await serve((socket, request) => {
    if (request.includes('/slow')) return;
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
  });
  const connections = open(url);
  for (const path of ['/slow', '/half']) {
    const stop = new AbortController();
    const answering = connections.send({ ...get, signal: stop.signal }, path);
    const reading = path === '/half' ? readAll(await answering) : answering;
    await expect.poll(() => sockets.length).toBe(path === '/slow' ? 1 : 2);
    const closed = closing(sockets.at(-1)!);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await closed;
  }
});

test('closing ends what is open, and nothing is sent afterwards', async () => {
  const { url } = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
  const connections = open(url);
  const response = await connections.send(get, '/');
  await connections.close();
  await expect(readAll(response)).rejects.toMatchObject({ failure: { code: 'Unreachable' } });
  await expect(connections.send(get, '/')).rejects.toMatchObject({ failure: { code: 'Closed' } });
});

test('a body without a length that is cut short here is not whole', async () => {
  const { url } = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf'));
  const connections = open(url);
  const { body } = await connections.send(get, '/');
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await chunks.next();
  await connections.close();
  await expect(chunks.next()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
});

test('an aborted request does not wait for its connection, and leaves none behind', async () => {
  const { url, seen, sockets } = await serve(() => undefined);
  const connections = open(url, { proxy: url });
  const stop = new AbortController();
  const sending = connections.send({ ...get, signal: stop.signal }, '/');
  await expect.poll(() => seen).toHaveLength(1);
  stop.abort(new Error('enough'));
  await expect(sending).rejects.toThrow('enough');
  const closed = closing(sockets[0]!);
  sockets[0]!.write('HTTP/1.1 200 OK\r\n\r\n');
  await connections.close();
  await closed;
});

test('a server is asked through a proxy', async () => {
  const { url, seen } = await serve((socket, request) => {
    if (request.startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
    else socket.write(answerOf(request.split(' ')[1]!));
  });
  const connections = open(new URL('http://kubernetes.example'), { proxy: url });
  for (const path of ['/a', '/b']) expect(await textOf(await connections.send(get, path))).toBe(path);
  expect(seen.map((head) => head.split('\r\n', 1)[0])).toEqual([
    'CONNECT kubernetes.example:80 HTTP/1.1',
    'GET /a HTTP/1.1',
    'GET /b HTTP/1.1',
  ]);
});

test('a server is asked through a SOCKS proxy', async () => {
  const { url, sockets } = await serveRaw((socket) => {
    const replies = [Buffer.from([5, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])];
    socket.on('data', () => socket.write(replies.shift() ?? answerOf('a')));
  });
  const connections = open(new URL('http://kubernetes.example'), { proxy: new URL(`socks5://${url.host}`) });
  for (let count = 0; count < 2; count++) expect(await textOf(await connections.send(get, '/'))).toBe('a');
  expect(sockets).toHaveLength(1);
});

test.each([
  ['with words that are none', 'http://a%zz:b@', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['that talks without end', 'http://', 'x'.repeat(32 * 1024)],
  ['that refuses', 'http://', 'HTTP/1.1 407 No\r\n\r\n'],
])('nothing stays open to a proxy %s', async (_, scheme, words) => {
  const { url, sockets } = await serve((socket) => socket.write(words));
  const connections = open(url, { proxy: new URL(`${scheme}${url.host}`) });
  await expect(connections.send(get, '/')).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

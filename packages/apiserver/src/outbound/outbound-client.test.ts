import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Server } from 'node:tls';
import { realClock, SteppedClock } from '@pintle/async';
import { createServingCertificate } from '@pintle/pki';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OutboundClient } from './outbound-client.ts';
import type { OutboundTarget } from './target.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let serving: Awaited<ReturnType<typeof createServingCertificate>>;
let target: OutboundTarget;
let answer: Answer;
const requests: string[] = [];
let close: () => Promise<void>;
const client = new OutboundClient({ maxConnections: 4, maxIdleConnections: 4 });

beforeAll(async () => {
  serving = await createServingCertificate({ hosts: ['127.0.0.1'], days: 1 }, Date.now());
  const server = createServer({ key: serving.privateKey, cert: serving.certificate }, (request, response) => {
    requests.push(request.url!);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  target = { host: '127.0.0.1', port, serverName: '127.0.0.1', ca: serving.authority };
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});

afterAll(async () => {
  client.close();
  await close();
});

function fetch(limits: { maxBytes?: number; clock?: typeof realClock | SteppedClock } = {}) {
  const { maxBytes = 100, clock = realClock } = limits;
  return client.fetch(() => target, { path: '/a', headers: {} }, { clock, timeoutMs: 1_000, maxBytes });
}

test('a response is read up to its limit, and refused beyond', async () => {
  answer = (_request, response) => void response.end('x'.repeat(100));
  expect((await fetch()).body).toHaveLength(100);
  await expect(fetch({ maxBytes: 99 })).rejects.toThrow('the response is longer than 99 bytes');
});

test('a response that does not end is given up', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  answer = (_request, response) => {
    response.write('x');
    void clock.advance(1_000);
  };
  await expect(fetch({ clock })).rejects.toMatchObject({ failure: { code: 'TimedOut' } });
});

test('a redirect is an answer, and leads nowhere', async () => {
  requests.length = 0;
  answer = (_request, response) => void response.writeHead(302, { location: '/b' }).end();
  expect((await fetch()).status).toBe(302);
  expect(requests).toEqual(['/a']);
});

test('headers beyond 16 KiB are refused', async () => {
  answer = (_request, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(17 * 1024) }).end();
  await expect(fetch()).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
});

test('a kept connection that the server closes is replaced, unless the body is a stream', async () => {
  const send = (body: Uint8Array | AsyncIterable<Uint8Array>) =>
    client.read(
      target,
      { method: 'POST', path: '/', headers: {}, body, signal: new AbortController().signal },
      { maxBytes: 100 },
    );
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('b');
  }
  let isClosing = false;
  answer = (request, response) => {
    if (isClosing) {
      isClosing = false;
      request.socket.destroy();
    } else request.resume().on('end', () => response.end('ok'));
  };
  await send(Buffer.from('a'));
  isClosing = true;
  expect((await send(Buffer.from('a'))).status).toBe(200);
  await send(Buffer.from('a'));
  isClosing = true;
  await expect(send(stream())).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test.each([
  [
    'another name',
    (same: OutboundTarget) => ({ ...same, serverName: 'other.example.com' }),
    'wanted to match other.example.com',
  ],
  ['another authority', (same: OutboundTarget) => ({ ...same, ca: '' }), 'unable to verify the first certificate'],
  ['a forbidden address', (same: OutboundTarget) => ({ ...same, host: '169.254.169.254' }), 'is not allowed'],
])('%s is not spoken to', async (_what, change, message) => {
  requests.length = 0;
  const limits = { clock: realClock, timeoutMs: 5_000, maxBytes: 10 };
  const asking = client.fetch(() => change(target), { path: '/secret', headers: {} }, limits);
  await expect(asking).rejects.toThrow(message);
  expect(requests).toEqual([]);
});

describe('a hostile server', () => {
  const either = new OutboundClient({ maxConnections: 4, maxIdleConnections: 4, http2: true });
  const sockets = new Set<Socket>();
  const opened: { close(): void }[] = [];

  async function listen(server: Server): Promise<OutboundTarget> {
    server.on('connection', (socket) => sockets.add(socket));
    server.on('secureConnection', (socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(server);
    return { ...target, port: (server.address() as AddressInfo).port };
  }

  const keys = () => ({ key: serving.privateKey, cert: serving.certificate });
  const read = (at: OutboundTarget, signal = AbortSignal.timeout(20_000)) =>
    either.read(at, { method: 'GET', path: '/', headers: {}, body: new Uint8Array(0), signal }, { maxBytes: 100 });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of opened.splice(0)) server.close();
    sockets.clear();
  });

  test('is given up when it sends interim responses without end, over HTTP/1.1', async () => {
    const at = await listen(
      createServer(keys(), (_request, { socket }) => {
        const more = (): void => {
          if (!socket!.destroyed)
            socket!.write('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', () => setImmediate(more));
        };
        more();
      }),
    );
    await expect(read(at)).rejects.toThrow('the backend sent more than 32 interim responses');
  });

  test('is given up when it does so over HTTP/2', async () => {
    const server = createSecureServer(keys());
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      const more = (): void => {
        if (stream.destroyed || stream.closed) return;
        stream.additionalHeaders({ ':status': 103, link: '<a>' });
        setImmediate(more);
      };
      more();
    });
    const at = await listen(server);
    await expect(read(at)).rejects.toThrow('the backend sent more than 32 interim responses');
  });

  test('that accepts connections and says nothing holds no request beyond its time, nor the next one', async () => {
    let isSilent = true;
    const answering = createServer(keys(), (_request, response) => void response.end('ok'));
    const silent = createTcpServer((socket) => {
      sockets.add(socket);
      if (!isSilent) answering.emit('connection', socket);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    opened.push(silent);
    const at = { ...target, port: (silent.address() as AddressInfo).port };
    const stop = new AbortController();
    const waiting = read(at, stop.signal);
    const patient = read(at, new AbortController().signal);
    patient.catch(() => {});
    await expect.poll(() => sockets.size).toBe(1);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    isSilent = false;
    expect(`${Buffer.from((await read(at)).body)}`).toBe('ok');
  });

  test('that allows no streams does not get a connection for every request', async () => {
    const server = createSecureServer({ ...keys(), settings: { maxConcurrentStreams: 0 } });
    let open = 0;
    server.on('session', (session) => {
      open++;
      session.on('close', () => open--);
      session.on('error', () => {});
    });
    server.on('stream', (stream) => stream.on('error', () => {}));
    const at = await listen(server);
    for (let i = 0; i < 20; i++) await read(at).catch(() => {});
    await expect.poll(() => open).toBeLessThan(6);
  });

  test('that sends a body in parts of one byte fills no more memory than the body', async () => {
    class Dripping extends OutboundClient {
      override async send() {
        // Each chunk is a view of all that one read of the socket returned.
        const parts = function* () {
          for (let i = 0; i < 20_000; i++) yield Buffer.allocUnsafeSlow(32 * 1024).subarray(0, 1);
        };
        return { status: 200, headers: {}, body: Readable.from(parts(), { objectMode: false }) };
      }
    }
    const request = {
      method: 'GET',
      path: '/',
      headers: {},
      body: new Uint8Array(0),
      signal: new AbortController().signal,
    };
    const before = process.memoryUsage().arrayBuffers;
    const { body } = await new Dripping({ maxConnections: 1, maxIdleConnections: 1 }).read(target, request, {
      maxBytes: 1e6,
    });
    expect(body).toHaveLength(20_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 * 1024 * 1024);
  });
});

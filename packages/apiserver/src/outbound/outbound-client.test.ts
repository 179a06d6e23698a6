import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { realClock, SteppedClock } from '@pintle/async';
import { createServingCertificate } from '@pintle/pki';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

import { once } from 'node:events';
import type { Http2SecureServer, Http2Session, SecureServerOptions, ServerHttp2Stream } from 'node:http2';
import { createSecureServer } from 'node:http2';
import { createServer as createHttp1Server } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { HttpTransport, type TransportResponse } from '@pintle/client';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let tls: { readonly ca: string; readonly cert: string; readonly key: string };

beforeAll(async () => {
  const authority = await createAuthority('test', 1, Date.now());
  const issued = { commonName: 'server', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
  const { certificate, privateKey } = await issueCertificate(authority, issued, Date.now());
  tls = { ca: authority.certificate, cert: certificate, key: privateKey };
});

/** A transport to the server, which is closed with it. */
async function open(server: Server | Http2SecureServer) {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ server: `https://127.0.0.1:${port}`, tls: { ca: tls.ca } });
  onTestFinished(async () => {
    await transport.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const send = (path = '/', signal?: AbortSignal) => transport.send({ method: 'GET', path, ...(signal && { signal }) });
  return { transport, send, sockets };
}

async function openHttp2(answer: (stream: ServerHttp2Stream, path: string) => void, options: SecureServerOptions = {}) {
  const server = createSecureServer({ ...tls, ...options });
  const sessions: Http2Session[] = [];
  server.on('session', (session) => sessions.push(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    answer(stream, headers[':path'] ?? '');
  });
  return { ...(await open(server)), sessions };
}

const answerAll = (stream: ServerHttp2Stream) => stream.respond({}, { endStream: true });
const hold = (stream: ServerHttp2Stream, path: string) => void (path !== '/held' && answerAll(stream));

describe('HTTP/2', () => {
  test('requests share a connection, and more are opened when it carries all it may', async () => {
    const { transport, send, sessions } = await openHttp2(hold, { settings: { maxConcurrentStreams: 2 } });
    expect((await send()).status).toBe(200);
    expect(transport.isProbed).toBe(true);
    const stop = new AbortController();
    const held: Promise<unknown>[] = [];
    for (const connections of [1, 1, 2, 2, 3]) {
      held.push(send('/held', stop.signal).catch((error: unknown) => error));
      await expect.poll(() => sessions).toHaveLength(connections);
      // What the server says of itself comes with its answer.
      await send();
    }
    stop.abort(new Error('enough'));
    expect((await Promise.all(held)).map(String)).toEqual(Array(5).fill('Error: enough'));
  });

  test('after a server said that it goes away, the next request has another connection', async () => {
    const { send, sessions } = await openHttp2(answerAll);
    await send();
    sessions[0]!.goaway();
    const connections = async (): Promise<number> => {
      expect((await send()).status).toBe(200);
      return sessions.length;
    };
    await expect.poll(connections).toBe(2);
  });

  test('a server that takes no requests is told as one, and not dialled without end', async () => {
    const { send, sessions } = await openHttp2(answerAll, { settings: { maxConcurrentStreams: 0 } });
    for (let count = 0; count < 3; count++) {
      await expect(send()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
    }
    expect(sessions.length).toBeLessThanOrEqual(3);
  });

  test('closing ends what is open, on every connection', async () => {
    const { transport, send } = await openHttp2(hold);
    await send();
    const held = send('/held').catch((error: unknown) => error);
    await send();
    await transport.close();
    expect(await held).toMatchObject({ failure: { code: 'Unreachable' } });
    await expect(send()).rejects.toMatchObject({ failure: { code: 'Closed' } });
  });
});

test('the connection that showed that a server speaks HTTP/1.1 is used', async () => {
  const long = Buffer.alloc(4 * 1024 * 1024, 'abcdefg');
  const server = createHttp1Server(tls, (_, response) => response.end(long));
  const { transport, send, sockets } = await open(server);
  const { body } = await send();
  for (const bytes of [await joined(body), await joined((await send()).body)]) expect(bytes.equals(long)).toBe(true);
  expect(sockets).toHaveLength(1);
  expect(transport.isProbed).toBe(false);
});

async function joined(body: TransportResponse['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

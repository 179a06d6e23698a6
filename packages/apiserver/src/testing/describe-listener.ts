import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { deferred, SteppedClock } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpListener, ListenOptions } from '../http/http-listener.ts';
import { BodyTooLarge, readBody } from '../http/read-body.ts';
import type { ApiRequest, ApiResponse, MessageSocket, Peer } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import { ResponseMemory } from '../request/response-memory.ts';

type Handle = ListenOptions['handle'];

/** Tests the contract of every listener: what reaches `handle`, how responses are sent, the limits, upgrades, and how it stops. */
export function describeListener(name: string, open: (options: ListenOptions) => Promise<HttpListener>): void {
  describe(name, () => {
    let authority: KeyPair;
    let serverPair: KeyPair;
    let client: KeyPair;
    const sessions = new Set<ClientHttp2Session>();

    beforeAll(async () => {
      const now = Date.now();
      authority = await createAuthority('test', 1, now);
      serverPair = await issueCertificate(
        authority,
        { commonName: 's', hosts: ['127.0.0.1', '::1'], usage: 'server', days: 1 },
        now,
      );
      client = await issueCertificate(authority, { commonName: 'jane', usage: 'client', days: 1 }, now);
    });

    afterAll(() => {
      for (const session of sessions) session.destroy();
    });

    function listen(handle: Handle, options: Partial<ListenOptions> = {}): Promise<HttpListener> {
      return open({ handle, ...serverPair, clientCa: authority.certificate, ...options });
    }

    const echo: Handle = async (request) => {
      try {
        const body = Buffer.from(await readBody(request, 1_000_000));
        return textResponse(200, `${request.method} ${request.path} ${request.query} ${body.length}`);
      } catch (error) {
        return textResponse(error instanceof BodyTooLarge ? 413 : 400, 'refused');
      }
    };

    /** Sends bytes over TLS and returns what is received until the connection ends or `until` appears. */
    async function raw(port: number, bytes: string | Buffer, until?: string): Promise<string> {
      const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      socket.on('error', () => {});
      socket.write(bytes);
      const text = await readUntil(socket, until);
      socket.destroy();
      return text;
    }

    function tls(port: number, protocol = 'http/1.1'): TLSSocket {
      const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: [protocol] });
      return socket.on('error', () => {});
    }

    async function readUntil(socket: TLSSocket, until?: string): Promise<string> {
      let text = '';
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        text += chunk;
        if (until !== undefined && text.includes(until)) break;
      }
      return text;
    }

    function h2(port: number, withCertificate = true): ClientHttp2Session {
      const session = connectHttp2(`https://127.0.0.1:${port}`, {
        ca: authority.certificate,
        maxSendHeaderBlockLength: 1024 * 1024,
        ...(withCertificate && { cert: client.certificate, key: client.privateKey }),
      });
      session.on('error', () => {});
      sessions.add(session);
      return session;
    }

    async function h2Request(
      session: ClientHttp2Session,
      headers: Record<string, string>,
      body?: Buffer,
    ): Promise<[number, string]> {
      const stream = session.request(headers, { endStream: body === undefined });
      stream.on('error', () => {});
      if (body !== undefined) stream.end(body);
      const [answer] = await once(stream, 'response');
      let text = '';
      for await (const chunk of stream) text += chunk;
      return [Number(answer[':status']), text];
    }

    describe('HTTP/1.1', () => {
      test('requests become values', async () => {
        await using listener = await listen(echo);
        const text = await raw(
          listener.port,
          'POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
          ' 3',
        );
        expect(text).toContain('HTTP/1.1 200 OK');
        expect(text).toContain('POST /a/b c=d 3');
        expect(await raw(listener.port, 'GET https://x/a?b HTTP/1.1\r\nHost: x\r\n\r\n', 'GET')).toContain(
          'GET /a b 0',
        );
      });

      test('HEAD is answered without a body', async () => {
        await using listener = await listen(echo);
        const text = await raw(listener.port, 'HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        expect(text).toContain('content-length: 10');
        expect(text.endsWith('\r\n\r\n')).toBe(true);
      });

      test.each([
        ['two content lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
        [
          'content length and transfer encoding',
          'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        ],
        [
          'an unknown transfer encoding',
          'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, zip\r\n\r\n0\r\n\r\n',
        ],
        ['a space before a colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
        ['a folded header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
        ['garbage', '\u0000\u0001\u0002\r\n\r\n'],
        ['a bare line feed in a chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
      ])('%s is refused', async (_what, bytes) => {
        await using listener = await listen(echo);
        const text = await raw(listener.port, bytes);
        expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request/);
      });

      test('headers beyond 64 KiB are a 431, a URL beyond 8 KiB a 414', async () => {
        await using listener = await listen(echo);
        const big = 'a'.repeat(70_000);
        expect(await raw(listener.port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${big}\r\n\r\n`)).toContain(' 431 ');
        const fits = 'a'.repeat(60_000);
        expect(await raw(listener.port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${fits}\r\n\r\n`, 'GET')).toContain(' 200 ');
        const url = `/${'a'.repeat(8_192)}`;
        expect(await raw(listener.port, `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`, 'Long')).toContain(' 414 ');
      });

      test('a watch over a WebSocket with a URL beyond 8 KiB is a 414', async () => {
        const handled: string[] = [];
        await using listener = await listen((request) => {
          handled.push(request.path);
          return echo(request);
        });
        const url = `/api/v1/pods?watch=1&labelSelector=${'a'.repeat(8_192)}`;
        const upgrade = `Connection: Upgrade\r\n${WATCH}`;
        expect(await raw(listener.port, `GET ${url} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`, 'Long')).toContain(' 414 ');
        expect(handled).toEqual([]);
      });

      test('a body that is too large is answered, and the connection goes on', async () => {
        await using listener = await listen(echo);
        const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n';
        const next = 'GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        const text = await raw(
          listener.port,
          Buffer.concat([Buffer.from(head), Buffer.alloc(5_000_000), Buffer.from(next)]),
        );
        expect(text).toContain(' 413 ');
        expect(text).toContain('GET /next');
      });

      test('a client that is slow with its headers is cut off', async () => {
        await using listener = await listen(echo, { limits: { headersTimeoutMs: 50, checkIntervalMs: 20 } });
        expect(await raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n')).toContain(' 408 ');
      });

      test('a client that is slow with its body is cut off', async () => {
        await using listener = await listen(echo, {
          limits: { headersTimeoutMs: 50, requestTimeoutMs: 60, checkIntervalMs: 20 },
        });
        const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx';
        expect(await raw(listener.port, head)).not.toContain(' 200 ');
      });

      test('a body that arrives while an answer is on its way is read', async () => {
        const seen = deferred();
        await using listener = await listen((request) => {
          if (request.method === 'POST') return echo(request);
          seen.resolve();
          return textResponse(200, 'x'.repeat(10_000_000));
        });
        const socket = tls(listener.port);
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await seen.promise;
        socket.write(`POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n${'y'.repeat(100_000)}`);
        let end = '';
        for await (const chunk of socket) {
          end = `${end}${chunk}`.slice(-1000);
          if (end.includes('POST /b  100000')) break;
        }
        expect(end).toContain('HTTP/1.1 200 OK');
      });

      test('a large response to a large unread body is the last of its connection', async () => {
        await using listener = await listen(() => textResponse(200, 'x'.repeat(100_000)));
        const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n';
        const answer = await raw(listener.port, head + 'y'.repeat(2_000_000));
        expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*connection: close/is);
        expect(answer.length).toBeGreaterThan(100_000);
      });

      test('a client that leaves aborts its request', async () => {
        const gone = deferred<unknown>();
        const seen = deferred();
        await using listener = await listen((request) => {
          seen.resolve();
          return new Promise((resolve) => {
            request.signal.addEventListener('abort', () => {
              gone.resolve(request.signal.reason);
              resolve(textResponse(200, ''));
            });
          });
        });
        const socket = tls(listener.port);
        socket.on('error', () => {});
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await seen.promise;
        socket.destroy();
        expect(await gone.promise).toEqual(new Error('The client is gone'));
      });
    });

    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

    describe('requests that are sent at once over HTTP/1.1', () => {
      test('are begun one after the other, and all are answered in order', async () => {
        let running = 0;
        let most = 0;
        const handle: Handle = async ({ path }) => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running--;
          return textResponse(200, `[${path}]`);
        };
        await using listener = await listen(handle);
        const paths = Array.from({ length: 300 }, (_value, index) => `/${index}`);
        const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
        const text = await raw(listener.port, requests, '[/299]');
        expect([...text.matchAll(/\[(.*?)\]/g)].map(([, path]) => path)).toEqual(paths);
        expect(most).toBe(1);
      });

      test('are not begun for a client that has left', async () => {
        const first = deferred<ApiResponse>();
        const begun: string[] = [];
        const handle: Handle = ({ path }) => {
          begun.push(path);
          return first.promise;
        };
        await using listener = await listen(handle);
        const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: authority.certificate });
        socket.on('error', () => {});
        await once(socket, 'secureConnect');
        socket.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n');
        await vi.waitFor(() => expect(begun).toEqual(['/a']));
        socket.destroy();
        // Otherwise closing would wait for the open request, which never ends.
        const closed = listener.close({ graceMs: 60_000 });
        first.resolve(textResponse(200, 'too late'));
        await closed;
        expect(begun).toEqual(['/a']);
      });
    });

    describe('HTTP/2', () => {
      test('requests become values, and one peer is one object', async () => {
        const peers: Peer[] = [];
        await using listener = await listen(async (request) => {
          peers.push(request.peer);
          return await echo(request);
        });
        const session = h2(listener.port);
        expect(await h2Request(session, { ':path': '/a?b', ':method': 'POST' }, Buffer.from('abc'))).toEqual([
          200,
          'POST /a b 3',
        ]);
        await h2Request(session, { ':path': '/' });
        expect(peers[0]).toBe(peers[1]);
        expect(peers[0]?.certificate).toBeInstanceOf(Uint8Array);
        session.destroy();
      });

      test('a connection has a hundred streams at most, and headers of 64 KiB', async () => {
        await using listener = await listen(echo);
        const [settings] = await once(h2(listener.port), 'remoteSettings');
        expect(settings).toMatchObject({
          maxConcurrentStreams: 100,
          maxHeaderListSize: 64 * 1024 + 4_000 * 32,
          enablePush: false,
        });
      });

      test('the connection of an anonymous client ends after the response; others stay', async () => {
        const answers: ApiResponse[] = [];
        await using listener = await listen(async (request) => {
          const known = request.peer.certificate !== undefined;
          const response = textResponse(200, 'x', known ? {} : { connection: 'close' });
          answers.push(response);
          return response;
        });
        const anonymousClient = h2(listener.port, false);
        const closed = once(anonymousClient, 'close');
        expect((await h2Request(anonymousClient, { ':path': '/' }))[0]).toBe(200);
        await closed;
        const known = h2(listener.port);
        for (let i = 0; i < 3; i++) expect((await h2Request(known, { ':path': '/' }))[0]).toBe(200);
        expect(known.closed).toBe(false);
        known.destroy();
      });

      test('a body that is too large is answered', async () => {
        await using listener = await listen(echo);
        const session = h2(listener.port);
        expect((await h2Request(session, { ':path': '/', ':method': 'POST' }, Buffer.alloc(3_000_000)))[0]).toBe(413);
        expect((await h2Request(session, { ':path': '/' }))[0]).toBe(200);
        session.destroy();
      });

      test('streams that are reset by the thousand do no harm', async () => {
        await using listener = await listen(echo);
        const session = h2(listener.port);
        await once(session, 'connect');
        for (let i = 0; i < 5_000 && !session.destroyed; i++) {
          const stream = session.request({ ':path': '/' });
          stream.on('error', () => {});
          stream.close(8);
        }
        session.destroy();
        expect((await h2Request(h2(listener.port), { ':path': '/' }))[0]).toBe(200);
      });

      test('a request that is taken back with the bytes that brought it is not worked on', async () => {
        const paths: string[] = [];
        await using listener = await listen((request) => {
          paths.push(request.path);
          return echo(request);
        });
        const socket = tls(listener.port, 'h2');
        await once(socket, 'secureConnect');
        const settings = '000000040000000000';
        const headers = '000006010500000001828784010178';
        const reset = '00000403000000000100000008';
        socket.write(Buffer.concat([preface, Buffer.from(settings + headers + reset, 'hex')]));
        await once(socket, 'data');
        expect((await h2Request(h2(listener.port), { ':path': '/after' }))[0]).toBe(200);
        expect(paths).toEqual(['/after']);
        socket.destroy();
      });

      test('frames that make no sense do no harm', async () => {
        await using listener = await listen(echo);
        for (const frame of [
          '00000004000000000000',
          '0000050104000000010000000000',
          'ffffff0104ffffffff',
          '00000801050000000141414141',
        ]) {
          const socket = tls(listener.port, 'h2');
          socket.on('error', () => {});
          await once(socket, 'secureConnect');
          socket.end(Buffer.concat([preface, Buffer.from(frame, 'hex')]));
          await readUntil(socket).catch(() => {});
          socket.destroy();
        }
        expect((await h2Request(h2(listener.port), { ':path': '/' }))[0]).toBe(200);
      });
    });

    test('clients are told apart by address: IPv4 as such, though the server listens on IPv6', async (context) => {
      const peers: Peer[] = [];
      const handle: Handle = async (request) => {
        peers.push(request.peer);
        return await echo(request);
      };
      const listener = await listen(handle, { host: '::' }).catch(() => undefined);
      if (listener === undefined) return context.skip('this machine has no IPv6');
      const { port } = listener;
      for (const host of ['127.0.0.1', '::1']) {
        const socket = connectTls({ port, host, ca: authority.certificate });
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await readUntil(socket, 'GET');
        socket.destroy();
      }
      await listener.close();
      expect(peers).toMatchObject([
        { address: '127.0.0.1', reachedAt: `127.0.0.1:${port}` },
        { address: '::1', reachedAt: `[::1]:${port}` },
      ]);
    });

    test('a test that fakes its timers does not stop the server', async () => {
      await using listener = await listen(echo);
      vi.useFakeTimers();
      try {
        expect((await h2Request(h2(listener.port), { ':path': '/' }))[0]).toBe(200);
      } finally {
        vi.useRealTimers();
      }
    });

    test('anonymous clients that hold all connections keep no other client out, and cost none a connection', async () => {
      const handle: Handle = ({ headers }) =>
        headers.authorization === undefined ? textResponse(401, 'no') : textResponse(200, 'yes');
      await using listener = await listen(handle, { limits: { maxConnections: 20 } });
      const { port } = listener;
      const ask = { ':path': '/', authorization: 'Bearer a' };
      const known = h2(port);
      expect(await h2Request(known, ask)).toEqual([200, 'yes']);
      const knownHttp1 = connectTls({
        port,
        host: '127.0.0.1',
        ca: authority.certificate,
        ALPNProtocols: ['http/1.1'],
      });
      knownHttp1.on('error', () => {});
      knownHttp1.write('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n\r\n');
      expect(await readUntil(knownHttp1, 'yes')).toContain('200 OK');
      const anonymousSockets: TLSSocket[] = [];
      for (let i = 0; i < 40; i++) {
        const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['h2'] });
        anonymousSockets.push(socket.on('error', () => {}));
        await new Promise<void>((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
      }
      expect(await h2Request(h2(port), ask)).toEqual([200, 'yes']);
      expect(await h2Request(known, ask)).toEqual([200, 'yes']);
      knownHttp1.write('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\n\r\n');
      expect(await readUntil(knownHttp1, 'yes')).toContain('200 OK');
      for (const socket of [...anonymousSockets, knownHttp1]) socket.destroy();
    });

    test('known clients that open all the connections that they may keep no other client out', async () => {
      const memory = new ResponseMemory({ clock: new SteppedClock() });
      const handle: Handle = (request) => {
        const { authorization } = request.headers;
        if (authorization === undefined) return textResponse(401, 'no');
        request.chargeTo?.(memory.clientOf({ username: String(authorization), groups: [] }, request.peer));
        return textResponse(200, 'yes');
      };
      await using listener = await listen(handle, { limits: { maxConnections: 40 } });
      const { port } = listener;
      const ask = async (socket: TLSSocket, name: string): Promise<string> => {
        socket.write(`GET / HTTP/1.1\r\nHost: a\r\nAuthorization: ${name}\r\n\r\n`);
        return await readUntil(socket, 'yes');
      };
      const greedy: TLSSocket[] = [];
      const open = async (name: string): Promise<void> => {
        const own = Array.from({ length: 40 }, () => tls(port));
        greedy.push(...own);
        for (const socket of own) await ask(socket, name).catch(() => '');
      };
      await open('first');
      const isOpen = ({ readyState }: TLSSocket): boolean => readyState === 'open';
      await expect.poll(() => greedy.filter(isOpen).length).toBeLessThanOrEqual(20);
      expect(greedy.some(isOpen)).toBe(true);
      for (const name of ['second', 'third', 'fourth', 'fifth']) await open(name);

      const inHandshake = connectTcp(port, '127.0.0.1').on('error', () => {});
      await once(inHandshake, 'connect');
      const silent = Array.from({ length: 3 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}));
      await Promise.all(silent.map((socket) => once(socket, 'connect')));
      const newcomer = tls(port);
      expect(await ask(newcomer, 'newcomer')).toContain('200 OK');
      const secured = connectTls({ socket: inHandshake, ca: authority.certificate, host: '127.0.0.1' });
      expect(
        await ask(
          secured.on('error', () => {}),
          'other',
        ),
      ).toContain('200 OK');
      expect(await ask(newcomer, 'newcomer')).toContain('200 OK');
      for (const socket of [...greedy, ...silent, newcomer, secured]) socket.destroy();
    });

    test('bytes that are no TLS do no harm', async () => {
      await using listener = await listen(echo);
      for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\u0016\u0003\u0001\u0000', '']) {
        const socket = connectTcp(listener.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.end(bytes);
        await once(socket, 'close');
      }
      expect(await raw(listener.port, 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n', 'GET')).toContain(' 200 ');
    });

    describe('close', () => {
      test('lets streams of HTTP/2 in flight finish, and takes no more', async () => {
        const seen = deferred();
        const held = deferred<ApiResponse>();
        const listener = await listen(() => {
          seen.resolve();
          return held.promise;
        });
        const session = h2(listener.port);
        const answer = h2Request(session, { ':path': '/' });
        await seen.promise;
        const goAway = once(session, 'goaway');
        const closing = listener.close();
        await goAway;
        held.resolve(textResponse(200, 'finished'));
        expect(await answer).toEqual([200, 'finished']);
        await closing;
        await listener.close();
      });

      test('lets a request in flight finish', async () => {
        const seen = deferred();
        const held = deferred<ApiResponse>();
        const listener = await listen(() => {
          seen.resolve();
          return held.promise;
        });
        const answer = raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await seen.promise;
        const closing = listener.close();
        held.resolve(textResponse(200, 'finished'));
        const text = await answer;
        expect(text).toContain('finished');
        expect(text.toLowerCase()).toContain('connection: close');
        await closing;
        await expect(raw(listener.port, '')).rejects.toThrow();
      });

      test('cuts what does not end in time', async () => {
        const seen = deferred();
        const aborted = deferred<unknown>();
        const listener = await listen(({ signal }: ApiRequest) => {
          signal.addEventListener('abort', () => aborted.resolve(signal.reason));
          seen.resolve();
          return new Promise(() => {});
        });
        const answer = raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').catch(() => '');
        await seen.promise;
        await listener.close({ graceMs: 1 });
        expect(await aborted.promise).toEqual(new Error('The server is stopping'));
        expect(await answer).toBe('');
      });
    });

    const SPDY = 'Upgrade: SPDY/3.1\r\n';
    const WATCH = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n';

    describe('an upgrade that is not granted', () => {
      const upgrade = (path: string, more = '') =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${more}\r\n`;

      test('is answered as a plain request, the last one on its connection', async () => {
        const asked: string[] = [];
        await using listener = await listen(async ({ path }) => {
          asked.push(path);
          return textResponse(200, 'plain');
        });
        const next = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n';
        const text = await raw(listener.port, `${upgrade('/api/v1/pods')}${next}`);
        expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
        expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
        expect(text).toMatch(/\r\nconnection: close\r\n/i);
        expect(asked).toEqual(['/api/v1/pods']);
      });

      test.each([SPDY, WATCH])('waits for the answers before it: %j', async (headers) => {
        await using listener = await listen(async ({ path }) => {
          for (let turns = path === '/first' ? 20 : 0; turns > 0; turns--) await new Promise(setImmediate);
          return textResponse(404, path);
        });
        const before = ['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
        const text = await raw(
          listener.port,
          `${before}GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n${headers}\r\n`,
        );
        const bodies = text.split('HTTP/1.1 404 Not Found').map((part) => part.split('\r\n\r\n')[1]);
        expect(bodies).toEqual([undefined, '/first', '/second', '/api/v1/pods']);
      });

      test('and has a body is refused, since the end of the body is unknown', async () => {
        const asked: string[] = [];
        await using listener = await listen(async ({ path }) => {
          asked.push(path);
          return textResponse(200, 'plain');
        });
        for (const more of ['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n']) {
          expect(await raw(listener.port, `${upgrade('/x', more)}abc`)).toMatch(/^HTTP\/1\.1 400 /);
        }
        expect(asked).toEqual([]);
      });
    });

    test('a client that does not take its answer holds up what is made of it, and is cut off after a while', async () => {
      const clock = new SteppedClock();
      const ended = deferred<unknown>();
      let made = 0;
      async function* endless(signal: AbortSignal): AsyncGenerator<Uint8Array> {
        signal.addEventListener('abort', () => ended.resolve(signal.reason));
        for (; made < 1_000; made++) yield Buffer.alloc(64 * 1024);
      }
      const handle: Handle = async ({ signal }) => ({ status: 200, headers: {}, body: endless(signal) });
      await using listener = await listen(handle, { clock });
      const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: authority.certificate });
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      // Until the connection accepts no more: it buffers a few megabytes.
      for (let quietTurns = 0, before = 0; quietTurns < 200; before = made) {
        await new Promise(setImmediate);
        quietTurns = made > 0 && made === before ? quietTurns + 1 : 0;
      }
      expect(made).toBeLessThan(1_000);
      await clock.advance(120_000);
      expect(await ended.promise).toEqual(new Error('The client is gone'));
      socket.destroy();
    });

    test('a request over HTTP/2 that does not end is given up a while after its answer', async () => {
      const clock = new SteppedClock();
      const handle: Handle = async () => ({ status: 200, headers: {}, body: Buffer.alloc(600_000) });
      await using listener = await listen(handle, { clock });
      const stream = h2(listener.port).request({ ':path': '/', ':method': 'POST' }, { endStream: false });
      stream.on('error', () => {});
      let length = 0;
      stream.on('data', (bytes: Uint8Array) => {
        length += bytes.length;
      });
      await once(stream, 'end');
      expect(length).toBe(600_000);
      const closed = once(stream, 'close');
      // After the server's work behind the last byte.
      await new Promise(setImmediate);
      await clock.advance(120_000);
      await closed;
      expect(stream.rstCode).toBe(8);
    });

    test.each(['http/1.1', 'h2'])(
      'an answer over %s is told to be taken once, whether it was or the client has left',
      async (protocol) => {
        let taken = 0;
        const handle: Handle = async ({ onTaken }) => {
          onTaken?.(() => taken++);
          return { status: 200, headers: {}, body: Buffer.alloc(3_000_000, 'a') };
        };
        await using listener = await listen(handle);
        const session = protocol === 'h2' ? h2(listener.port) : undefined;
        const read = async (): Promise<void> => {
          if (session === undefined) await raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
          else await h2Request(session, { ':path': '/' });
        };
        await read();
        await read();
        await vi.waitFor(() => expect(taken).toBe(2));
        if (session === undefined) await raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 200');
        else {
          const stream = session.request({ ':path': '/' });
          stream.on('error', () => {});
          await once(stream, 'response');
          stream.close(8);
        }
        await vi.waitFor(() => expect(taken).toBe(3));
      },
    );

    describe('the buffer of an answer', () => {
      const BYTES = 3_000_000;

      /** Responses whose bytes are overwritten as soon as they are released. */
      function spoilt(): { handle: Handle; released: () => number } {
        let released = 0;
        const handle: Handle = async () => {
          const body = Buffer.alloc(BYTES, 'a');
          const release = (): void => {
            released++;
            body.fill('!');
          };
          return { status: 200, headers: {}, body, release };
        };
        return { handle, released: () => released };
      }

      test.each(['HTTP/1.1', 'HTTP/2'])('is released once the last byte of it has left over %s', async (protocol) => {
        const { handle, released } = spoilt();
        await using listener = await listen(handle);
        const session = protocol === 'HTTP/2' ? h2(listener.port) : undefined;
        const read = async (): Promise<string> => {
          if (session !== undefined) return (await h2Request(session, { ':path': '/' }))[1];
          const answer = await raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
          return answer.slice(answer.indexOf('\r\n\r\n') + 4);
        };
        const whole = 'a'.repeat(BYTES);
        for (const body of await Promise.all([read(), read(), read()])) expect(body === whole).toBe(true);
        await vi.waitFor(() => expect(released()).toBe(3));
      });

      test.each(['http/1.1', 'h2'])('is not released for a client that leaves over %s', async (protocol) => {
        const { handle, released } = spoilt();
        const ended = deferred<void>();
        await using listener = await listen((request) => {
          request.signal.addEventListener('abort', () => ended.resolve());
          return handle(request);
        });
        if (protocol === 'h2') {
          const stream = h2(listener.port).request({ ':path': '/' });
          stream.on('error', () => {});
          await once(stream, 'response');
          stream.close(8);
        } else {
          const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca: authority.certificate });
          socket.on('error', () => {});
          await once(socket, 'secureConnect');
          socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          await once(socket, 'readable');
          socket.destroy();
        }
        await ended.promise;
        await listener.close();
        expect(released()).toBe(0);
      });
    });

    const PROTOCOLS = ['http/1.1', 'h2'] as const;

    /** Returns the error code that a stream is closed with; 0 when it ended normally. */
    function resetOf(stream: ClientHttp2Stream): Promise<number> {
      stream.on('error', () => {}).resume();
      return new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode ?? 0)));
    }

    /** Sends a request over either protocol and yields its body as it arrives. */
    async function* bodyOver(protocol: (typeof PROTOCOLS)[number], port: number): AsyncGenerator<string> {
      if (protocol === 'h2') {
        const stream = h2(port).request({ ':path': '/' });
        stream.on('error', () => {});
        for await (const chunk of stream) yield String(chunk);
        return;
      }
      const socket = tls(port);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      for await (const chunk of socket) yield String(chunk);
    }

    describe('answers that are made as they are sent', () => {
      test.each(PROTOCOLS)('reach a client of %s chunk by chunk, for as long as the watch lasts', async (protocol) => {
        const second = deferred();
        async function* events(): AsyncGenerator<Uint8Array> {
          yield Buffer.from('first');
          await second.promise;
          yield Buffer.from('second');
        }
        await using listener = await listen(async () => ({ status: 200, headers: {}, body: events() }));
        let text = '';
        for await (const chunk of bodyOver(protocol, listener.port)) {
          text += chunk;
          if (text.includes('first')) second.resolve();
        }
        expect(text).toContain('second');
      });

      test.each(PROTOCOLS)('arrive whole over %s, however long', async (protocol) => {
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let i = 0; i < 200; i++) yield Buffer.alloc(50_001, 'x');
        }
        await using listener = await listen(async () => ({ status: 200, headers: {}, body: chunks() }));
        let bytes = 0;
        for await (const chunk of bodyOver(protocol, listener.port)) bytes += chunk.replaceAll(/[^x]/g, '').length;
        expect(bytes).toBeGreaterThanOrEqual(200 * 50_001);
      });

      test.each(PROTOCOLS)('end early over %s when what makes them fails', async (protocol) => {
        async function* broken(): AsyncGenerator<Uint8Array> {
          yield Buffer.from('begun');
          throw new Error('broken');
        }
        await using listener = await listen(async () => ({ status: 200, headers: {}, body: broken() }));
        if (protocol === 'h2') {
          const stream = h2(listener.port).request({ ':path': '/' });
          expect(await resetOf(stream)).not.toBe(0);
        } else {
          const text = await raw(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          expect(text).toContain('200 OK');
          expect(text.endsWith('0\r\n\r\n')).toBe(false);
        }
      });
    });

    describe('one connection', () => {
      test('of HTTP/1.1 is kept for further requests, until the client asks for its end', async () => {
        await using listener = await listen(echo);
        const socket = tls(listener.port);
        for (const path of ['/1', '/2', '/3']) {
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
          expect(await readUntil(socket, `GET ${path}`)).toContain('HTTP/1.1 200 OK');
        }
        socket.write('GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        expect((await readUntil(socket)).toLowerCase()).toContain('connection: close');
      });

      test('of HTTP/2 serves many requests at once', async () => {
        await using listener = await listen(echo);
        const session = h2(listener.port);
        const paths = Array.from({ length: 90 }, (_, index) => `/${index}`);
        const answers = await Promise.all(paths.map((path) => h2Request(session, { ':path': path })));
        expect(answers).toEqual(paths.map((path) => [200, `GET ${path}  0`]));
        session.destroy();
      });
    });

    describe('bodies without a length', () => {
      test('are read over HTTP/1.1, in chunks', async () => {
        await using listener = await listen(echo);
        const chunked =
          'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n';
        expect(await raw(listener.port, chunked, 'POST')).toContain('POST /a  7');
      });

      test('are read over HTTP/2, and lengths that are not true are refused', async () => {
        await using listener = await listen(echo);
        const session = h2(listener.port);
        const post = { ':path': '/a', ':method': 'POST' };
        expect(await h2Request(session, post, Buffer.alloc(100_000))).toEqual([200, 'POST /a  100000']);
        expect(await h2Request(session, { ...post, 'content-length': '3' }, Buffer.from('abc'))).toEqual([
          200,
          'POST /a  3',
        ]);
        const stream = session.request({ ...post, 'content-length': '4' });
        stream.end('abc');
        expect(await resetOf(stream)).not.toBe(0);
        session.destroy();
      });

      test('are asked for where the client waits for that', async () => {
        await using listener = await listen(echo);
        const stream = h2(listener.port).request({ ':path': '/a', ':method': 'POST', expect: '100-continue' });
        stream.on('error', () => {});
        await once(stream, 'continue');
        stream.end('abc');
        let text = '';
        for await (const chunk of stream) text += chunk;
        expect(text).toBe('POST /a  3');
      });
    });

    describe('limits', () => {
      test('4,000 headers are served, more are a 431, over both protocols', async () => {
        await using listener = await listen(echo);
        const lines = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join('');
        const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, 'b']));
        expect(await raw(listener.port, `GET / HTTP/1.1\r\nHost: x\r\n${lines(3_999)}\r\n`, 'GET')).toContain(' 200 ');
        expect(await raw(listener.port, `GET / HTTP/1.1\r\nHost: x\r\n${lines(4_001)}\r\n`)).toContain(' 431 ');
        const session = h2(listener.port);
        expect((await h2Request(session, { ':path': '/', ...fields(3_996) }))[0]).toBe(200);
        expect((await h2Request(session, { ':path': '/', ...fields(4_001) }))[0]).toBe(431);
        expect((await h2Request(session, { ':path': '/' }))[0]).toBe(200);
        session.destroy();
      });

      test('headers beyond 64 KiB are a 431 over HTTP/2, and a URL beyond 8 KiB a 414', async () => {
        await using listener = await listen(echo);
        const session = h2(listener.port);
        const fields = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, 'b'.repeat(600)]));
        expect((await h2Request(session, { ':path': '/', ...fields(100) }))[0]).toBe(200);
        expect((await h2Request(session, { ':path': '/', ...fields(110) }))[0]).toBe(431);
        expect((await h2Request(session, { ':path': `/${'a'.repeat(8_192)}` }))[0]).toBe(414);
        session.destroy();
      });

      test('more than a hundred streams at once are refused, and the others are served', async () => {
        const held = deferred();
        await using listener = await listen(async (request) => {
          await held.promise;
          return await echo(request);
        });
        const session = h2(listener.port);
        // Before it knows the limit, a client may open more.
        const answers = Array.from({ length: 120 }, () => resetOf(session.request({ ':path': '/' })));
        await once(session, 'remoteSettings');
        held.resolve();
        const codes = await Promise.all(answers);
        expect(codes.filter((code) => code === 0).length).toBeGreaterThanOrEqual(100);
        expect(codes.every((code) => code === 0 || code === 7)).toBe(true);
        session.destroy();
      });
    });

    test('a client of HTTP/2 that gives up its request aborts it, and no other', async () => {
      const gone = deferred<unknown>();
      const seen = deferred();
      await using listener = await listen((request) => {
        if (request.path !== '/wait') return echo(request);
        seen.resolve();
        return new Promise((resolve) => {
          request.signal.addEventListener('abort', () => {
            gone.resolve(request.signal.reason);
            resolve(textResponse(200, ''));
          });
        });
      });
      const session = h2(listener.port);
      const stream = session.request({ ':path': '/wait' });
      stream.on('error', () => {});
      await seen.promise;
      stream.close(8);
      expect(await gone.promise).toEqual(new Error('The client is gone'));
      expect((await h2Request(session, { ':path': '/' }))[0]).toBe(200);
      session.destroy();
    });

    test('a client of HTTP/2 that takes nothing holds up what is made for it', async () => {
      let made = 0;
      async function* endless(): AsyncGenerator<Uint8Array> {
        while (made++ < 1_000) yield Buffer.alloc(64 * 1024);
      }
      await using listener = await listen(async () => ({ status: 200, headers: {}, body: endless() }));
      const stream = h2(listener.port).request({ ':path': '/' });
      stream.on('error', () => {});
      await once(stream, 'response');
      for (let quietTurns = 0, before = 0; quietTurns < 200; before = made) {
        await new Promise(setImmediate);
        quietTurns = made > 0 && made === before ? quietTurns + 1 : 0;
      }
      expect(made).toBeLessThan(1_000);
      stream.close(8);
    });

    test.each<[string, string]>([
      ['no path', '828786'],
      ['two methods', '82828784'],
      ['an unknown pseudo-header', '828784000478787878017a'.replace('78787878', '3a787878')],
      ['a header of connections', '828784000a636f6e6e656374696f6e05636c6f7365'],
      ['an invalid header block', 'ff'],
    ])('a request of HTTP/2 with %s is not served', async (_what, block) => {
      const asked: string[] = [];
      await using listener = await listen((request) => {
        asked.push(request.path);
        return echo(request);
      });
      const socket = tls(listener.port, 'h2');
      await once(socket, 'secureConnect');
      const length = (block.length / 2).toString(16).padStart(6, '0');
      // RST_STREAM or GOAWAY, before which nothing else is sent.
      const isRefused = (bytes: Buffer) => bytes[3] === 3 || bytes[3] === 7;
      socket.write(Buffer.concat([preface, Buffer.from(`000000040000000000${length}010500000001${block}`, 'hex')]));
      let bytes = Buffer.alloc(0);
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        bytes = Buffer.concat([bytes, chunk]);
        while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3) && !isRefused(bytes))
          bytes = bytes.subarray(9 + bytes.readUIntBE(0, 3));
        if (bytes.length >= 9 && isRefused(bytes)) break;
      }
      socket.destroy();
      expect(isRefused(bytes)).toBe(true);
      expect((await h2Request(h2(listener.port), { ':path': '/after' }))[0]).toBe(200);
      expect(asked).toEqual(['/after']);
    });

    describe('WebSockets', () => {
      const open = (port: number, path: string, protocols: string[] = []) =>
        new WebSocket(`wss://127.0.0.1:${port}${path}`, protocols, { ca: authority.certificate });

      test('carry a watch, an event a message', async () => {
        async function* events(): AsyncGenerator<Uint8Array> {
          yield Buffer.from('{"a":1}\n{"b"');
          yield Buffer.from(':2}\n');
        }
        const headers = { 'content-type': 'application/json' };
        await using listener = await listen(async () => ({ status: 200, headers, body: events() }));
        const socket = open(listener.port, '/api/v1/pods?watch=1');
        const messages: string[] = [];
        socket.on('message', (data) => messages.push(String(data)));
        const [code] = await once(socket, 'close');
        expect([...messages, code]).toEqual(['{"a":1}\n', '{"b":2}\n', 1000]);
      });

      test('carry messages both ways for an answer that asks for one, of limited length', async () => {
        const serve = async ({ messages, send, close }: MessageSocket): Promise<void> => {
          for await (const message of messages) {
            if (String(message) === 'end') close();
            else await send(Buffer.from(`${message}!`));
          }
        };
        const webSocket = {
          protocol: 'b',
          maxMessageBytes: 1_000,
          serve: (socket: MessageSocket) => void serve(socket).catch(() => {}),
        };
        await using listener = await listen(async ({ canUpgrade }) =>
          canUpgrade ? { status: 101, headers: {}, body: new Uint8Array(0), webSocket } : textResponse(400, 'no'),
        );
        const socket = open(listener.port, '/exec', ['a', 'b']);
        await once(socket, 'open');
        expect(socket.protocol).toBe('b');
        socket.send('hello');
        const [answer] = await once(socket, 'message');
        expect(String(answer)).toBe('hello!');
        socket.send('end');
        expect((await once(socket, 'close'))[0]).toBe(1000);
        const other = open(listener.port, '/exec', ['b']);
        await once(other, 'open');
        other.send('x'.repeat(1_001));
        expect((await once(other, 'close'))[0]).toBe(1009);
      });
    });

    test('new certificates are shown to new connections, unusable ones change nothing', async () => {
      await using listener = await listen(echo);
      const shown = async (): Promise<string> => {
        const socket = tls(listener.port);
        await once(socket, 'secureConnect');
        const { subject } = socket.getPeerCertificate();
        socket.destroy();
        return String(subject.CN);
      };
      expect(await shown()).toBe('s');
      const usage = { commonName: 'new', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
      listener.setCertificates({
        ...(await issueCertificate(authority, usage, Date.now())),
        clientCa: authority.certificate,
      });
      expect(await shown()).toBe('new');
      expect(() => listener.setCertificates({ ...serverPair, privateKey: client.privateKey })).toThrow();
      expect(await shown()).toBe('new');
    });

    test('the address and port are those that are bound', async () => {
      await using listener = await listen(echo);
      expect(listener.address).toBe('127.0.0.1');
      const taken = listen(echo, { port: listener.port });
      await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
    });
  });
}

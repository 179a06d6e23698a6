import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { get, request as sendRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { deferred } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import type { Backend, Front, Handler, Protocol } from '../../testing/aggregated-backend.ts';
import { alice, openBackend, openFront, ROOT, register, untilAvailable } from '../../testing/aggregated-backend.ts';
import { textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const THING = `${ROOT}/namespaces/default/things/one`;

/** Runs `check` against a server that passes requests on to a backend with this handler. */
async function withBackend(
  handler: Handler,
  protocol: Protocol,
  check: (front: Front, api: TestApi, backend: Backend) => Promise<void>,
): Promise<void> {
  await using backend = await openBackend(handler, protocol);
  backend.server.on('upgrade', (request: IncomingMessage) => handler(request, undefined as never));
  await using api = await openTestApi({ authenticator: { authenticate: () => ({ user: alice, source: 'test' }) } });
  await register(api, backend);
  await untilAvailable(api, 'Passed');
  await using front = await openFront(api);
  await check(front, api, backend);
}

/** Everything a raw connection of HTTP/1.1 hears, until it is closed. */
async function hear(front: Front, text: string): Promise<string> {
  const socket = connectTls({ ...front.address, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  socket.on('error', () => {});
  socket.write(text);
  let heard = '';
  for await (const chunk of socket) heard += String(chunk);
  return heard;
}

/** The status that a client of HTTP/2 gets. */
async function statusOverHttp2(front: Front, path: string): Promise<unknown> {
  const { host, port, ...tls } = front.address;
  const session = connectHttp2(`https://${host}:${port}`, tls);
  session.on('error', () => {});
  try {
    const stream = session.request({ ':path': path });
    const [headers] = await once(stream, 'response');
    stream.resume();
    return headers[':status'];
  } finally {
    session.destroy();
  }
}

const answerRaw =
  (text: string): Handler =>
  ({ socket }) =>
    void socket.write(text);

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n';

describe('an answer 101 of the other server', () => {
  test.each([
    ['with an upgrade', `${SWITCH}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET / HTTP/1.1\r\n\r\n`],
    ['without one', `${SWITCH}\r\n`],
    ['with a length', `${SWITCH}Content-Length: 0\r\n\r\n`],
  ])('that nobody asked for, %s, is a 502', (_how, text) =>
    withBackend(answerRaw(text), 'http/1.1', async (front) => {
      const heard = await hear(front, `GET ${THING} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(heard).toMatch(/^HTTP\/1\.1 502 /);
      expect(heard).not.toMatch(/upgrade:|101 Switching/i);
      expect(await statusOverHttp2(front, THING)).toBe(502);
    }),
  );

  test.each([
    ['websocket', 'foo'],
    ['websocket', ''],
    ['websocket', 'websocket, foo'],
    ['SPDY/3.1', 'websocket'],
  ])('to somebody who asked for %s grants nothing else: %s', (asked, granted) =>
    withBackend(
      answerRaw(`${SWITCH}Connection: Upgrade\r\nUpgrade: ${granted}\r\n\r\nhello`),
      'http/1.1',
      async (front) => {
        const head = `GET ${THING}/connect HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${asked}\r\n\r\n`;
        const heard = await hear(front, `${head}GET /secret HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect(heard).toMatch(/^HTTP\/1\.1 502 /);
        expect(heard).not.toContain('hello');
      },
    ),
  );

  test('is none where the word stands after blanks instead of a comma', () =>
    withBackend(
      answerRaw(`${SWITCH}Connection: a${' '.repeat(12_000)}upgrade\r\nUpgrade: websocket\r\n\r\nhello`),
      'http/1.1',
      async (front) => {
        const head = `GET ${THING}/connect HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
        expect(await hear(front, `${head}GET /secret HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 502 /);
      },
    ));

  test.each(['Upgrade', 'keep-alive , \tUPGRADE,x'])(
    'to who asked for the same in other letters is granted: %j',
    (names) =>
      withBackend(
        answerRaw(`${SWITCH}Connection: ${names}\r\nUpgrade: WebSocket\r\nContent-Length: 5\r\n\r\nhello`),
        'http/1.1',
        async (front) => {
          const request = get({
            ...front.address,
            path: `${THING}/connect`,
            headers: { connection: 'Upgrade', upgrade: 'websocket' },
          });
          const [response, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Duplex];
          expect(response.headers).not.toHaveProperty('content-length');
          socket.destroy();
        },
      ),
  );
});

test.each(['099', '000', '600', '999'])('a status of %s is a 502', (status) =>
  withBackend(answerRaw(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`), 'http/1.1', async (front) => {
    const heard = await hear(front, `GET ${THING} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 (502|503) /);
    expect(await statusOverHttp2(front, THING)).toBeOneOf([502, 503]);
  }),
);

test('an answer 204 has neither a length nor a body, whatever the other server says', async () => {
  const raw = answerRaw('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\nX-Kept: yes\r\n\r\nok');
  await withBackend(raw, 'http/1.1', async (front, api) => {
    const heard = await hear(front, `GET ${THING} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(heard).toMatch(/^HTTP\/1\.1 204 .*x-kept: yes/is);
    expect(heard).not.toMatch(/content-length|transfer-encoding|ok$/i);
    const answer = await api.server.send('GET', THING);
    expect([answer.status, answer.headers['content-length'], await textOf(answer)]).toEqual([204, undefined, '']);
  });
});

test('other answers 1xx announce an answer, and are not it', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
  await withBackend(
    answerRaw(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`),
    'http/1.1',
    async (_front, api) => {
      const answer = await api.server.send('GET', THING);
      expect([answer.status, await textOf(answer)]).toEqual([200, 'ok']);
    },
  );
  const hints: Handler = (_request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('ok');
  };
  await withBackend(hints, 'h2', async (_front, api) => {
    const answer = await api.server.send('GET', THING);
    expect([answer.status, await textOf(answer)]).toEqual([200, 'ok']);
  });
});

describe.each<Protocol>(['http/1.1', 'h2'])('over %s', (protocol) => {
  test.each([
    ['of a length that was said', { 'content-length': '10' }],
    ['of any length', {}],
    ['that is compressed', { 'content-encoding': 'gzip' }],
  ])('an answer %s that breaks off is cut for the client, too', async (_which, headers) => {
    const handler: Handler = (_request, response) => {
      response.writeHead(200, headers);
      response.write('content-encoding' in headers ? gzipSync('12345').subarray(0, 12) : '12345');
    };
    await withBackend(handler, protocol, async (front, _api, backend) => {
      const request = sendRequest({ ...front.address, path: THING }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      backend.cut();
      await expect(response.toArray()).rejects.toThrow();
    });
  });
});

test('headers that the other server says are about its connection end there', () =>
  withBackend(
    answerRaw(
      'HTTP/1.1 200 OK\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=1\r\nX-Kept: 1\r\nContent-Length: 0\r\n\r\n',
    ),
    'http/1.1',
    async (_front, api) => {
      const { headers } = await api.server.send('GET', THING);
      expect(headers).toMatchObject({ 'x-kept': '1' });
      for (const name of ['x-hop', 'keep-alive', 'connection']) expect(headers).not.toHaveProperty(name);
    },
  ));

test.each(['%ff', '%C3', '%c0%ae%c0%ae', '%ed%a0%80', '..%2fx', '%2e%2e%2fx', 'a/%2e', '%zz', '%'])(
  'a path with %s is answered here, and with no error of this server',
  (segment) =>
    withBackend(
      (_request, response) => response.end('reached'),
      'http/1.1',
      async (_front, api) => {
        const answer = await api.server.send('GET', `${ROOT}/things/${segment}`);
        expect(answer.status).toBe(400);
        expect(await textOf(answer)).not.toBe('reached');
      },
    ),
);

test('parameters reach the other server byte for byte', () =>
  withBackend(
    ({ url }, response) => response.end(url),
    'http/1.1',
    async (_front, api) => {
      const answer = await api.server.send('GET', `${ROOT}/things?b=%ff%00&a=%C3`);
      expect(await textOf(answer)).toBe(`${ROOT}/things?a=%C3&b=%FF%00`);
    },
  ));

test.each([
  ['at once', 0],
  ['later, while nobody asks', 1],
])('an answer that nobody asked for, %s, is nobody’s', async (_when, late) => {
  const ok = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const sent = deferred();
  let asked = 0;
  const handler: Handler = ({ socket }) => {
    const own = ok(`own ${++asked}`);
    if (asked > 1) socket.write(own);
    else if (late === 0) socket.write(own + ok('planted'), () => sent.resolve());
    else socket.write(own, () => setImmediate(() => socket.write(ok('planted'), () => sent.resolve())));
  };
  await withBackend(handler, 'http/1.1', async (_front, api) => {
    expect(await textOf(await api.server.send('GET', THING))).toBe('own 1');
    await sent.promise;
    expect(await textOf(await api.server.send('GET', THING))).toBe('own 2');
  });
});

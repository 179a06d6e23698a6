import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import type { ApiRequest } from '@pintle/apiserver';
import { HttpsListener } from '@pintle/apiserver';
import { textResponse } from '@pintle/apiserver/request';
import type { Field } from '@pintle/http2';
import { FRAME, trimFieldValue } from '@pintle/http2';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GET, Peer } from '../../testing/http2-peer.ts';

type Fields = readonly (readonly [name: string, value: string])[];

let authority: KeyPair;
let listener: HttpsListener;
let peer: Peer;
let nextId = 1;
let seen: ApiRequest['headers'] | undefined;

beforeAll(async () => {
  const now = Date.now();
  authority = await createAuthority('test', 1, now);
  const pair = await issueCertificate(
    authority,
    { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
    now,
  );
  const handle = (request: ApiRequest) => {
    seen = request.headers;
    return textResponse(200, 'served');
  };
  listener = await HttpsListener.listen({ handle, ...pair });
  const { port } = listener;
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  peer = Peer.on(socket);
});

afterAll(async () => {
  peer.socket.destroy();
  await listener.close({ graceMs: 0 });
});

/** Sends bytes over HTTP/1.1; gives the first line of the answer. */
async function send(bytes: string): Promise<string> {
  seen = undefined;
  const { port } = listener;
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(bytes, 'latin1');
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('\r\n')) break;
  }
  return text.split('\r\n', 1)[0]!;
}

async function overHttp1(fields: Fields): Promise<[number, ApiRequest['headers'] | undefined]> {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const line = await send(`GET / HTTP/1.1\r\nHost: h\r\n${lines}\r\n`);
  return [Number(line.split(' ')[1]), seen];
}

async function overHttp2(fields: Fields): Promise<[number, ApiRequest['headers'] | undefined]> {
  seen = undefined;
  const streamId = nextId;
  nextId += 2;
  const own: Field[] = [...GET.filter(([name]) => name !== ':authority'), [':authority', 'h']];
  peer.request(streamId, [...own, ...fields.map(([name, value]): Field => [name.toLowerCase(), value])]);
  const head = await peer.until(() => peer.find(FRAME.headers, streamId));
  return [Number(head.text), seen];
}

const many = (count: number): Fields => Array.from({ length: count }, (_value, index) => [`a${index}`, 'b']);

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('the headers of a request over %s', (_protocol, sendOver) => {
  test('are all seen, the last of thousands too', async () => {
    const [status, headers] = await sendOver([...many(3_900), ['Impersonate-User', 'mallory']]);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ a3899: 'b', 'impersonate-user': 'mallory' });
  });

  test('are never cut: beyond their number or size the request is refused', async () => {
    for (const count of [4_001, 5_000, 8_000]) {
      expect(await sendOver([...many(count), ['Impersonate-User', 'mallory']])).toEqual([431, undefined]);
    }
    expect(await sendOver([['a', 'b'.repeat(66_000)]])).toEqual([431, undefined]);
  });

  test('have every group of a user', async () => {
    const groups = Array.from({ length: 1_000 }, (_value, index) => `team ${index}, "and, commas"`);
    const [status, headers] = await sendOver(groups.map((group) => ['Impersonate-Group', group]));
    expect(status).toBe(200);
    expect(headers?.['impersonate-group']).toEqual(groups);
  });

  test('count once where only one can be meant: the first', async () => {
    const [, headers] = await sendOver([
      ['Authorization', 'Bearer a'],
      ['X-Remote-User', 'ann'],
      ['X-Remote-User', 'root'],
      ['Authorization', 'Bearer b'],
      ['User-Agent', 'u'],
      ['User-Agent', 'v'],
    ]);
    expect(headers).toMatchObject({ authorization: 'Bearer a', 'x-remote-user': ['ann', 'root'], 'user-agent': 'u' });
  });
});

test('both protocols tell the same headers', async () => {
  const name = fc.oneof(
    fc.constantFrom('Impersonate-User', 'impersonate-group', 'X-Remote-Extra-a', 'Cookie', '__proto__', 'constructor'),
    fc.constantFrom(
      'Authorization',
      'Content-Type',
      'Accept',
      'User-Agent',
      'If-None-Match',
      'Date',
      'Via',
      'Set-Cookie',
    ),
    fc.stringMatching(/^[A-Za-z!#$&'*+.^_|~-][\w-]{0,8}$/).filter((text) => !RESERVED.test(text)),
  );
  const value = fc.stringMatching(/^[\t !-~\x80-\xff]{0,30}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 30 }), async (fields) => {
      const [, first] = await overHttp1(fields);
      // Space around a value is no part of it in HTTP/1.1, and not allowed in HTTP/2.
      const [, second] = await overHttp2(fields.map(([name, value]) => [name, trimFieldValue(value)]));
      expect(first).toBeDefined();
      expect({ ...second }).toEqual({ ...first });
    }),
    { numRuns: 150 },
  );
});

const RESERVED =
  /^(host|connection|keep-alive|proxy-connection|transfer-encoding|upgrade|te|content-length|expect|trailer|http2-settings)$/i;

test.each([
  ['two hosts', '400', 'GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
  ['no host', '400', 'GET / HTTP/1.1\r\n\r\n'],
  ['a host that is none', '400', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['HTTP/0.9', '505', 'GET / HTTP/0.9\r\n\r\n'],
  ['no version', '505', 'GET /\r\n\r\n'],
  ['HTTP/2.0', '505', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
  ['an unknown expectation', '417', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n'],
  ['a NUL in a value', '400', 'GET / HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n'],
  ['a fold', '400', 'GET / HTTP/1.1\r\nHost: a\r\nImpersonate-User: a\r\n  b\r\n\r\n'],
  ['a bare carriage return', '400', 'GET / HTTP/1.1\r\nHost: a\r\nA: b\rImpersonate-User: c\r\n\r\n'],
  ['a space before the colon', '400', 'GET / HTTP/1.1\r\nHost: a\r\nImpersonate-User : c\r\n\r\n'],
  [
    'an upgrade with too many headers',
    '431',
    `GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${'a: b\r\n'.repeat(4_001)}\r\n`,
  ],
  [
    'an upgrade with two hosts',
    '400',
    'GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
  ],
])('%s is refused before anything looks at it: %s', async (_what, status, bytes) => {
  expect((await send(bytes)).split(' ')[1]).toBe(status);
  expect(seen).toBeUndefined();
});

test('trailers are not headers', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: Impersonate-User\r\n\r\n';
  expect(await send(`${head}1\r\nx\r\n0\r\nImpersonate-User: root\r\n\r\n`)).toContain(' 200 ');
  expect(seen).not.toHaveProperty('impersonate-user');
});

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import type { AuditEvent } from '@pintle/apiserver';
import { HttpsListener } from '@pintle/apiserver';
import { SteppedClock, systemRandom } from '@pintle/async';
import type { Field } from '@pintle/http2';
import { FRAME } from '@pintle/http2';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { openMemoryStore } from '@pintle/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KubeApiServer } from '../../kube-api-server.ts';
import { Peer } from '../../testing/http2-peer.ts';

let authority: KeyPair;
let server: KubeApiServer;
let listener: HttpsListener;
const errors: unknown[] = [];
const audited: AuditEvent[] = [];

beforeAll(async () => {
  const now = Date.now();
  authority = await createAuthority('test', 1, now);
  const clock = new SteppedClock();
  server = await KubeApiServer.open({
    store: await openMemoryStore({ clock }),
    clock,
    random: systemRandom,
    authenticator: { authenticate: () => undefined },
    audit: { sink: { write: (event) => void audited.push(event) } },
    onError: (error) => errors.push(error),
  });
  const names = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
  const pair = await issueCertificate(authority, names, now);
  listener = await HttpsListener.listen({ handle: (request) => server.answer(request), ...pair });
});

afterAll(async () => {
  await listener.close({ graceMs: 0 });
  await server.close();
});

async function ask(method: string, path: string, more: readonly Field[] = []): Promise<Peer> {
  const { port } = listener;
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const peer = Peer.on(socket);
  const head: Field[] = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', 'a'],
    [':path', path],
  ];
  peer.request(1, [...head, ...more]);
  return peer;
}

const words = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'FOO', 'get'];

test.each(words)(
  'the method %s is one that nobody knows: forbidden, audited, and the end of a stranger’s connection',
  async (word) => {
    audited.length = 0;
    for (const path of ['/api/v1/pods', '/api/v1/namespaces/default/pods/x', '/apis/apps/v1/deployments']) {
      const peer = await ask(word, path);
      expect((await peer.until(() => peer.find(FRAME.headers, 1))).text).toBe('403');
      await peer.closed();
      expect(peer.find(FRAME.goAway, 0)?.text).toBe('1 NO_ERROR');
    }
    expect(errors).toEqual([]);
    expect(audited.filter(({ stage }) => stage === 'ResponseComplete')).toHaveLength(3);
  },
);

test.each(words)('the word %s does no harm in a path, a query or a header', async (word) => {
  errors.length = 0;
  for (const path of [
    `/${word}`,
    `/api/${word}`,
    `/apis/${word}/${word}/${word}/${word}`,
    `/api/v1/${word}/${word}/${word}`,
  ]) {
    const peer = await ask('GET', `${path}?${word}=${word}&fieldSelector=${word}%3D${word}`, [
      [word.toLowerCase(), word],
      ['accept', `${word}/${word};as=${word};g=${word};v=${word}`],
      ['content-type', word],
      ['accept-encoding', word],
    ]);
    expect((await peer.until(() => peer.find(FRAME.headers, 1))).text).toMatch(/^4/);
    await peer.closed();
  }
  expect(errors).toEqual([]);
});

test('an answer that comes before authentication ends a stranger’s connection, too', async () => {
  for (const path of ['/api/v1/%zz', '/api/v1/watch', '/api/v1/proxy']) {
    const peer = await ask('GET', path);
    expect((await peer.until(() => peer.find(FRAME.headers, 1))).text).toMatch(/^[45]/);
    await peer.closed();
  }
});

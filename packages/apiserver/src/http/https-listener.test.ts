import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { textResponse } from '../request/exchange.ts';
import { describeListener } from '../testing/describe-listener.ts';
import type { HttpListener, ListenOptions } from './http-listener.ts';
import { HttpsListener } from './https-listener.ts';
import { readBody } from './read-body.ts';

describeListener('the listener with its own HTTP/2', (options) => HttpsListener.listen({ ...options, http2: 'fast' }));
describeListener("the listener with Node's HTTP/2", (options) => HttpsListener.listen({ ...options, http2: 'node' }));
describeListener('a listener whose connections another one accepts', openBehind);

describe.each(['fast', 'node'] as const)('a listener with %s HTTP/2 that diverts connections', (http2) => {
  test('serves those that nobody takes', async () => {
    const authority = await createAuthority('test', 1, Date.now());
    const pair = await issueCertificate(
      authority,
      { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
      Date.now(),
    );
    const seen: (string | undefined)[] = [];
    await using listener = await HttpsListener.listen({
      handle: () => textResponse(200, 'hello'),
      ...pair,
      http2,
      divert: ({ remoteAddress }) => {
        seen.push(remoteAddress);
        return false;
      },
    });
    const { get } = await import('node:https');
    for (let connection = 0; connection < 3; connection++) {
      const text = await new Promise<string>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: listener.port, ca: authority.certificate, agent: false };
        get(options, async (response) => {
          let body = '';
          for await (const chunk of response) body += chunk;
          resolve(body);
        }).on('error', reject);
      });
      expect(text).toBe('hello');
    }
    expect(seen).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  });
});

test('a private listener serves requests without TLS on a path', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'socket');
    await using _listener = await HttpsListener.listenPrivately({
      path,
      handle: async (received) => textResponse(200, `${received.path} ${await readBody(received, 100)}`),
    });
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request({ socketPath: path, path: '/a', method: 'POST', agent: false }, async (response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve(body);
      });
      sent.on('error', reject).end('body');
    });
    expect(text).toBe('/a body');
  });
});

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  return await run(folder).finally(() => rm(folder, { recursive: true }));
}

/** Opens a listener on a path, and another on a port that gives it all connections. */
async function openBehind(options: ListenOptions): Promise<HttpListener> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-'));
  const { host, port, ...rest } = options;
  const behind = await HttpsListener.listen({ ...rest, path: join(folder, 'socket') });
  const front = await HttpsListener.listen({
    ...options,
    divert: (socket) => {
      behind.accept(socket);
      return true;
    },
  });
  const close = async (closing?: { readonly graceMs?: number }): Promise<void> => {
    await Promise.all([front.close(closing), behind.close(closing)]);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    address: front.address,
    port: front.port,
    accept: (socket) => behind.accept(socket),
    setCertificates: (certificates) => behind.setCertificates(certificates),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

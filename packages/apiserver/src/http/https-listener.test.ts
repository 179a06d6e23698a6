import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textResponse } from '../request/exchange.ts';
import { describeListener } from '../testing/describe-listener.ts';
import type { HttpListener, ListenOptions } from './http-listener.ts';
import { HttpsListener } from './https-listener.ts';
import { readBody } from './read-body.ts';

describeListener('the listener with its own HTTP/2', (options) => HttpsListener.listen({ ...options, http2: 'fast' }));
describeListener("the listener with Node's HTTP/2", (options) => HttpsListener.listen({ ...options, http2: 'node' }));
describeListener('a listener whose connections another one accepts', openBehind);
describeListener('a listener that could divert its connections', (options) =>
  HttpsListener.listen({ ...options, divert: () => false }),
);
describeListener("a listener with Node's HTTP/2 that could divert its connections", (options) =>
  HttpsListener.listen({ ...options, http2: 'node', divert: () => false }),
);

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

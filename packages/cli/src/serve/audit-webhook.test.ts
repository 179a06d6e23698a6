import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWebhookSink } from './audit-webhook.ts';
import { createLog } from './log.ts';

async function kubeconfigFor(server: string, run: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-audit-'));
  const path = join(folder, 'kubeconfig');
  const config = {
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'c', user: { token: 't' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  };
  await writeFile(path, JSON.stringify(config));
  await run(path).finally(() => rm(folder, { recursive: true }));
}

test('events reach the webhook that a kubeconfig names', async () => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ request, body });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await kubeconfigFor(`http://127.0.0.1:${port}/audit?cluster=a`, async (kubeconfig) => {
    const sink = await openWebhookSink({ kubeconfig }, createLog());
    sink.write({
      auditID: 'x',
      level: 'Metadata',
      stage: 'ResponseComplete',
      requestURI: '/',
      verb: 'get',
      user: {},
    } as never);
    await sink.close();
    expect(sink.dropped).toBe(0);
  });
  expect(seen).toHaveLength(1);
  const [{ request, body }] = seen as [{ request: IncomingMessage; body: string }];
  expect(request.url).toBe('/audit?cluster=a');
  expect(request.headers.authorization).toBe('Bearer t');
  expect(JSON.parse(body)).toMatchObject({ kind: 'EventList', items: [{ auditID: 'x' }] });
  server.closeAllConnections();
  server.close();
});

test('a webhook elsewhere is spoken to over TLS or not at all', () =>
  kubeconfigFor('http://audit.example.com/', async (kubeconfig) => {
    await expect(openWebhookSink({ kubeconfig }, createLog())).rejects.toThrow('is not https');
  }));

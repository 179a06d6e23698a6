import { Client } from '@pintle/client';
import { expect, test } from 'vitest';
import { checkReach, isLoopback } from './reach.ts';

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['fe80::1', false],
  ['no-such-host.invalid', false],
])('%s is this machine alone: %s', async (host, isIt) => expect(await isLoopback(host)).toBe(isIt));

const { signal } = new AbortController();

function clientOf(endpoint: { server: string; proxy?: string } | undefined, gitVersion: string): Client {
  const send = async () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ gitVersion })) });
  return new Client({ transport: { send, ...(endpoint && { endpoint }) } });
}

const PINTLE = 'v1.36.4+pintle';
const KIND = 'v1.34.0';

test.each<[string, { server: string; proxy?: string } | undefined, string, string, boolean]>([
  ['a server in this process', undefined, KIND, 'https://localhost:9443', false],
  ['a Pintle on this machine', { server: 'https://127.0.0.1:6443' }, PINTLE, 'https://localhost:9443', false],
  [
    'another server that runs on this machine',
    { server: 'https://127.0.0.1:6443' },
    KIND,
    'https://localhost:9443',
    true,
  ],
  ['an address that all can reach', { server: 'https://10.0.0.1' }, KIND, 'https://me.invalid:9443', false],
])('%s may be told', async (_what, endpoint, version, url, isExplicit) => {
  await checkReach(clientOf(endpoint, version), { url, isExplicit, signal });
});

test.each<[string, { server: string; proxy?: string }, string, boolean]>([
  ['a server elsewhere', { server: 'https://10.0.0.1:6443' }, PINTLE, false],
  ['a server elsewhere, whoever says so', { server: 'https://10.0.0.1:6443' }, PINTLE, true],
  ['a container whose port ends here', { server: 'https://127.0.0.1:40001' }, KIND, false],
  ['a server behind a proxy', { server: 'https://localhost:6443', proxy: 'http://proxy:3128' }, PINTLE, false],
])('%s is not told of this machine', async (_what, endpoint, version, isExplicit) => {
  const checked = checkReach(clientOf(endpoint, version), { url: 'https://localhost:9443', isExplicit, signal });
  await expect(checked).rejects.toMatchObject({ failure: { code: 'WebhooksOutOfReach', server: endpoint.server } });
  await expect(checked).rejects.toThrow(/--webhook-url .*--no-webhooks/);
});

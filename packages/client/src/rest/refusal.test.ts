import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import type { Transport } from '../transport/transport.ts';
import { Client } from './client.ts';

const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 };

/** Refuses every request. The body is there at once, as that of a small response. */
const transport: Transport = {
  send: async () => ({
    status: 404,
    headers: {},
    body: Buffer.from(JSON.stringify({ ...STATUS, message: 'not here' })),
  }),
};
const web = { namespace: 'default', name: 'web' };

test.each<[string, (client: Client) => Promise<unknown>]>([
  ['get', (client) => client.get(ConfigMap, web)],
  ['list', (client) => client.list(ConfigMap)],
  ['create', (client) => client.create(ConfigMap, { metadata: web })],
  ['apply', (client) => client.apply(ConfigMap, { metadata: web }, { fieldManager: 'a' })],
  ['delete', (client) => client.delete(ConfigMap, web)],
])('the stack of a refused %s leads to the line that asked', async (_verb, call) => {
  const askHere = async (): Promise<void> => void (await call(new Client({ transport })));
  await expect(askHere()).rejects.toMatchObject({ message: 'not here', stack: expect.stringContaining('askHere') });
});

import { Agent, request } from 'node:https';
import { HttpsListener } from '@pintle/apiserver';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { expect, test } from 'vitest';
import { openTestServer } from '../../testing/open-test-server.ts';

const JOE = { username: 'joe', groups: ['system:authenticated'] };
/** More than a write may have. */
const LONG = Buffer.alloc(4 * 1024 * 1024, ' ');

test('a connection goes on after a long body that was refused unread', async () => {
  await using api = await openTestServer({ authenticator: { authenticate: () => ({ user: JOE, source: 'test' }) } });
  const now = Date.now();
  const authority = await createAuthority('test', 1, now);
  const options = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, options, now);
  const listener = await HttpsListener.listen({ handle: (each) => api.server.answer(each), ...pair });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
  const send = (method: string, path: string, body?: Buffer): Promise<[status: number, isReused: boolean]> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body?.length ?? 0 };
      const sent = request({ host: '127.0.0.1', port: listener.port, agent, method, path, headers });
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.resume().on('end', () => resolve([response.statusCode ?? 0, sent.reusedSocket]));
      });
      sent.end(body);
    });
  try {
    expect(await send('POST', '/api/v1/namespaces/default/configmaps', LONG)).toEqual([403, false]);
    expect(await send('GET', '/version')).toEqual([200, true]);
  } finally {
    agent.destroy();
    await listener.close({ graceMs: 0 });
  }
});

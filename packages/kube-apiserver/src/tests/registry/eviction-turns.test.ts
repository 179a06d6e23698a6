import { longestComputation } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer } from '../../testing/open-test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

async function create(api: TestServer, path: string, body: object): Promise<void> {
  const { status } = await api.send('POST', path, { body });
  expect(status).toBe(201);
}

test('an eviction looks at budgets with large selectors in turns', async () => {
  await using api = await openTestServer();
  await create(api, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  const spec = { containers: [{ name: 'main', image: 'main' }] };
  await create(api, PODS, { metadata: { name: 'web', labels: { app: 'web' } }, spec });
  const status = { status: { phase: 'Running' } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await api.send('PATCH', `${PODS}/web/status`, { headers, body: status })).status).toBe(200);
  const values = Array.from({ length: 20_000 }, (_, i) => `v${i}`);
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };
  for (let i = 0; i < 25; i++) await create(api, BUDGETS, { metadata: { name: `b${i}` }, spec: { selector } });
  const evict = async (): Promise<void> => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } };
    expect((await api.send('POST', `${PODS}/web/eviction?dryRun=All`, { body })).status).toBe(201);
  };
  await evict();
  expect(await longestComputation(evict)).toBeLessThan(100);
});

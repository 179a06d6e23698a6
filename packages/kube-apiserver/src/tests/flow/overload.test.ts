import type { UserInfo } from '@pintle/apiserver';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { realClock } from '@pintle/async';
import { threadTimer } from '@pintle/async/testing';
import { openMemoryStore } from '@pintle/store';
import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const OBJECTS = 500;
const PARALLEL = 1_000;
const RENEWALS = 20;
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leader';
const greedy: UserInfo = { username: 'greedy', groups: ['system:masters-of-lists', 'system:authenticated'] };
const leader: UserInfo = { username: 'system:kube-scheduler', groups: ['system:authenticated'] };
const polite: UserInfo = { username: 'polite', groups: ['system:authenticated'] };

test('an overload of lists is turned away in part and starves neither leases nor other users', async () => {
  await using store = await openMemoryStore({ clock: realClock });
  await using api = await openTestServer({ store, clock: realClock, authorizer: { authorize: () => ALLOWED } });
  await store.commit(
    Array.from({ length: OBJECTS }, (_, i) => {
      const metadata = { name: `map-${i}`, namespace: 'default' };
      const value = encodeObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { text: 'x'.repeat(200) },
      } as never);
      return {
        type: 'put' as const,
        key: objectKey({ group: '', resource: 'configmaps' }, 'default', metadata.name),
        value,
      };
    }),
  );
  let lease = await api.send('POST', LEASE.replace('/leader', ''), {
    body: { metadata: { name: 'leader' }, spec: {} },
  });

  const lists = Array.from({ length: PARALLEL }, async () => {
    const response = await api.send('GET', '/api/v1/configmaps', { user: greedy });
    await textOf(response);
    return response;
  });
  const renewals: number[] = [];
  for (let i = 0; i < RENEWALS; i++) {
    const computedMs = threadTimer();
    const { metadata } = JSON.parse(await textOf(lease));
    const body = { metadata, spec: { holderIdentity: `${i}` } };
    lease = await api.send('PUT', LEASE, { user: leader, body });
    expect(lease.status).toBe(200);
    renewals.push(computedMs());
  }
  expect((await api.send('GET', '/api/v1/configmaps?limit=5', { user: polite })).status).toBe(200);

  const answers = await Promise.all(lists);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
  expect(refused.length).toBeGreaterThan(500);
  expect(refused.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
  // Ten seconds are what a leader has to renew its lease; of those the lists may take a small part.
  expect(Math.max(...renewals)).toBeLessThan(2_000);
});

const ALLOWED = { allowed: true, reason: '' } as const;

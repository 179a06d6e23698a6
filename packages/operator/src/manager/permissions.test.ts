import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TransportRequest } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { Permissions } from './permissions.ts';
import { rolesOf } from './roles.ts';

async function ask(permissions: Permissions, method: string, path: string): Promise<void> {
  const request: TransportRequest = { method, path };
  await permissions.watch(request, async () => ({ status: 200, headers: {}, body: [] }) as never);
}

test('what is declared for one namespace is allowed there and nowhere else', async () => {
  const permissions = new Permissions();
  permissions.declareIn('home', Lease, ['create', 'get']);
  await ask(permissions, 'GET', '/apis/coordination.k8s.io/v1/namespaces/home/leases/mine');
  expect(rolesOf(permissions, { name: 'some' })).toMatchObject([
    { kind: 'Role', metadata: { namespace: 'home' }, rules: [{ resources: ['leases'], verbs: ['create', 'get'] }] },
  ]);
  await ask(permissions, 'GET', '/apis/coordination.k8s.io/v1/namespaces/other/leases/yours');
  expect(rolesOf(permissions, { name: 'some' })).toMatchObject([
    { kind: 'ClusterRole', rules: [{ resources: ['leases'], verbs: ['get'] }] },
    { kind: 'Role' },
  ]);
});

test('whoever subscribes is told what was seen, not what was declared, and nothing of other clusters', async () => {
  const told: unknown[] = [];
  const onUse = (use: unknown): void => void told.push(use);
  subscribe('pintle:use', onUse);
  try {
    const permissions = new Permissions();
    permissions.declare(ConfigMap, ['delete']);
    permissions.declareIn('home', Lease, ['get']);
    await ask(permissions, 'GET', '/api/v1/namespaces/home/configmaps/one');
    await ask(permissions, 'GET', '/apis/coordination.k8s.io/v1/namespaces/home/leases/mine');
    await ask(new Permissions({ isTold: false }), 'GET', '/api/v1/nodes/one');
    expect(told).toEqual([{ group: '', resource: 'configmaps', verb: 'get', isNamespaced: true }]);
  } finally {
    unsubscribe('pintle:use', onUse);
  }
});

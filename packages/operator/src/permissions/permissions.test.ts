import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TransportRequest } from '@pintle/client';
import { MutatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { Permissions } from './permissions.ts';
import { rolesOf } from './roles.ts';

async function ask(
  permissions: Permissions,
  method: string,
  path: string,
  status = 200,
  headers: Record<string, string> = {},
): Promise<void> {
  const request: TransportRequest = { method, path, headers };
  await permissions.watch(request, async () => ({ status, headers: {}, body: [] }) as never);
}

test('what is declared for one namespace is allowed there and nowhere else', async () => {
  const permissions = new Permissions();
  permissions.declare(Lease, ['create', 'get'], { namespace: 'home' });
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

test('what is declared by name is allowed for that object, and others only once they are asked for', async () => {
  const permissions = new Permissions();
  permissions.declare(MutatingWebhookConfiguration, ['get', 'patch'], { names: ['mine', 'also-mine'] });
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  await ask(permissions, 'GET', `${path}/mine`);
  await ask(permissions, 'PATCH', `${path}/mine`, 201);
  const named = {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    verbs: ['get', 'patch'],
    resourceNames: ['also-mine', 'mine'],
  };
  expect(permissions.rules()).toEqual([named]);
  await ask(permissions, 'PATCH', `${path}/theirs`);
  expect(permissions.rules()).toEqual([
    { apiGroups: named.apiGroups, resources: named.resources, verbs: ['patch'] },
    named,
  ]);
});

test('whoever subscribes is told what was seen, not what was declared, and nothing of other clusters', async () => {
  const told: unknown[] = [];
  const onUse = (use: unknown): void => void told.push(use);
  subscribe('pintle:use', onUse);
  try {
    const permissions = new Permissions({ manager: 'fruits', isControlPlane: false });
    permissions.declare(ConfigMap, ['delete']);
    permissions.declare(Lease, ['get'], { namespace: 'home' });
    await ask(permissions, 'GET', '/api/v1/namespaces/home/configmaps/one');
    await ask(permissions, 'GET', '/apis/coordination.k8s.io/v1/namespaces/home/leases/mine');
    await ask(new Permissions(), 'GET', '/api/v1/nodes/one');
    expect(told).toEqual([
      { manager: 'fruits', isControlPlane: false, group: '', resource: 'configmaps', verb: 'get', isNamespaced: true },
    ]);
  } finally {
    unsubscribe('pintle:use', onUse);
  }
});

test('an apply of an object that was there needs to create too, on a cluster where it is not', async () => {
  const permissions = new Permissions();
  const apply = (path: string) =>
    ask(permissions, 'PATCH', path, 200, { 'content-type': 'application/apply-patch+yaml' });
  await apply('/api/v1/namespaces/default/configmaps/label');
  await apply('/apis/apps/v1/namespaces/default/deployments/web/status');
  expect(permissions.rules()).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] },
    { apiGroups: ['apps'], resources: ['deployments/status'], verbs: ['patch'] },
  ]);
});

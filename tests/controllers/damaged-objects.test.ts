import type { Client } from '@pintle/client';
import { addBuiltinControllers } from '@pintle/controllers';
import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import type { ControlPlane } from '@pintle/testing';
import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';

const CONTROLLERS = ['namespace-controller', 'garbage-collector-controller'];

/** A plane in which the ConfigMap of that name cannot be read. */
async function openDamaged(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  prepare: (client: Client) => Promise<void>,
): Promise<ControlPlane> {
  await using before = await startControlPlane({ clock: stepped({ isConcurrent: true }), env: {} });
  await prepare(before.client);
  const { metadata } = await before.client.get(ConfigMap, { namespace, name });
  const snapshot = await before.snapshot();
  for (const [revision, subs] of snapshot.disk.values) {
    if (String(revision) !== metadata.resourceVersion) continue;
    for (const [sub, bytes] of [...subs]) subs.set(sub, Buffer.alloc(bytes.length));
  }
  const plane = await startControlPlane({ from: snapshot });
  plane.operator((manager) => addBuiltinControllers(manager, CONTROLLERS, { rootCa: '', namespaceGraceMs: 0 }));
  return plane;
}

async function deleteUnread(client: Client, namespace: string, name: string): Promise<void> {
  const query = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';
  await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/configmaps/${name}`, query });
}

test('a namespace stays as long as something damaged is in it, and says so', async () => {
  await using plane = await openDamaged({ namespace: 'full', name: 'b' }, async (client) => {
    await client.create(Namespace, { metadata: { name: 'full' } });
    for (const name of ['a', 'b']) await client.create(ConfigMap, { metadata: { namespace: 'full', name } });
  });
  const { client } = plane;
  await client.delete(Namespace, { name: 'full' });
  const failed = await plane.eventually(async () => {
    const { status } = await client.get(Namespace, { name: 'full' });
    return status?.conditions?.find(
      ({ type, status: is }) => type === 'NamespaceDeletionContentFailure' && is === 'True',
    );
  });
  expect(failed?.message).toContain('damaged');
  expect((await client.list(ConfigMap, { namespace: 'full' })).items).toEqual([]);
  await deleteUnread(client, 'full', 'b');
  await plane.eventually(async () => (await client.find(Namespace, { name: 'full' })) === undefined);
});

test('what a damaged object owns is not taken for garbage until the owner is deleted', async () => {
  const namespace = 'default';
  await using plane = await openDamaged({ namespace, name: 'owner' }, async (client) => {
    const { metadata } = await client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid ?? '' };
    await client.create(ConfigMap, { metadata: { namespace, name: 'child', ownerReferences: [owner] } });
  });
  const { client } = plane;
  await plane.clock.advance(120_000);
  expect(await client.find(ConfigMap, { namespace, name: 'child' })).toBeDefined();
  await deleteUnread(client, namespace, 'owner');
  await plane.eventually(async () => (await client.find(ConfigMap, { namespace, name: 'child' })) === undefined);
});

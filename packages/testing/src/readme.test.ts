import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { conflict, stepped } from './index.ts';
import { startOwnPlane } from './testing/own-plane.ts';

test('the example in the README runs', async () => {
  await using plane = await startOwnPlane({ clock: stepped() });
  plane.operator((manager) => {
    manager.controller(ConfigMap).reconcile(async ({ metadata: { namespace = '', name = '' } }, { client }) => {
      await client.patch(ConfigMap, { namespace, name }, { type: 'merge', body: { data: { seen: 'yes' } } });
    });
  });
  const injected = plane.faults.inject({ actor: 'operator', verb: 'patch' }, conflict());
  await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'one' } });
  await plane.untilMatches(ConfigMap, { namespace: 'default', name: 'one' }, { data: { seen: 'yes' } });
  expect(injected.hits).toBe(1);
});

import { SteppedClock } from '@pintle/async';
import type { CachedClient } from '@pintle/client';
import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { claimChildren } from './claim-children.ts';

test('what is adopted keeps its other owners and finalizers, which the patch does not name', async () => {
  const owner: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: 'default', name: 'web', uid: 'u1' },
  };
  const patches: unknown[] = [];
  const client = {
    live: { find: async () => owner, clock: new SteppedClock() },
    patch: async (_type: unknown, _ref: unknown, patch: unknown) => {
      patches.push(patch);
      return {};
    },
  } as unknown as CachedClient;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u2' }];
  const stray: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'a', uid: 'u3', ownerReferences, finalizers: ['example.com/x'] },
  };
  const finalizer = 'example.com/tracked';
  const options = { client, owner, ownerType: ReplicaSet, childType: Pod, candidates: [stray], finalizer };
  await claimChildren({ ...options, matches: () => true });
  const controller = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' };
  const metadata = {
    uid: 'u3',
    ownerReferences: [{ ...controller, controller: true, blockOwnerDeletion: true }],
    finalizers: [finalizer],
  };
  expect(patches).toEqual([{ type: 'strategic', body: { metadata } }]);
});

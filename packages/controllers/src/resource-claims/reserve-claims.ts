import type { CachedClient } from '@pintle/client';
import type { Pod } from '@pintle/kinds/core/v1';
import { ResourceClaim } from '@pintle/kinds/resource/v1';
import { claimNameOf, isMeantFor, isPodDone, isReservedFor } from './claims-of-pod.ts';

const MAX_CONSUMERS = 256;

/** A pod that came to its node without a scheduler has nobody else to reserve for it what was allocated already. */
export async function reserveClaims(client: CachedClient, pod: Pod): Promise<void> {
  if (!pod.spec?.nodeName || isPodDone(pod)) return;
  const { namespace, name: podName = '', uid = '' } = pod.metadata;
  for (const wanted of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, wanted);
    const claim = name === undefined ? undefined : await client.find(ResourceClaim, { namespace, name });
    if (claim === undefined || !isMeantFor(claim, pod, wanted)) continue;
    const { allocation, reservedFor = [] } = claim.status ?? {};
    if (allocation === undefined || isReservedFor(claim, pod) || reservedFor.length >= MAX_CONSUMERS) continue;
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name: podName, uid }] };
    await client.update(ResourceClaim, { ...claim, status }, { subresource: 'status' });
  }
}

import type { CachedClient } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { ResourceClaim, type ResourceClaimConsumerReference } from '@pintle/kinds/resource/v1';
import { controllerOf } from '../common/owners.ts';
import { claimNameOf, isClaimForPod, isPodDone, isReservedFor } from './claims-of-pod.ts';

const FINALIZER = 'resource.kubernetes.io/delete-protection';

/**
 * Removes pods that will not use the claim any more from its reservations. After the last one, deallocates it, and
 * deletes it when it was created for one pod.
 */
export async function releaseClaim(client: CachedClient, claim: ResourceClaim): Promise<void> {
  const reservedFor = claim.status?.reservedFor ?? [];
  const remaining: ResourceClaimConsumerReference[] = [];
  for (const consumer of reservedFor) if (await isStillUsed(client, claim, consumer)) remaining.push(consumer);
  const isProtected = claim.metadata.finalizers?.includes(FINALIZER) ?? false;
  const isFree = remaining.length === 0;
  const isLeaving = claim.metadata.deletionTimestamp !== undefined;
  let current = claim;
  if (remaining.length < reservedFor.length) {
    current = await setStatus(client, claim, remaining, isFree && isProtected);
    if (isProtected && current.status?.allocation === undefined) current = await unprotect(client, current);
  } else if (isProtected && isLeaving && isFree) {
    if (claim.status?.allocation !== undefined) current = await setStatus(client, claim, remaining, true);
    current = await unprotect(client, current);
  }
  if (isFree) await removeUnused(client, current);
}

/** Consumers that are not pods keep their reservations. */
async function isStillUsed(
  client: CachedClient,
  { metadata: { namespace } }: ResourceClaim,
  { apiGroup = '', resource, name, uid }: ResourceClaimConsumerReference,
): Promise<boolean> {
  if (apiGroup !== '' || resource !== 'pods') return true;
  const cached = await client.find(Pod, { namespace, name });
  if (cached !== undefined) return cached.metadata.uid === uid && !isPodDone(cached);
  // The cache may lack the newest pod, and a deallocation cannot be undone.
  const found = await client.live.find(Pod, { namespace, name });
  return found?.metadata.uid === uid;
}

async function setStatus(
  client: CachedClient,
  claim: ResourceClaim,
  reservedFor: ResourceClaimConsumerReference[],
  isDeallocated: boolean,
): Promise<ResourceClaim> {
  const { allocation, ...rest } = claim.status ?? {};
  const status = { ...rest, reservedFor, ...(allocation && !isDeallocated && { allocation }) };
  return await client.update(ResourceClaim, { ...claim, status }, { subresource: 'status' });
}

async function unprotect(client: CachedClient, claim: ResourceClaim): Promise<ResourceClaim> {
  const finalizers = (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  return await client.update(ResourceClaim, { ...claim, metadata: { ...claim.metadata, finalizers } });
}

/** Deletes the claim of a pod that has ended, although the pod may remain. */
async function removeUnused(client: CachedClient, claim: ResourceClaim): Promise<void> {
  const { namespace, name = '', deletionTimestamp } = claim.metadata;
  const owner = controllerOf(claim);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Pod' || deletionTimestamp !== undefined) return;
  const pod = await client.find(Pod, { namespace, name: owner.name });
  if (pod === undefined || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
  await client.live.delete(ResourceClaim, { namespace, name });
}

const MAX_CONSUMERS = 256;

/** Reserves allocated claims for a pod that was bound without a scheduler. */
export async function reserveClaims(client: CachedClient, pod: Pod): Promise<void> {
  if (!pod.spec?.nodeName || isPodDone(pod)) return;
  const { namespace, name: podName = '', uid = '' } = pod.metadata;
  for (const wanted of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, wanted);
    const claim = name === undefined ? undefined : await client.find(ResourceClaim, { namespace, name });
    if (claim === undefined || !isClaimForPod(claim, pod, wanted)) continue;
    const { allocation, reservedFor = [] } = claim.status ?? {};
    if (allocation === undefined || isReservedFor(claim, pod) || reservedFor.length >= MAX_CONSUMERS) continue;
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name: podName, uid }] };
    await client.update(ResourceClaim, { ...claim, status }, { subresource: 'status' });
  }
}

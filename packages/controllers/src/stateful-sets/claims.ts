import type { CachedClient } from '@pintle/client';
import { StatefulSet } from '@pintle/kinds/apps/v1';
import { PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { OwnerReference } from '@pintle/machinery';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { controllerRef } from '../common/controller-ref.ts';
import { claimName, isInRange } from './identity.ts';

export interface ClaimKeeping {
  readonly client: CachedClient;
  readonly set: StatefulSet;
  readonly tell: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** Makes the claims a pod needs. One that is going must be gone first: that is a failure, and is tried again. */
export async function makeClaims({ client, set, tell }: ClaimKeeping, ordinal: number): Promise<void> {
  const { namespace } = set.metadata;
  const pod = `${set.metadata.name}-${ordinal}`;
  for (const claim of claimsOf(set, ordinal)) {
    const { name } = claim.metadata;
    const found = await client.find(PersistentVolumeClaim, { namespace, name });
    if (found?.metadata.deletionTimestamp) throw new Error(`pvc ${name} is being deleted`);
    if (found !== undefined) continue;
    const where = `Pod ${pod} in StatefulSet ${set.metadata.name}`;
    try {
      await client.create(PersistentVolumeClaim, claim);
      tell('Normal', 'SuccessfulCreate', `Create Claim ${name} ${where} success`);
    } catch (error) {
      if (isAlreadyExists(error)) continue;
      const why = error instanceof Error ? error.message : error;
      tell('Warning', 'FailedCreate', `Create Claim ${name} for ${where} failed error: ${why}`);
      throw error;
    }
  }
}

/** Whether a claim still belongs to a former pod of this place, and goes with it. */
export async function isClaimedByFormerPod({ client, set }: ClaimKeeping, ordinal: number): Promise<boolean> {
  if (policyOf(set).whenScaled !== 'Delete') return false;
  const pod = `${set.metadata.name}-${ordinal}`;
  for (const claim of await foundClaims(client, set, ordinal))
    if (claim.metadata.ownerReferences?.some(({ kind, name }) => kind === Pod.kind && name === pod)) return true;
  return false;
}

/**
 * Makes the claims of a pod go with what they should go with: the set when that is deleted, the pod when the set
 * becomes smaller, nothing when they are to be kept. Claims that another controls are left alone.
 */
export async function settleOwners({ client, set, tell }: ClaimKeeping, pod: Pod, ordinal: number): Promise<boolean> {
  let isChanged = false;
  for (const claim of await foundClaims(client, set, ordinal)) {
    const { namespace, name = '', uid, ownerReferences = [] } = claim.metadata;
    const wanted = ownersOf(set, pod, ordinal, ownerReferences);
    if (deepEqual(wanted, ownerReferences)) continue;
    if (wanted.filter(({ controller }) => controller).length > 1) {
      const message = `StatefulSet ${set.metadata.name} claim ${name} has a conflicting controller`;
      tell('Warning', 'ConflictingController', message);
      continue;
    }
    const body = { metadata: { uid, ownerReferences: wanted.length > 0 ? wanted : null } };
    await client.patch(PersistentVolumeClaim, { namespace, name }, { type: 'merge', body });
    isChanged = true;
  }
  return isChanged;
}

/** The name of the pod that a claim the set may have made is for. */
export function podOfClaim(set: StatefulSet, { metadata: { name = '' } }: PersistentVolumeClaim): string | undefined {
  for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
    const prefix = `${metadata.name}-${set.metadata.name}-`;
    if (name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      return name.slice(`${metadata.name}-`.length);
  }
  return undefined;
}

function claimsOf(set: StatefulSet, ordinal: number) {
  const { namespace } = set.metadata;
  const { volumeClaimTemplates = [], selector } = set.spec ?? {};
  return volumeClaimTemplates.map(({ metadata, spec }) => ({
    metadata: {
      ...(namespace && { namespace }),
      name: claimName(metadata.name ?? '', set, ordinal),
      labels: { ...metadata.labels, ...selector?.matchLabels },
      ...(metadata.annotations && { annotations: { ...metadata.annotations } }),
      ...(metadata.finalizers && { finalizers: [...metadata.finalizers] }),
    },
    ...(spec && { spec: deepCopy(spec) }),
  }));
}

async function foundClaims(client: CachedClient, set: StatefulSet, ordinal: number): Promise<PersistentVolumeClaim[]> {
  const { namespace } = set.metadata;
  const found: PersistentVolumeClaim[] = [];
  for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
    const name = claimName(metadata.name ?? '', set, ordinal);
    const claim = await client.find(PersistentVolumeClaim, { namespace, name });
    if (claim !== undefined) found.push(claim);
  }
  return found;
}

function ownersOf(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  owners: readonly OwnerReference[],
): readonly OwnerReference[] {
  const { whenDeleted, whenScaled } = policyOf(set);
  const goesWithPod = whenScaled === 'Delete' && !isInRange(set, ordinal);
  const goesWithSet = whenDeleted === 'Delete' && !goesWithPod;
  const wanted = [
    ...(goesWithSet ? [controllerRef(StatefulSet, set)] : []),
    ...(goesWithPod ? [controllerRef(Pod, pod)] : []),
  ];
  const isOurs = ({ kind, name }: OwnerReference): boolean =>
    (kind === StatefulSet.kind && name === set.metadata.name) || (kind === Pod.kind && name === pod.metadata.name);
  const before = owners.filter(isOurs);
  if (before.length === wanted.length && before.every(({ uid }, index) => uid === wanted[index]!.uid)) return owners;
  return [...owners.filter((owner) => !isOurs(owner)), ...wanted];
}

function policyOf({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}

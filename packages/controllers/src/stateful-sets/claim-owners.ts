import { ownerReference } from '@pintle/client';
import { StatefulSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ObjectMeta, OwnerReference, ResourceType } from '@pintle/machinery';
import { controllerRef } from '../common/owners.ts';
import { isInRange } from './identity.ts';

type ClaimMeta = Pick<ObjectMeta, 'ownerReferences'>;

/**
 * Returns the owners that a claim should have: the set when `whenDeleted` is Delete, the pod when it is scaled away and
 * `whenScaled` is Delete, neither when it is retained. `undefined` when they are right already, or when the references
 * are to a former set or pod of the same name.
 */
export function ownersToSet(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  { ownerReferences = [] }: ClaimMeta,
): readonly OwnerReference[] | undefined {
  if (isStale(ownerReferences, StatefulSet, set) || isStale(ownerReferences, Pod, pod)) return undefined;
  const others = ownerReferences.filter((ref) => !isNamed(ref, StatefulSet, set) && !isNamed(ref, Pod, pod));
  const has = (owner: KubernetesObject): boolean => ownerReferences.some(({ uid }) => uid === owner.metadata.uid);
  if (hasForeignController(set, pod, { ownerReferences })) return has(set) || has(pod) ? others : undefined;
  const { withSet, withPod } = ownersByPolicy(set, ordinal);
  const hasNonController = ownerReferences.some((ref) => !ref.controller && isOneOf(ref, set, pod));
  if (!hasNonController && has(set) === withSet && has(pod) === withPod) return undefined;
  return [
    ...others,
    ...(withSet ? [controllerRef(StatefulSet, set)] : []),
    ...(withPod ? [controllerRef(Pod, pod)] : []),
  ];
}

/** True when another controller decides about a claim that the retention policy applies to. */
export function hasForeignController(set: StatefulSet, pod: Pod, { ownerReferences = [] }: ClaimMeta): boolean {
  const { whenDeleted, whenScaled } = retentionOf(set);
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false;
  return ownerReferences.some((ref) => {
    if (isNamed(ref, StatefulSet, set)) return ref.uid !== set.metadata.uid;
    if (isNamed(ref, Pod, pod)) return ref.uid !== pod.metadata.uid;
    return ref.controller === true;
  });
}

export function retentionOf({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
}

function ownersByPolicy(set: StatefulSet, ordinal: number): { readonly withSet: boolean; readonly withPod: boolean } {
  const { whenDeleted, whenScaled } = retentionOf(set);
  const withPod = whenScaled === 'Delete' && !isInRange(set, ordinal);
  return { withSet: whenDeleted === 'Delete' && !withPod, withPod };
}

/** True when the first reference to an owner of this name has another uid. */
function isStale(refs: readonly OwnerReference[], type: ResourceType, owner: KubernetesObject): boolean {
  const named = refs.find((ref) => isNamed(ref, type, owner));
  return named !== undefined && named.uid !== owner.metadata.uid;
}

function isNamed(ref: OwnerReference, type: ResourceType, owner: KubernetesObject): boolean {
  const { apiVersion, kind, name } = ownerReference(type, owner);
  return ref.apiVersion === apiVersion && ref.kind === kind && ref.name === name;
}

function isOneOf({ uid }: OwnerReference, ...owners: readonly KubernetesObject[]): boolean {
  return owners.some(({ metadata }) => metadata.uid === uid);
}

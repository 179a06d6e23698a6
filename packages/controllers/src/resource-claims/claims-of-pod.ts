import type { Pod, PodResourceClaim } from '@pintle/kinds/core/v1';
import type { ResourceClaim } from '@pintle/kinds/resource/v1';
import { isControlledBy } from '../common/owners.ts';

/** The name of the claim that a pod's entry stands for; `undefined` while there is none, or none is needed. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName;
  return status?.resourceClaimStatuses?.find((entry) => entry.name === name)?.resourceClaimName;
}

/** Every claim that a pod is known to use. */
export function claimNamesOf(pod: Pod): string[] {
  const names = (pod.spec?.resourceClaims ?? []).flatMap((wanted) => claimNameOf(pod, wanted) ?? []);
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended === undefined ? names : [...names, extended];
}

/** A claim made from a template is the pod's only as long as the pod owns it. */
export function isMeantFor(claim: ResourceClaim, pod: Pod, { resourceClaimName }: PodResourceClaim): boolean {
  return resourceClaimName !== undefined || isControlledBy(claim, pod);
}

export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata.uid) ?? false;
}

/** It ended, or is to go before it ever had a node. */
export function isPodDone({ metadata, spec, status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return metadata.deletionTimestamp !== undefined && !spec?.nodeName;
}

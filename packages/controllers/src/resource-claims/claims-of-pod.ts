import type { Pod, PodResourceClaim } from '@pintle/kinds/core/v1';
import type { ResourceClaim } from '@pintle/kinds/resource/v1';
import { isControlledBy } from '../common/owners.ts';

/** Returns the name of the claim for an entry of a pod; `undefined` while it has none or needs none. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName;
  return status?.resourceClaimStatuses?.find((entry) => entry.name === name)?.resourceClaimName;
}

/** Returns the names of all claims of a pod. */
export function claimNamesOf(pod: Pod): string[] {
  const names = (pod.spec?.resourceClaims ?? []).flatMap((wanted) => claimNameOf(pod, wanted) ?? []);
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended === undefined ? names : [...names, extended];
}

/** True when the claim belongs to the pod. A claim from a template must be owned by it. */
export function isClaimForPod(claim: ResourceClaim, pod: Pod, { resourceClaimName }: PodResourceClaim): boolean {
  return resourceClaimName !== undefined || isControlledBy(claim, pod);
}

export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata.uid) ?? false;
}

/** True when the pod has ended, or is being deleted before it had a node. */
export function isPodDone({ metadata, spec, status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  return metadata.deletionTimestamp !== undefined && !spec?.nodeName;
}

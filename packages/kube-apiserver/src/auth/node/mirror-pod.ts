import type { Node, Pod } from '@pintle/kinds/core/v1';

/** Returns the reason why the owner of a mirror pod is not allowed; `undefined` when it is. `node`: the stored Node. */
export function ownerProblem(pod: Pod, nodeName: string, node: Node | undefined): string | undefined {
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  const only = `node "${nodeName}" can only create pods with`;
  if (others.length > 0) return `${only} a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    return `${only} an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) {
    return `node "${nodeName}" must not set blockOwnerDeletion on an owner reference`;
  }
  if (node === undefined) return `node "${nodeName}" not found`;
  const uid = node.metadata.uid ?? '';
  return owner.uid === uid ? undefined : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** Volumes and projected sources that need the API without naming an object. */
const VOLUMES = [
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
] as const;
const PROJECTIONS = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
] as const;

/** Returns the kind of object that the mirror pod refers to and must not; `undefined` when it is allowed. */
export function apiVolumeOf({ spec }: Pod): string | undefined {
  if ((spec?.resourceClaims?.length ?? 0) > 0) return 'resourceclaims';
  for (const volume of spec?.volumes ?? []) {
    const found = VOLUMES.find(([field]) => volume[field] !== undefined);
    if (found !== undefined) return found[1];
    for (const source of volume.projected?.sources ?? []) {
      const projected = PROJECTIONS.find(([field]) => source[field] !== undefined);
      if (projected !== undefined) return projected[1];
    }
  }
  return undefined;
}

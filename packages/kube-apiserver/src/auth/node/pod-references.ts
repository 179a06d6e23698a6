import type { Pod } from '@pintle/kinds/core/v1';
import { table } from '@pintle/machinery/table';

/**
 * Annotation of mirror pods, which kubelets create. Their references are chosen by the kubelet, so they grant nothing.
 */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

type Kind = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts' | 'resourceclaims';

/** Fields that refer to an object of the pod's namespace, with its kind and the field of the name. */
const FIELDS: Readonly<Record<string, readonly [Kind, string]>> = table({
  secretRef: ['secrets', 'name'],
  secretKeyRef: ['secrets', 'name'],
  nodePublishSecretRef: ['secrets', 'name'],
  azureFile: ['secrets', 'secretName'],
  configMapRef: ['configmaps', 'name'],
  configMapKeyRef: ['configmaps', 'name'],
  configMap: ['configmaps', 'name'],
  persistentVolumeClaim: ['persistentvolumeclaims', 'claimName'],
});

/** Returns the objects that a node has to read for a pod, as `secrets/namespace/name`. */
export function referencesOf(pod: Pod): ReadonlySet<string> {
  const { namespace = '', name: podName = '', annotations } = pod.metadata;
  const found = new Set<string>();
  if (annotations?.[MIRROR_ANNOTATION] !== undefined) return found;
  const add = (kind: Kind, name: unknown): void => {
    if (typeof name === 'string' && name !== '') found.add(`${kind}/${namespace}/${name}`);
  };
  const { spec } = pod;
  add('serviceaccounts', spec?.serviceAccountName);
  for (const secret of spec?.imagePullSecrets ?? []) add('secrets', secret.name);
  for (const volume of spec?.volumes ?? []) {
    add('secrets', volume.secret?.secretName);
    for (const source of volume.projected?.sources ?? []) add('secrets', source.secret?.name);
    if (volume.ephemeral !== undefined) add('persistentvolumeclaims', `${podName}-${volume.name}`);
  }
  for (const { resourceClaimName } of pod.status?.resourceClaimStatuses ?? []) add('resourceclaims', resourceClaimName);
  add('resourceclaims', pod.status?.extendedResourceClaimStatus?.resourceClaimName);
  for (const claim of spec?.resourceClaims ?? []) add('resourceclaims', claim.resourceClaimName);
  walk(spec, add);
  return found;
}

/** Containers and volumes refer to objects in many places, always in the same fields. */
function walk(value: unknown, add: (kind: Kind, name: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const field = Array.isArray(value) || !Object.hasOwn(FIELDS, key) ? undefined : FIELDS[key];
    if (field !== undefined && typeof member === 'object' && member !== null) {
      add(field[0], (member as Readonly<Record<string, unknown>>)[field[1]]);
    }
    walk(member, add);
  }
}

import type { KubernetesObject } from '@pintle/machinery';

/** Keeps what names an object, for informers of kinds whose objects may be large. */
export function identityMetadata<T extends KubernetesObject>({ apiVersion, kind, metadata }: T): T {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(deletionTimestamp && { deletionTimestamp }),
    },
  } as T;
}

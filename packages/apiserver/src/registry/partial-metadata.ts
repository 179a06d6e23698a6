import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';

/** The object's metadata alone, as clients ask for with `as=PartialObjectMetadata`. */
export function partialMetadata(object: KubernetesObject, version: 'v1' | 'v1beta1'): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata as unknown as JsonObject,
  };
}

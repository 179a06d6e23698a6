import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { asJson, type JsonObject } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';

/** The object's metadata alone, as clients ask for with `as=PartialObjectMetadata`. */
export function partialMetadata(
  { metadata }: KubernetesObject,
  version: 'v1' | 'v1beta1',
  { disguisedFields }: Pick<ResourceRules, 'disguisedFields'> = {},
): JsonObject {
  const shown = disguisedFields === undefined ? metadata : withoutFields(metadata, disguisedFields);
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: asJson(shown),
  };
}

function withoutFields({ annotations = {}, ...metadata }: ObjectMeta, names: readonly string[]): ObjectMeta {
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  return kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}

import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@pintle/kinds/apiextensions/v1';
import { resourceType } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import type { CompiledSchema } from '@pintle/machinery/schema';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';
import type { ObjectReader, ServedResource } from '../registry/served-resource.ts';
import type { Verb } from '../request/request-info.ts';
import { customRules } from './custom-rules.ts';

const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
export const CUSTOM_VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
export const CUSTOM_SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** One version of a definition, ready to be served like a built-in resource. */
export function customResource(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): ServedResource {
  const { group, scope } = definition.spec;
  const names = definition.status?.acceptedNames ?? definition.spec.names;
  const compiled = compileSchema(parseSchema((version.schema?.openAPIV3Schema ?? {}) as unknown as JsonObject));
  return {
    type: resourceType({
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
      ...(names.singular && { singular: names.singular }),
      ...(names.listKind && { listKind: names.listKind }),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
    }),
    storage: { group, resource: names.plural },
    verbs: new Set(CUSTOM_VERBS),
    rules: customRules(version, compiled),
    reader: readerOf(compiled),
    itemsAreTyped: true,
    isCustom: true,
    patchTypes: PATCH_TYPES,
    subresources: new Map(
      version.subresources?.status ? [['status', { name: 'status', verbs: new Set(CUSTOM_SUBRESOURCE_VERBS) }]] : [],
    ),
  };
}

/** Reads objects by the definition's schema: metadata as Kubernetes types it, the rest pruned to what is specified. */
function readerOf(compiled: CompiledSchema): ObjectReader {
  return {
    read: (value) => {
      if (!isJsonObject(value)) throw new TypeError('json: cannot unmarshal into an object');
      const { problem, unknown } = compiled.coerce(value, { isResourceRoot: true });
      if (problem !== undefined) throw new TypeError(problem);
      const pruned = compiled.prune(value, { isResourceRoot: true });
      return { value, unknown: [...pruned.unknown, ...unknown] };
    },
  };
}

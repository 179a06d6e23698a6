import { createHash } from 'node:crypto';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@pintle/kinds/apiextensions/v1';
import { resourceType } from '@pintle/machinery';
import { unclassifiedError } from '@pintle/machinery/errors';
import { customObjectSchema } from '@pintle/machinery/fields';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, stringifyJson } from '@pintle/machinery/json';
import type { CompiledSchema } from '@pintle/machinery/schema';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';
import type { ObjectReader, ServedResource, Shape } from '../registry/served-resource.ts';
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
  gone: AbortSignal,
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
    fieldSchema: () => customObjectSchema(compiled.schema),
    itemsAreTyped: true,
    isCustom: true,
    patchTypes: PATCH_TYPES,
    shape: shapeOf(definition, version, compiled),
    gone,
    subresources: new Map(
      version.subresources?.status ? [['status', { name: 'status', verbs: new Set(CUSTOM_SUBRESOURCE_VERBS) }]] : [],
    ),
  };
}

/** Objects written before the definition changed are pruned and defaulted by what it says now. */
function shapeOf(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  compiled: CompiledSchema,
): Shape {
  const storage = spec.versions.find((item) => item.storage)?.name ?? version.name;
  const versions = spec.versions.map(({ name }) => name);
  const identity = stringifyJson([version.schema ?? null, versions] as unknown as JsonValue);
  return {
    tag: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    storedAs: `${spec.group}/${storage}`,
    settle: (object) => {
      const stored = object.apiVersion.slice(spec.group.length + 1);
      if (!versions.includes(stored)) {
        throw unclassifiedError(500, `request to convert CR from an invalid group/version: ${object.apiVersion}`);
      }
      const value = object as unknown as JsonObject;
      compiled.prune(value, { isResourceRoot: true });
      compiled.default(value);
    },
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

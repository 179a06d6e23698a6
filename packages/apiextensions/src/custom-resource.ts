import type { Verb } from '@pintle/apiserver/request';
import type { ObjectReader, ServedResource, ServedSubresource } from '@pintle/apiserver/resource';
import type { Clock } from '@pintle/async';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@pintle/kinds/apiextensions/v1';
import type { GroupResource } from '@pintle/machinery';
import { compareVersions, resourceType, toKubernetesObject } from '@pintle/machinery';
import { customObjectSchema } from '@pintle/machinery/fields';
import { asJson, deepCopy, isJsonObject } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { CompiledSchema } from '@pintle/machinery/schema';
import type { Converter } from './converter.ts';
import { CustomObjectCodec } from './custom-object-codec.ts';
import { customRules } from './custom-rules.ts';
import { customScaleEndpoints } from './custom-scale.ts';
import type { VersionSchemas } from './version-schemas.ts';

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

const TERMINATING = 'create not allowed while custom resource definition is terminating';

/** Values that the versions of a definition share while they are served. */
interface ServingParts {
  readonly schemas: VersionSchemas;
  readonly converter: Converter;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Storage location of the objects. */
  readonly storage: GroupResource;
  /** Aborts when the definition has changed or is gone. */
  readonly gone: AbortSignal;
  /** True while the definition is being deleted. */
  readonly isTerminating: () => boolean;
  /** Extends the rules of the definition. */
  readonly refine?: (rules: ResourceRules) => ResourceRules;
}

/** Returns one version of a definition as a resource to serve. */
export function customResource(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { schemas, converter, clock, storage, gone, isTerminating, refine = (rules) => rules }: ServingParts,
): ServedResource {
  const { group, scope } = definition.spec;
  const names = definition.status?.acceptedNames ?? definition.spec.names;
  const compiled = () => schemas.compiled(version.name);
  const rules = once(() => refine(customRules(version, compiled())));
  const reader = once(() => readerOf(compiled()));
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
    storage,
    verbs: new Set(CUSTOM_VERBS),
    // Compiled on first use: most resources of a large cluster are never used.
    get rules() {
      return rules();
    },
    get reader() {
      return reader();
    },
    fieldSchema: () => customObjectSchema(compiled().schema),
    ownedIn: async (object, apiVersion) => {
      const name = apiVersion.slice(group.length + 1);
      if (apiVersion !== `${group}/${name}` || !schemas.has(name)) return undefined;
      const [converted] = await converter.convertAll([toKubernetesObject(deepCopy(object))], apiVersion);
      const schema = customObjectSchema(schemas.compiled(name).schema);
      return { object: asJson(converted!), schema };
    },
    itemsAreTyped: true,
    isCustom: true,
    patchTypes: PATCH_TYPES,
    codec: new CustomObjectCodec(definition, version.name, { schemas, converter, clock }),
    gone,
    creationRefusal: () => (isTerminating() ? TERMINATING : undefined),
    subresources: new Map(subresourcesOf(definition, version)),
    ...(version.deprecated && { deprecation: deprecationOf(definition, version) }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function* subresourcesOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Generator<[string, ServedSubresource]> {
  const verbs = new Set(CUSTOM_SUBRESOURCE_VERBS);
  const { status, scale } = version.subresources ?? {};
  if (status !== undefined) yield ['status', { name: 'status', verbs }];
  if (scale !== undefined) {
    yield ['scale', { name: 'scale', verbs, endpoints: customScaleEndpoints(definition, version) }];
  }
}

/** Returns the deprecation warning of the definition, or one that names the version to use. */
function deprecationOf(
  { spec }: CustomResourceDefinition,
  { name, deprecationWarning }: CustomResourceDefinitionVersion,
): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const better = spec.versions.filter(
    (other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0,
  );
  const [best] = better.map((version) => version.name).sort(compareVersions);
  const advice = best === undefined ? '' : `; use ${spec.group}/${best} ${spec.names.kind}`;
  return `${spec.group}/${name} ${spec.names.kind} is deprecated${advice}`;
}

/** Returns a reader by the definition's schema: metadata has the types of Kubernetes, other fields are pruned. */
function readerOf(compiled: CompiledSchema): ObjectReader {
  return {
    read: (value, { keepsNulls = false } = {}) => {
      if (!isJsonObject(value)) throw new TypeError('json: cannot unmarshal into an object');
      compiled.dropNulls(value, { keepsTyped: keepsNulls });
      const { problem, unknown } = compiled.coerce(value, { isResourceRoot: true });
      if (problem !== undefined) throw new TypeError(problem);
      const pruned = compiled.prune(value, { isResourceRoot: true });
      const isOwn = (path: string): boolean => path.startsWith('metadata.');
      const embedded = unknown.filter((path) => !isOwn(path));
      return { value, unknown: [...unknown.filter(isOwn), ...pruned.unknown, ...embedded] };
    },
  };
}

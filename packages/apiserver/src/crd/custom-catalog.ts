import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@pintle/kinds/apiextensions/v1';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import type { CatalogResource, CatalogVersion } from '../discovery/catalog.ts';
import type { SchemaSource } from '../openapi/schema-source.ts';
import { builtinSchemas, HEAD_DESCRIPTIONS } from '../openapi/schema-source.ts';
import { CUSTOM_SUBRESOURCE_VERBS, CUSTOM_VERBS } from './custom-resource.ts';

/** Priorities of groups that definitions make: after all built-in ones. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;
const REF = '#/components/schemas/';
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

const SCALE: CatalogResource['subresources'][number] = {
  subresource: 'scale',
  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: CUSTOM_SUBRESOURCE_VERBS,
  acceptedTypes: [],
};

interface Served {
  readonly definition: CustomResourceDefinition;
  readonly version: CustomResourceDefinitionVersion;
}

/** What clients are told of one group and version, by all the definitions that are served in it. */
export function customCatalogVersion(group: string, version: string, served: readonly Served[]): CatalogVersion {
  const resources = served.map(toResource).sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return {
    group,
    version,
    groupPriority: GROUP_PRIORITY,
    versionPriority: VERSION_PRIORITY,
    resources,
    isCustom: true,
    schemas: schemasOf(group, version, served),
  };
}

function toResource({ definition, version }: Served): CatalogResource {
  const { group, scope, names: wanted, versions } = definition.spec;
  const names = definition.status?.acceptedNames ?? wanted;
  const storage = versions.find((item) => item.storage)?.name ?? version.name;
  const responseKind = { group, version: version.name, kind: names.kind };
  const status = { subresource: 'status', responseKind, verbs: CUSTOM_SUBRESOURCE_VERBS, acceptedTypes: [] };
  return {
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    responseKind,
    verbs: CUSTOM_VERBS,
    acceptedTypes: [],
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: [...(version.subresources?.status ? [status] : []), ...(version.subresources?.scale ? [SCALE] : [])],
    storedAs: { group, version: storage, kind: names.kind },
  };
}

function schemasOf(group: string, version: string, served: readonly Served[]): SchemaSource {
  const prefix = `${group.split('.').reverse().join('.')}.${version}.`;
  const kinds = new Map<string, () => OpenApiSchema>();
  for (const { definition, version: item } of served) {
    const names = definition.status?.acceptedNames ?? definition.spec.names;
    const listKind = names.listKind ?? `${names.kind}List`;
    const gvk = { group, version, kind: names.kind };
    kinds.set(`${prefix}${names.kind}`, () => objectSchema(item, gvk));
    kinds.set(`${prefix}${listKind}`, () => listSchema(`${prefix}${names.kind}`, { ...gvk, kind: listKind }));
  }
  return {
    typeNameOf: (gvk) => {
      const name = `${prefix}${gvk.kind}`;
      return gvk.group === group && gvk.version === version && kinds.has(name) ? name : builtinSchemas.typeNameOf(gvk);
    },
    schemaOf: (name) => kinds.get(name)?.() ?? builtinSchemas.schemaOf(name),
  };
}

function objectSchema(version: CustomResourceDefinitionVersion, gvk: GroupVersionKind): OpenApiSchema {
  const { properties, ...schema } = (version.schema?.openAPIV3Schema ?? { type: 'object' }) as unknown as OpenApiSchema;
  return {
    ...schema,
    properties: { ...properties, ...headProperties(OBJECT_META) },
    'x-kubernetes-group-version-kind': [gvk],
  } as OpenApiSchema;
}

function listSchema(item: string, gvk: GroupVersionKind): OpenApiSchema {
  return {
    type: 'object',
    required: ['items'],
    properties: listProperties(item),
    'x-kubernetes-group-version-kind': [gvk],
  } as unknown as OpenApiSchema;
}

function listProperties(item: string): object {
  const { apiVersion, kind, metadata } = headProperties(LIST_META);
  return { apiVersion, items: { type: 'array', items: { $ref: `${REF}${item}` } }, kind, metadata };
}

function headProperties(metadata: string): Record<string, OpenApiSchema> {
  const text = (name: string): OpenApiSchema =>
    ({ description: HEAD_DESCRIPTIONS[name], type: 'string' }) as OpenApiSchema;
  return {
    apiVersion: text('apiVersion'),
    kind: text('kind'),
    metadata: {
      description: HEAD_DESCRIPTIONS.metadata,
      allOf: [{ $ref: `${REF}${metadata}` }],
    } as unknown as OpenApiSchema,
  };
}

import type { CatalogResource, CatalogVersion, SchemaSource } from '@pintle/apiserver/discovery';
import { builtinSchemas } from '@pintle/apiserver/openapi';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from '@pintle/kinds/apiextensions/v1';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import { CUSTOM_SUBRESOURCE_VERBS, CUSTOM_VERBS } from './custom-resource.ts';
import { headProperties, OBJECT_META, publishedSchema, REF } from './published-schema.ts';

/** Priority of groups of definitions: after all built-in ones. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;
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

/** Returns the catalog entry of one group and version, from all definitions that are served in it. */
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
    kinds.set(`${prefix}${listKind}`, () =>
      listSchema(`${prefix}${names.kind}`, names, item, { ...gvk, kind: listKind }),
    );
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
  const source = (version.schema?.openAPIV3Schema ?? { type: 'object' }) as unknown as OpenApiSchema;
  const { properties, ...schema } = publishedSchema(source);
  return {
    ...schema,
    properties: { ...properties, ...headProperties(OBJECT_META) },
    'x-kubernetes-group-version-kind': [gvk],
    ...selectableFieldsOf(version),
  } as OpenApiSchema;
}

function selectableFieldsOf({ selectableFields = [] }: CustomResourceDefinitionVersion): object {
  if (selectableFields.length === 0) return {};
  const fields = selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') }));
  return { 'x-kubernetes-selectable-fields': fields };
}

function listSchema(
  itemType: string,
  { kind, plural }: CustomResourceDefinitionNames,
  version: CustomResourceDefinitionVersion,
  gvk: GroupVersionKind,
): OpenApiSchema {
  const { apiVersion, kind: listKind, metadata } = headProperties(LIST_META);
  const items = { description: `List of ${plural}.`, type: 'array', items: { $ref: `${REF}${itemType}` } };
  return {
    description: `${gvk.kind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: { apiVersion, items, kind: listKind, metadata },
    'x-kubernetes-group-version-kind': [gvk],
    ...selectableFieldsOf(version),
  } as unknown as OpenApiSchema;
}

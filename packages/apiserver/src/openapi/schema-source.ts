import type { OpenApiSchema } from '@pintle/kinds/schemas';
import { openapiOfType, typeNameOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import type { CatalogVersion } from '../discovery/catalog.ts';

/** Where the types of kinds are found. Definitions bring their own and leave the rest to the built-in one. */
export interface SchemaSource {
  /** The OpenAPI name of the type behind a kind, as `io.k8s.api.apps.v1.Deployment`. */
  typeNameOf(gvk: GroupVersionKind): string | undefined;
  /** The component schema of a type; references in it are `#/components/schemas/<name>`. Belongs to the caller. */
  schemaOf(typeName: string): OpenApiSchema | undefined;
}

/** What schemas of definitions say and those of built-in kinds never do. */
export interface DefinedSchema extends OpenApiSchema {
  readonly nullable?: boolean;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

export const builtinSchemas: SchemaSource = {
  typeNameOf,
  schemaOf: (typeName) => {
    const schema = openapiOfType(typeName);
    return schema && describeHead(schema);
  },
};

export function schemasOf({ schemas = builtinSchemas }: Pick<CatalogVersion, 'schemas'>): SchemaSource {
  return schemas;
}

/** The kinds come without prose; what every object begins with is explained here. */
function describeHead(schema: OpenApiSchema): OpenApiSchema {
  if (schema['x-kubernetes-group-version-kind'] === undefined || schema.properties === undefined) return schema;
  const properties: Record<string, OpenApiSchema> = { ...schema.properties };
  for (const [name, description] of Object.entries(HEAD_DESCRIPTIONS)) {
    const property = properties[name];
    if (property !== undefined) properties[name] = { description, ...property } as OpenApiSchema;
  }
  return { ...schema, properties };
}

/** What `kubectl explain` shows for the fields that all kinds share. */
export const HEAD_DESCRIPTIONS: Readonly<Record<string, string>> = table({
  apiVersion: 'APIVersion defines the group and version in which this object is written, as "apps/v1".',
  kind: 'Kind names the type of this object, as "Deployment". It is set when the object is made and never changes.',
  metadata: "Standard object's metadata: name, namespace, labels, annotations and what the server keeps track of.",
});

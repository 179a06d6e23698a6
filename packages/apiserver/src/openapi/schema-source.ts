import type { OpenApiSchema } from '@pintle/kinds/schemas';
import { openapiOfType, typeNameOf } from '@pintle/kinds/schemas';
import { table } from '@pintle/machinery/table';
import type { CatalogVersion } from '../discovery/catalog.ts';
import type { SchemaSource } from '../discovery/documents.ts';

/** Schema of a definition, with fields that those of built-in kinds do not have. */
export interface DefinedSchema extends OpenApiSchema {
  readonly nullable?: boolean;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

export const builtinSchemas: SchemaSource = {
  typeNameOf,
  schemaOf: openapiOfType,
};

export function schemasOf({ schemas = builtinSchemas }: Pick<CatalogVersion, 'schemas'>): SchemaSource {
  return schemas;
}

/** Describes the fields that all kinds share, for custom resources in the words that built-in kinds have. */
export const HEAD_DESCRIPTIONS: Readonly<Record<string, string>> = table({
  apiVersion:
    'APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the core group have the version alone, as `v1`.',
  kind: "The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change.",
  metadata: "Standard object's metadata, such as its name, namespace, labels and owners.",
});

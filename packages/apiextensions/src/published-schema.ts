import type { DefinedSchema } from '@pintle/apiserver/openapi';
import { HEAD_DESCRIPTIONS } from '@pintle/apiserver/openapi';
import type { OpenApiSchema } from '@pintle/kinds/schemas';

export const REF = '#/components/schemas/';
export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * Returns a definition's schema as OpenAPI publishes it: int-or-string has OpenAPI's own format, and embedded objects
 * have apiVersion, kind and metadata.
 */
export function publishedSchema(schema: DefinedSchema): OpenApiSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  const published: Record<string, unknown> = { ...rest };
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([name, field]) => [name, publishedSchema(field)]);
    published.properties = Object.fromEntries(entries);
  }
  if (items !== undefined) published.items = publishedSchema(items);
  if (typeof additionalProperties === 'object') published.additionalProperties = publishedSchema(additionalProperties);
  else if (additionalProperties !== undefined) published.additionalProperties = additionalProperties;
  if (schema['x-kubernetes-int-or-string'] && schema.anyOf === undefined) {
    published.anyOf = [{ type: 'integer' }, { type: 'string' }];
  }
  if (schema['x-kubernetes-embedded-resource']) embed(published);
  return published as unknown as OpenApiSchema;
}

/** Returns the fields that every object has; `metadata` names its type. */
export function headProperties(metadata: string): Record<string, OpenApiSchema> {
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

function embed(published: Record<string, unknown>): void {
  published.properties = { ...(published.properties as object | undefined), ...headProperties(OBJECT_META) };
  const required = (published.required as string[] | undefined) ?? [];
  published.required = [...new Set([...required, 'kind', 'apiVersion'])];
}

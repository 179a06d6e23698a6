import type { CustomResourceDefinition, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { getOwn } from '@pintle/machinery/json';

/** Descriptions of a schema. Every schema is assignable to it. */
export interface SchemaDescriptions {
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, SchemaDescriptions>> | undefined;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
}

/** Descriptions of a resource's fields from outside its definition, such as the comments of its sources. */
export interface ResourceDescriptions {
  /** Default: any group. */
  readonly group?: string | undefined;
  readonly kind: string;
  /** By version; `*` applies to versions that are not listed. */
  readonly versions: Readonly<Record<string, SchemaDescriptions>>;
}

/** Returns the definition with descriptions for fields that have none. Ignores those of other resources and fields. */
export function withDescriptions(
  definition: CustomResourceDefinition,
  descriptions: readonly ResourceDescriptions[],
): CustomResourceDefinition {
  const { group, names } = definition.spec;
  const ofKind = descriptions.filter(({ kind }) => kind === names.kind);
  const { versions } =
    ofKind.find((each) => each.group === group) ?? ofKind.find((each) => each.group === undefined) ?? {};
  if (versions === undefined) return definition;
  return mapSchemas(definition, (schema, version) =>
    described(schema, getOwn(versions, version) ?? getOwn(versions, '*')),
  );
}

/** Returns the descriptions of a definition from a server. */
export function descriptionsOf({ spec }: CustomResourceDefinition): ResourceDescriptions {
  const versions = spec.versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema ?? {}]);
  return { group: spec.group, kind: spec.names.kind, versions: Object.fromEntries(versions) };
}

/** Returns the definition without the descriptions of its fields, to compare definitions. */
export function withoutDescriptions(definition: CustomResourceDefinition): CustomResourceDefinition {
  return mapSchemas(definition, undescribed);
}

function mapSchemas(
  definition: CustomResourceDefinition,
  map: (schema: JSONSchemaProps, version: string) => JSONSchemaProps,
): CustomResourceDefinition {
  const versions = definition.spec.versions.map((version) => {
    const schema = version.schema?.openAPIV3Schema;
    return schema === undefined ? version : { ...version, schema: { openAPIV3Schema: map(schema, version.name) } };
  });
  return { ...definition, spec: { ...definition.spec, versions } };
}

function described(schema: JSONSchemaProps, from: SchemaDescriptions | undefined): JSONSchemaProps {
  if (from === undefined) return schema;
  const description = schema.description ?? from.description;
  const parts = mapParts(schema, (part, kind, name) => {
    const inside = kind === 'properties' ? from.properties && getOwn(from.properties, name) : from[kind];
    // A record with a fixed set of keys becomes properties, which share the description of its values.
    return described(part, asDescriptions(inside ?? (kind === 'properties' ? from.additionalProperties : undefined)));
  });
  return { ...(description !== undefined && { description }), ...parts };
}

function undescribed({ description: _description, ...schema }: JSONSchemaProps): JSONSchemaProps {
  return mapParts(schema, undescribed);
}

type PartKind = 'properties' | 'items' | 'additionalProperties';

function mapParts(
  schema: JSONSchemaProps,
  map: (part: JSONSchemaProps, kind: PartKind, name: string) => JSONSchemaProps,
): JSONSchemaProps {
  const { properties, items, additionalProperties } = schema;
  const fields =
    properties && Object.entries(properties).map(([name, part]) => [name, map(part, 'properties', name)] as const);
  return {
    ...schema,
    ...(fields && { properties: Object.fromEntries(fields) }),
    ...(isSchema(items) && { items: map(items, 'items', '') }),
    ...(isSchema(additionalProperties) && {
      additionalProperties: map(additionalProperties, 'additionalProperties', ''),
    }),
  };
}

function isSchema(value: unknown): value is JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asDescriptions(value: unknown): SchemaDescriptions | undefined {
  return isSchema(value) ? value : undefined;
}

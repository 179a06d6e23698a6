import { asJson, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { DefinedSchema } from './schema-source.ts';
import { COMPONENT_PREFIX } from './type-closure.ts';

export const DEFINITION_PREFIX = '#/definitions/';

/**
 * Converts a schema to OpenAPI 2: without defaults, alternatives and null. A number or string becomes a string. A reference has
 * no other fields.
 */
export function toV2Schema(schema: DefinedSchema): JsonObject {
  const kinds = schema['x-kubernetes-group-version-kind'];
  if (kinds !== undefined && schema['x-kubernetes-preserve-unknown-fields']) {
    return { type: 'object', 'x-kubernetes-group-version-kind': asJson(kinds) };
  }
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema) as [string, JsonValue][]) {
    if (!LEFT_OUT.has(key)) result[key] = value;
  }
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (ref !== undefined) result.$ref = ref.replace(COMPONENT_PREFIX, DEFINITION_PREFIX);
  if (schema.oneOf !== undefined) result.type ??= 'string';
  if (schema.items) result.items = toV2Schema(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    result.additionalProperties = toV2Schema(schema.additionalProperties);
  }
  if (schema.properties) {
    const properties = Object.entries(schema.properties).map(([name, part]) => [name, toV2Schema(part)] as const);
    result.properties = Object.fromEntries(properties);
  }
  dropTypes(schema, result);
  return result;
}

/** Removes types where any value is allowed: clients take a schema to be complete. */
function dropTypes(schema: DefinedSchema, result: Record<string, JsonValue>): void {
  const takesAnything = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.nullable || takesAnything) {
    delete result.items;
    delete result.properties;
  }
  if (takesAnything && schema['x-kubernetes-embedded-resource']) dropRequired(result, ['kind', 'apiVersion']);
  const isBareList = result.type === 'array' && result.items === undefined;
  if (schema.nullable || isBareList || (takesAnything && result.type === 'object')) delete result.type;
  const nullable = Object.entries(schema.properties ?? {}).filter(
    ([, property]: [string, DefinedSchema]) => property.nullable,
  );
  dropRequired(
    result,
    nullable.map(([name]) => name),
  );
}

function dropRequired(result: Record<string, JsonValue>, names: readonly string[]): void {
  if (names.length === 0 || !Array.isArray(result.required)) return;
  result.required = result.required.filter((name) => !names.includes(name as string));
  if (result.required.length === 0) delete result.required;
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'default',
  'items',
  'not',
  'nullable',
  'oneOf',
  'properties',
]);

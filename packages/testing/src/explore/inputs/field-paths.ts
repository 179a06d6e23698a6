import { getOwn, isJsonObject, type JsonObject } from '@pintle/machinery/json';
import type { Schema } from './values.ts';

const MAX_NAMED = 30;

/** Returns the paths of the fields of an object, those of objects in it included: `check`, `check.every`. */
export function pathsOf(value: JsonObject, above = ''): string[] {
  return Object.entries(value).flatMap(([name, field]) => [
    `${above}${name}`,
    ...(isJsonObject(field) ? pathsOf(field, `${above}${name}.`) : []),
  ]);
}

/** True when objects of the schema may have the field. The items of lists have no paths. */
export function hasField(schema: Schema, path: string): boolean {
  let at: Schema = schema;
  for (const name of path.split('.')) {
    if (isOpen(at)) return true;
    const { properties, additionalProperties } = at;
    const field = isJsonObject(properties) ? getOwn(properties, name) : undefined;
    const inner = field ?? additionalProperties;
    if (inner === true) return true;
    if (!isJsonObject(inner)) return false;
    at = inner;
  }
  return true;
}

/** True for a schema that does not tell the fields of its objects. */
function isOpen(schema: Schema): boolean {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  const { type = 'object', properties, additionalProperties } = schema;
  return type === 'object' && properties === undefined && additionalProperties === undefined;
}

/** Returns a sentence with the fields of a schema. */
export function fieldsOf(schema: Schema): string {
  const paths = declaredPaths(schema);
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return paths.length === 0 ? 'It has no fields' : `Its fields: ${paths.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function declaredPaths({ properties }: Schema, above = ''): string[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]) => [
    `${above}${name}`,
    ...(isJsonObject(field) ? declaredPaths(field, `${above}${name}.`) : []),
  ]);
}

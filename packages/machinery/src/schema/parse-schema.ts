import { isJsonObject, setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { ListType, MapType, Schema, SchemaType, ValidationRule } from './schema.ts';

/**
 * Reads a schema as a CustomResourceDefinition carries it (`JSONSchemaProps`). Drops keywords that the model does not
 * have, and keywords whose value has the wrong type. `validateStructural` decides whether the schema is allowed.
 */
export function parseSchema(json: JsonObject): Schema {
  const schema: Writable<Schema> = {};
  for (const [keyword, value] of Object.entries(json)) {
    readers.get(keyword)?.(value, schema);
  }
  return schema;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Reader = (value: JsonValue, schema: Writable<Schema>) => void;

/** Sets one field of the model when the value can be read as the type of the field. */
function into<Key extends keyof Schema>(key: Key, read: (value: JsonValue) => Schema[Key] | undefined): Reader {
  return (value, schema) => {
    const parsed = read(value);
    if (parsed !== undefined) schema[key] = parsed;
  };
}

const text = (value: JsonValue) => (typeof value === 'string' && value !== '' ? value : undefined);
const flag = (value: JsonValue) => (value === true ? true : undefined);
const count = (value: JsonValue) => number(value);
const bound = (value: JsonValue) => (typeof value === 'number' || typeof value === 'bigint' ? value : undefined);

function number(value: JsonValue): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function subschema(value: JsonValue): Schema | undefined {
  return isJsonObject(value) ? parseSchema(value) : undefined;
}

function subschemas(value: JsonValue): readonly Schema[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.filter(isJsonObject).map(parseSchema) : undefined;
}

function names(value: JsonValue): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}

function properties(value: JsonValue): Readonly<Record<string, Schema>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const parsed: Record<string, Schema> = {};
  for (const [name, property] of Object.entries(value)) {
    if (isJsonObject(property)) setOwn(parsed, name, parseSchema(property));
  }
  return parsed;
}

function rules(value: JsonValue): readonly ValidationRule[] | undefined {
  return Array.isArray(value) ? value.filter(isJsonObject).map(rule) : undefined;
}

function rule(json: JsonObject): ValidationRule {
  const parsed: Writable<ValidationRule> = { rule: typeof json.rule === 'string' ? json.rule : '' };
  for (const key of ['message', 'messageExpression', 'reason', 'fieldPath'] as const) {
    const value = json[key];
    if (typeof value === 'string') parsed[key] = value;
  }
  if (typeof json.optionalOldSelf === 'boolean') parsed.optionalOldSelf = json.optionalOldSelf;
  return parsed;
}

function oneOf<T extends string>(...allowed: readonly T[]): (value: JsonValue) => T | undefined {
  return (value) => allowed.find((word) => word === value);
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // Keeps unknown types: definitions are refused because of them, and their defaults because their type does not match.
  ['type', into('type', (value) => text(value) as SchemaType | undefined)],
  ['format', into('format', text)],
  ['title', into('title', text)],
  ['description', into('description', text)],
  ['nullable', into('nullable', flag)],
  // Drops a default of null: Go cannot distinguish it from an absent one.
  ['default', into('default', (value) => value ?? undefined)],
  ['enum', into('enum', (value) => (Array.isArray(value) && value.length > 0 ? value : undefined))],
  ['properties', into('properties', properties)],
  ['required', into('required', names)],
  [
    'additionalProperties',
    into('additionalProperties', (value) => (typeof value === 'boolean' ? value : subschema(value))),
  ],
  ['minProperties', into('minProperties', count)],
  ['maxProperties', into('maxProperties', count)],
  ['items', into('items', subschema)],
  ['minItems', into('minItems', count)],
  ['maxItems', into('maxItems', count)],
  ['uniqueItems', into('uniqueItems', flag)],
  ['minLength', into('minLength', count)],
  ['maxLength', into('maxLength', count)],
  ['pattern', into('pattern', text)],
  ['minimum', into('minimum', bound)],
  ['maximum', into('maximum', bound)],
  ['exclusiveMinimum', into('exclusiveMinimum', flag)],
  ['exclusiveMaximum', into('exclusiveMaximum', flag)],
  ['multipleOf', into('multipleOf', number)],
  ['allOf', into('allOf', subschemas)],
  ['anyOf', into('anyOf', subschemas)],
  ['oneOf', into('oneOf', subschemas)],
  ['not', into('not', subschema)],
  ['x-kubernetes-list-type', into('listType', oneOf<ListType>('atomic', 'set', 'map'))],
  ['x-kubernetes-list-map-keys', into('listMapKeys', names)],
  ['x-kubernetes-map-type', into('mapType', oneOf<MapType>('atomic', 'granular'))],
  ['x-kubernetes-int-or-string', into('intOrString', flag)],
  ['x-kubernetes-embedded-resource', into('embeddedResource', flag)],
  ['x-kubernetes-preserve-unknown-fields', into('preserveUnknownFields', flag)],
  ['x-kubernetes-validations', into('validations', rules)],
]);

import { isJsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/schema.ts';
import { escapeFieldName, fieldName } from '../values/field-name.ts';
import { type Adapt, JsonList, JsonMap, JsonStruct, type ListShape } from '../values/json-values.ts';
import { toInt } from '../values/numbers.ts';
import { parseTimestamp, Timestamp } from '../values/time.ts';
import { CelError, Double, type Value } from '../values/value.ts';
import { parseOpenApiDuration } from './openapi-duration.ts';
import { withObjectMeta } from './schema-type.ts';

/** How values of a schema look to expressions. Made once per schema; objects are views, nothing is copied. */
export function adapterOf(schema: Schema, isResourceRoot = false): Adapt {
  const memory = isResourceRoot ? rootAdapters : adapters;
  const known = memory.get(schema);
  if (known !== undefined) return known;
  // Schemas may contain themselves: the way back leads through the adapter that is being made.
  let made: Adapt | undefined;
  memory.set(schema, (json) => made!(json));
  made = nullable(schema, makeAdapter(isResourceRoot ? withObjectMeta(schema) : schema));
  memory.set(schema, made);
  return made;
}

const adapters = new WeakMap<Schema, Adapt>();
const rootAdapters = new WeakMap<Schema, Adapt>();

const unexpectedNull = new CelError('invalid data, got null for schema with nullable=false');

function nullable({ nullable: allowsNull }: Schema, adapt: Adapt): Adapt {
  const absent = allowsNull ? null : unexpectedNull;
  return (json) => (json === null ? absent : adapt(json));
}

function makeAdapter(schema: Schema): Adapt {
  if (schema.intOrString) return intOrString;
  switch (schema.type) {
    case 'object':
      return objectAdapter(schema);
    case 'array':
      return listAdapter(schema);
    case 'string':
      return stringAdapter(schema.format);
    case 'number':
      return (json) =>
        typeof json === 'number' || typeof json === 'bigint' ? new Double(Number(json)) : wrong('float', json);
    case 'integer':
      return (json) => integer(json) ?? wrong('int', json);
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : wrong('bool', json));
    default:
      return () => new CelError('invalid type, expected object, array, number, integer, boolean or string');
  }
}

function wrong(expected: string, json: JsonValue): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${typeof json}`);
}

function integer(json: JsonValue): Value | undefined {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : undefined;
  return typeof json === 'bigint' ? toInt(json) : undefined;
}

const notIntOrString = new CelError('invalid data, expected XIntOrString value to be either a string or integer');

function intOrString(json: JsonValue): Value {
  return typeof json === 'string' ? json : (integer(json) ?? notIntOrString);
}

const notMap = new CelError('invalid data, expected a map for the provided schema with type=object');

function objectAdapter(schema: Schema): Adapt {
  const { properties, additionalProperties } = schema.embeddedResource ? withObjectMeta(schema) : schema;
  if (properties === undefined && typeof additionalProperties === 'object') {
    const values = adapterOf(additionalProperties, additionalProperties.embeddedResource);
    return (json) => (isJsonObject(json) ? new JsonMap(json, values, { isTyped: true }) : notMap);
  }
  const fields = new Map<string, Adapt>();
  for (const [name, property] of Object.entries(properties ?? {})) {
    fields.set(name, adapterOf(property, property.embeddedResource));
  }
  return (json) => (isJsonObject(json) ? new JsonStruct(json, fields) : notMap);
}

const notList = new CelError('invalid data, expected an array for the provided schema with type=array');

function listAdapter({ items, listType, listMapKeys }: Schema): Adapt {
  if (items === undefined) return () => new CelError('invalid array type, expected Items with a non-empty Schema');
  const adapt = adapterOf(items, items.embeddedResource);
  const keys = (listMapKeys ?? []).map((name) => fieldName(escapeFieldName(name) ?? name));
  const shape: ListShape = { listType: listType ?? 'atomic', keys };
  return (json) => (Array.isArray(json) ? new JsonList(json, adapt, shape) : notList);
}

function stringAdapter(format: string | undefined): Adapt {
  const read = readers.get(format ?? '');
  if (read === undefined) return (json) => (typeof json === 'string' ? json : wrong('string', json));
  return (json) => (typeof json === 'string' ? read(json) : wrong('string', json));
}

const readers: ReadonlyMap<string, (text: string) => Value> = new Map([
  ['duration', (text) => parseOpenApiDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse`)],
  ['date', readDate],
  ['date-time', (text) => readDateTime(text) ?? new CelError(`Invalid date-time formatted string ${text}`)],
  ['byte', readBytes],
]);

function readDate(text: string): Value {
  const found = parseTimestamp(`${text}T00:00:00Z`);
  return found instanceof Timestamp ? found : new CelError(`Invalid date formatted string ${text}`);
}

function readDateTime(text: string): Value | undefined {
  return parseTimestamp(text.toUpperCase());
}

function readBytes(text: string): Value {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new CelError(`Invalid byte formatted string ${text}`);
  }
}

import { deepEqual, isJsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { canonicalBase64 } from '@pintle/machinery/schema';
import { dateProblem, localTimeProblem } from '@pintle/machinery/time';
import { opaqueType, type Type } from '../types/type.ts';
import { escapeFieldName, fieldName } from '../values/field-name.ts';
import { type Adapt, JsonList, JsonMap, JsonStruct, type ListShape } from '../values/json-values.ts';
import { toInt } from '../values/numbers.ts';
import { parseTimestamp, Timestamp } from '../values/time.ts';
import { CelError, Double, OpaqueValue, type Value } from '../values/value.ts';
import { parseOpenApiDuration } from './openapi-duration.ts';
import { withObjectMeta } from './schema-type.ts';

/**
 * Returns the function that converts values of a schema for expressions. Created once per schema; objects are views and
 * are not copied.
 */
export function adapterOf(schema: Schema, isResourceRoot = false): Adapt {
  const memory = isResourceRoot ? rootAdapters : adapters;
  const known = memory.get(schema);
  if (known !== undefined) return known;
  // Recursive schemas refer to the adapter that is being created.
  let created: Adapt | undefined;
  memory.set(schema, (json) => created!(json));
  created = nullable(schema, makeAdapter(isResourceRoot ? withObjectMeta(schema) : schema));
  memory.set(schema, created);
  return created;
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
        typeof json === 'number' || typeof json === 'bigint' ? new Double(Number(json)) : typeMismatch('float', json);
    case 'integer':
      return (json) => integer(json) ?? typeMismatch('int', json);
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : typeMismatch('bool', json));
    default:
      return schema.preserveUnknownFields ? (json) => new PreservedValue(json) : () => new CelError(untyped);
  }
}

const untyped =
  'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ';

/** A value without a schema that is preserved: it can only be compared. */
class PreservedValue extends OpaqueValue {
  readonly type: Type = opaqueType('unknown');
  readonly #json: JsonValue;

  constructor(json: JsonValue) {
    super();
    this.#json = json;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof PreservedValue && deepEqual(this.#json, other.#json);
  }
}

function typeMismatch(expected: string, json: JsonValue): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(json)}`);
}

function goTypeOf(json: JsonValue): string {
  if (typeof json === 'string') return 'string';
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'object') return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
  return typeof json === 'bigint' || Number.isSafeInteger(json) ? 'int64' : 'float64';
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
  if (read === undefined) return (json) => (typeof json === 'string' ? json : typeMismatch('string', json));
  return (json) => (typeof json === 'string' ? read(json) : typeMismatch('string', json));
}

const readers: ReadonlyMap<string, (text: string) => Value> = new Map([
  ['duration', readDuration],
  ['date', readDate],
  ['date-time', readDateTime],
  ['byte', readBytes],
]);

function readDuration(text: string): Value {
  return parseOpenApiDuration(text) ?? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

function readDate(text: string): Value {
  const found = parseTimestamp(`${text}T00:00:00Z`);
  return found instanceof Timestamp ? found : unreadable('date', text, dateProblem(text));
}

/** Go tries several layouts and reports the error of the last, which has no zone. */
function readDateTime(text: string): Value {
  return parseTimestamp(text) ?? unreadable('date-time', text, localTimeProblem(text));
}

/** Decodes the URL-safe alphabet, although the format is validated with the standard one. */
function readBytes(text: string): Value {
  const standard = text.replace(/[-_+/]/g, (character) => alphabet.get(character) ?? invalidCharacter);
  const read = canonicalBase64(standard);
  if ('corruptAt' in read) return unreadable('byte', text, `illegal base64 data at input byte ${read.corruptAt}`);
  return Uint8Array.from(atob(read.canonical), (character) => character.charCodeAt(0));
}

const alphabet: ReadonlyMap<string, string> = new Map([
  ['-', '+'],
  ['_', '/'],
]);
const invalidCharacter = '!';

function unreadable(format: string, text: string, why: string | undefined): CelError {
  return new CelError(`Invalid ${format} formatted string ${text}: ${why ?? ''}`);
}

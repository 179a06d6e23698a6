import { typeName } from '../fields/go-print.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import { fieldSchema, type Schema } from '../schema/index.ts';

/**
 * Returns why a patched document is not an object of its kind, in Kubernetes' words where it writes no JSON between
 * patch and object: `cannot restore struct from: string`. `undefined` when there is no problem, or when the value has
 * an `UnmarshalJSON` method, such as a quantity, whose reader has the message.
 *
 * Truncates integers that are too large for their field to its lower bits, in `document` itself, as Go's conversion
 * does.
 */
export function restoreProblem(document: JsonValue, schema: Schema | undefined): string | undefined {
  if (document === null || schema === undefined) return undefined;
  if (isBytes(schema)) return typeof document === 'string' ? undefined : inList(document, BYTE);
  if (readsItself(schema)) return undefined;
  if (schema.properties !== undefined) {
    return isJsonObject(document) ? inMembers(document, schema) : `cannot restore struct from: ${kindOf(document)}`;
  }
  switch (schema.type) {
    case 'object':
      return isJsonObject(document) ? inMembers(document, schema) : `cannot restore map from ${kindOf(document)}`;
    case 'array':
      return inList(document, schema.items);
    default:
      return scalarProblem(document, schema);
  }
}

function isBytes({ type, format }: Schema): boolean {
  return type === 'string' && format === 'byte';
}

function readsItself(schema: Schema): boolean {
  if (schema.type === undefined || schema.preserveUnknownFields === true) return true;
  return schema.type === 'string' && (schema.format ?? '') !== '';
}

/** One byte of a list of bytes. */
const BYTE: Schema = { type: 'integer', format: 'uint8' };

function inList(list: JsonValue, items: Schema | undefined): string | undefined {
  if (!Array.isArray(list)) return `cannot restore slice from ${kindOf(list)}`;
  for (let i = 0; i < list.length; i++) {
    const problem = restoreProblem(list[i]!, items);
    if (problem !== undefined) return problem;
    list[i] = converted(list[i]!, items);
  }
  return undefined;
}

function inMembers(object: JsonObject, schema: Schema): string | undefined {
  for (const name of Object.keys(object)) {
    const field = fieldSchema(schema, name);
    const problem = restoreProblem(object[name]!, field);
    if (problem !== undefined) return problem;
    const value = converted(object[name]!, field);
    if (value !== object[name]) setOwn(object, name, value);
  }
  return undefined;
}

function converted(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema?.type !== 'integer' || typeName(value) !== 'int64') return value;
  const integer = value as number | bigint;
  if (schema.format === 'int32') return Number(BigInt.asIntN(32, BigInt(integer)));
  return schema.format === 'uint8' ? Number(BigInt.asUintN(8, BigInt(integer))) : value;
}

/** Go converts integers to strings and fractions to integers, so only these pairs get a specific message. */
function scalarProblem(value: JsonValue, schema: Schema): string | undefined {
  const given = kindOf(value);
  const wanted = goKindOf(schema);
  const isFraction = given === 'float64' && wanted.includes('int') && !Number.isInteger(value);
  if ((wanted === 'string' && given === 'int64') || isFraction) {
    return `cannot convert ${given} to ${schema.goType ?? wanted}`;
  }
  const isNumber = given === 'int64' || given === 'float64';
  const fits = wanted === given || (isNumber && wanted !== 'string' && wanted !== 'bool');
  return fits ? undefined : `unrecognized type: ${wanted}`;
}

function goKindOf({ type, format }: Schema): string {
  switch (type) {
    case 'integer':
      return format === 'int32' || format === 'uint8' ? format : 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return 'string';
  }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'object' ? 'map' : typeName(value);
}

import { typeName } from '../fields/go-print.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts';
import { fieldSchema, type Schema } from '../schema/index.ts';

/**
 * Why a patched document is no object of its kind, in the words Kubernetes has where it never writes JSON between patch
 * and object: `cannot restore struct from: string`. `undefined` when there is nothing to say, or when it is a value that
 * reads itself from text, such as a quantity, and the reader has the words.
 */
export function unrestorable(document: JsonValue, schema: Schema | undefined): string | undefined {
  if (document === null || schema === undefined) return undefined;
  if (isBytes(schema) && typeof document !== 'string') return `cannot restore slice from ${kindOf(document)}`;
  if (readsItself(schema)) return undefined;
  if (schema.properties !== undefined) {
    return isJsonObject(document) ? inMembers(document, schema) : `cannot restore struct from: ${kindOf(document)}`;
  }
  switch (schema.type) {
    case 'object':
      return isJsonObject(document) ? inMembers(document, schema) : `cannot restore map from ${kindOf(document)}`;
    case 'array':
      return Array.isArray(document)
        ? first(document, (item) => unrestorable(item, schema.items))
        : `cannot restore slice from ${kindOf(document)}`;
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

function inMembers(object: JsonObject, schema: Schema): string | undefined {
  return first(Object.keys(object), (name) => unrestorable(object[name]!, fieldSchema(schema, name)));
}

function first<T>(values: readonly T[], problemOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Go converts integers to strings and fractions to integers, so it knows that this would be wrong; of the rest it knows nothing. */
function scalarProblem(value: JsonValue, schema: Schema): string | undefined {
  const given = kindOf(value);
  const wanted = goKindOf(schema);
  const isFraction = given === 'float64' && wanted.startsWith('int') && !Number.isInteger(value);
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
      return format === 'int32' ? 'int32' : 'int64';
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

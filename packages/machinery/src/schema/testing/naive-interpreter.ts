import { deepCopy, deepEqual, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import type { Schema } from '../schema.ts';

/** True when a value satisfies a schema, checked keyword by keyword. Compiled schemas are tested against it. */
export function isValid(value: JsonValue, schema: Schema): boolean {
  if (value === null) return (!hasType(schema) || schema.nullable === true) && schema.enum === undefined;
  const rules = [hasRightType, isInEnum, fitsNumber, fitsString, fitsList, fitsObject, fitsCombinators];
  return rules.every((rule) => rule(value, schema));
}

/** Returns the value without fields that the schema does not specify. */
export function pruned(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((item) => pruned(item, itemsOf(schema)));
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const known = propertyOf(schema, name) ?? valuesOf(schema);
    if (known !== undefined || schema?.additionalProperties !== undefined) setOwn(kept, name, pruned(field, known));
    else if (schema?.preserveUnknownFields) setOwn(kept, name, field);
  }
  return kept;
}

/** Returns the value with the schema's defaults, and without nulls that are not allowed. */
export function defaulted(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (Array.isArray(value))
    return value.map((item) => defaulted(orDefault(item, itemsOf(schema)) ?? null, itemsOf(schema)));
  if (!isJsonObject(value)) return value;
  const filled: JsonObject = {};
  const names = new Set([...Object.keys(value), ...Object.keys(schema?.properties ?? {})]);
  for (const name of names) {
    const known = propertyOf(schema, name) ?? valuesOf(schema);
    const given = Object.hasOwn(value, name) ? value[name] : (propertyOf(schema, name)?.default ?? undefined);
    const field = given === undefined ? undefined : orDefault(given, known);
    if (field !== undefined) setOwn(filled, name, defaulted(deepCopy(field), known));
  }
  return filled;
}

function orDefault(value: JsonValue, schema: Schema | undefined): JsonValue | undefined {
  if (value !== null || schema === undefined || schema.nullable) return value;
  return schema.default ?? undefined;
}

function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}

function valuesOf(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function itemsOf(schema: Schema | undefined): Schema | undefined {
  return schema?.items;
}

function hasType(schema: Schema): boolean {
  return schema.type !== undefined || schema.intOrString === true;
}

function hasRightType(value: JsonValue, schema: Schema): boolean {
  if (schema.intOrString) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return schema.type === undefined || typeof value === schema.type;
  }
}

function isInEnum(value: JsonValue, schema: Schema): boolean {
  return schema.enum === undefined || schema.enum.some((allowed) => deepEqual(allowed, value));
}

function fitsNumber(value: JsonValue, { minimum, maximum }: Schema): boolean {
  if (typeof value !== 'number') return true;
  return (minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum);
}

function fitsString(value: JsonValue, { minLength, maxLength }: Schema): boolean {
  if (typeof value !== 'string') return true;
  const { length } = [...value];
  return (minLength === undefined || length >= minLength) && (maxLength === undefined || length <= maxLength);
}

function fitsList(value: JsonValue, { items, minItems, maxItems, listType }: Schema): boolean {
  if (!Array.isArray(value)) return true;
  if (minItems !== undefined && value.length < minItems) return false;
  if (maxItems !== undefined && value.length > maxItems) return false;
  const isUnique = value.every((item, index) => value.slice(0, index).every((other) => !deepEqual(item, other)));
  return (listType !== 'set' || isUnique) && (items === undefined || value.every((item) => isValid(item, items)));
}

function fitsObject(value: JsonValue, schema: Schema): boolean {
  if (!isJsonObject(value)) return true;
  if (schema.required?.some((name) => !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, field]) => {
    const known = propertyOf(schema, name) ?? valuesOf(schema);
    return known === undefined ? schema.additionalProperties !== false : isValid(field, known);
  });
}

function fitsCombinators(value: JsonValue, { allOf, anyOf, oneOf, not }: Schema): boolean {
  if (allOf?.some((schema) => !isValid(value, schema))) return false;
  if (anyOf !== undefined && !anyOf.some((schema) => isValid(value, schema))) return false;
  if (oneOf !== undefined && oneOf.filter((schema) => isValid(value, schema)).length !== 1) return false;
  return not === undefined || !isValid(value, not);
}

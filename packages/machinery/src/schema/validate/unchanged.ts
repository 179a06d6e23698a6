import { deepEqual, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import { listTypeOf } from '../schema-node.ts';
import { listMapIndex } from './list-keys.ts';

/**
 * True when a value is equal to the previous one, as far as its schema can correlate the two. Items of keyed lists are
 * correlated by their keys, in any order. An object with a field that the schema does not declare always counts as
 * changed; so does a whole resource, because its metadata is never fully declared.
 */
export function isUnchanged(schema: Schema, now: JsonValue, before: JsonValue): boolean {
  if (now === null || before === null) return now === before;
  if (Array.isArray(now)) return Array.isArray(before) && isSameList(schema, now, before);
  if (isJsonObject(now)) return isJsonObject(before) && isSameObject(schema, now, before);
  return deepEqual(now, before);
}

function isSameList(schema: Schema, now: JsonValue[], before: JsonValue[]): boolean {
  const { items, listMapKeys } = schema;
  if (now.length !== before.length) return false;
  if (items === undefined || listTypeOf(schema) !== 'map') return deepEqual(now, before);
  const counterpart = listMapIndex(before, listMapKeys ?? []);
  return now.every((item) => {
    const old = counterpart(item);
    return old !== undefined && old !== null && isUnchanged(items, item, old);
  });
}

function isSameObject({ properties, additionalProperties }: Schema, now: JsonObject, before: JsonObject): boolean {
  const names = Object.keys(now);
  if (names.length !== Object.keys(before).length) return false;
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return names.every((name) => {
    const declared = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : values;
    return declared !== undefined && Object.hasOwn(before, name) && isUnchanged(declared, now[name]!, before[name]!);
  });
}

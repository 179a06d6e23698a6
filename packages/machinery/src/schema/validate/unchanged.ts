import { deepEqual, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { listTypeOf } from '../node.ts';
import type { Schema } from '../schema.ts';
import { listMapIndex } from './list-keys.ts';

/**
 * Whether a value is what stood at its place before, as far as its schema can tell. The items of keyed lists belong
 * together by their keys, in any order. A field the schema does not declare belongs to nothing, so an object that has one
 * always counts as changed; the whole of a resource does, because its metadata is never declared to the last field.
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

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';

/** Returns the fields of an item that are the key of a keyed list. Absent fields are absent in the result. */
export function listMapKey(item: JsonValue, keys: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (!isJsonObject(item)) return key;
  for (const name of keys) {
    if (Object.hasOwn(item, name)) setOwn(key, name, item[name]!);
  }
  return key;
}

/** Returns a text that is equal for items of a keyed list if and only if their keys are. */
export function listMapKeyText(item: JsonValue, keys: readonly string[]): string {
  const [name] = keys;
  if (keys.length !== 1 || name === undefined) return canonicalJson(listMapKey(item, keys));
  return isJsonObject(item) && Object.hasOwn(item, name) ? textOf(item[name]!) : '';
}

/** Returns a text that is equal for equal values only. */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return `"${value}`;
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

/**
 * Returns a function that finds the item with the same key in a keyed list. An item that lacks a part of the key
 * matches none.
 */
export function listMapIndex(list: JsonValue[], keys: readonly string[]): (item: JsonValue) => JsonValue | undefined {
  const byKey = new Map<string, JsonValue>();
  for (const item of list) {
    if (!hasKey(item, keys)) continue;
    const key = listMapKeyText(item, keys);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return (item) => (hasKey(item, keys) ? byKey.get(listMapKeyText(item, keys)) : undefined);
}

function hasKey(item: JsonValue, keys: readonly string[]): boolean {
  return isJsonObject(item) && keys.every((name) => Object.hasOwn(item, name) && typeof item[name] !== 'object');
}

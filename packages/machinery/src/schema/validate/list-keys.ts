import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';

/** The fields of an item that are the key of a keyed list. A field that is absent is absent here too. */
export function listMapKey(item: JsonValue, keys: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (!isJsonObject(item)) return key;
  for (const name of keys) {
    if (Object.hasOwn(item, name)) Object.defineProperty(key, name, { value: item[name], enumerable: true });
  }
  return key;
}

/** Finds in a keyed list the item with the same key as another one. */
export function listMapIndex(list: JsonValue[], keys: readonly string[]): (item: JsonValue) => JsonValue | undefined {
  const byKey = new Map<string, JsonValue>();
  for (const item of list) {
    const key = canonicalJson(listMapKey(item, keys));
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return (item) => byKey.get(canonicalJson(listMapKey(item, keys)));
}

import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';

/** The fields of an item that are the key of a keyed list. A field that is absent is absent here too. */
export function listMapKey(item: JsonValue, keys: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (!isJsonObject(item)) return key;
  for (const name of keys) {
    if (Object.hasOwn(item, name)) setOwn(key, name, item[name]!);
  }
  return key;
}

/** A text that items of a keyed list share if and only if they have the same key. */
export function listMapKeyText(item: JsonValue, keys: readonly string[]): string {
  const [name] = keys;
  if (keys.length !== 1 || name === undefined) return canonicalJson(listMapKey(item, keys));
  return isJsonObject(item) && Object.hasOwn(item, name) ? textOf(item[name]!) : '';
}

/** A text that values share if and only if they are equal. */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return `"${value}`;
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

/** Finds in a keyed list the item with the same key as another one. What has no key, or not all of it, has none. */
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

import type { JsonObject, JsonValue } from '../json/index.ts';
import { deepCopy, getOwn, isJsonObject, setOwn } from '../json/index.ts';

/** RFC 7386: objects are merged name by name, `null` removes, everything else replaces. Changes `target` in place. */
export function applyMergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return deepCopy(patch);
  const result: JsonObject = isJsonObject(target) ? target : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, applyMergePatch(getOwn(result, name) ?? null, value));
  }
  return result;
}

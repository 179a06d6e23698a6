import type { JsonObject, JsonValue } from '../json/index.ts';
import { deepEqual, getOwn, isJsonObject, setOwn } from '../json/index.ts';

/**
 * RFC 7386: objects are merged name by name, `null` removes, any other value replaces. As in Kubernetes, values that
 * are new to the document lose the `null`s of their objects also inside lists, unless a list replaces an object.
 * Neither target nor patch is changed; the result shares parts with both.
 */
export function applyMergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(target)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(target, patch) : patch;
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const name of Object.keys(patch)) {
    const change = patch[name]!;
    if (change === null) delete merged[name];
    else setOwn(merged, name, applyMergePatch(getOwn(target, name) ?? null, change));
  }
  return merged;
}

function withoutNulls(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const rest: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = value[name]!;
    if (member !== null) setOwn(rest, name, withoutNulls(member));
  }
  return rest;
}

/**
 * Returns the merge patch from `original` to `modified`; empty when they are equal. A merge patch cannot set `null`:
 * members that are `null` in `modified` are removed.
 */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(original)) if (!Object.hasOwn(modified, name)) setOwn(patch, name, null);
  for (const name of Object.keys(modified)) {
    const before = getOwn(original, name);
    const after = modified[name]!;
    if (before !== undefined && deepEqual(before, after)) continue;
    setOwn(patch, name, isJsonObject(before) && isJsonObject(after) ? createMergePatch(before, after) : after);
  }
  return patch;
}

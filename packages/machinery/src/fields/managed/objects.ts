import { asJson, deepEqual, isJsonObject, type JsonObject } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { compileTyped, type Schema } from '../../schema/index.ts';

/** Returns the entries of an object; `undefined` when it has none, which differs from an empty list. */
export function managedFieldsOf(object: JsonObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const entries = metadataOf(object).managedFields;
  return Array.isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

/** Returns the object with these entries, or with none. Shares everything else. */
export function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  const isBare = metadataOf(object).managedFields === undefined;
  if (isBare && entries.length === 0) return object;
  const { managedFields: _, ...metadata } = metadataOf(object);
  if (entries.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: asJson(entries) } };
}

export function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.metadata;
  return isJsonObject(metadata) ? metadata : {};
}

/**
 * Returns an object of that kind before any write. A built-in kind has the fields that Go always prints, so `.spec`
 * itself has no owner; a custom resource has none. The caller must not change it.
 */
export function emptyObject(schema: Schema | undefined, like: JsonObject): JsonObject {
  const { apiVersion, kind } = like;
  const known = schema && empties.get(schema);
  if (known !== undefined && known.apiVersion === apiVersion && known.kind === kind) return known;
  const empty: JsonObject = schema?.goType === undefined ? {} : compileTyped(schema).read({}).value;
  if (apiVersion !== undefined) empty.apiVersion = apiVersion;
  if (kind !== undefined) empty.kind = kind;
  if (schema !== undefined) empties.set(schema, empty);
  return empty;
}

/** The last empty object of each schema: nearly all objects of a schema are of one version and kind. */
const empties = new WeakMap<Schema, JsonObject>();

/**
 * Returns the entries to store with `next`: its own, but with the times of `live` where nothing but times differs
 * between the two objects. A write that changes nothing must not differ by its time. Both are complete, as stored.
 */
export function keepTimesOfIdleWrite(live: JsonObject, next: JsonObject): readonly ManagedFieldsEntry[] {
  const before = managedFieldsOf(live) ?? [];
  const after = managedFieldsOf(next) ?? [];
  const isIdle =
    before.length === after.length &&
    after.every((entry, i) => entry === before[i] || deepEqual({ ...entry, time: '' }, { ...before[i]!, time: '' })) &&
    deepEqual(withManagedFields(live, []), withManagedFields(next, []));
  return isIdle ? before : after;
}

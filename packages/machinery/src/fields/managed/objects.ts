import { deepEqual, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { compileTyped, type Schema } from '../../schema/index.ts';

/** The entries an object has; `undefined` when it has none at all, which is not the same as an empty list. */
export function managedFieldsOf(object: JsonObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const entries = metadataOf(object).managedFields;
  return Array.isArray(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

/** The object with these entries, or with none. Shares everything else. */
export function withManagedFields(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  const { managedFields, ...metadata } = metadataOf(object);
  if (entries.length === 0) return managedFields === undefined ? object : { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: entries as unknown as JsonValue } };
}

export function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.metadata;
  return isJsonObject(metadata) ? metadata : {};
}

/**
 * What an object of that kind is before anything is written to it. A built-in kind has the fields that Go always prints,
 * which is why nobody owns `.spec` itself there; a custom resource has nothing.
 */
export function emptyObject(schema: Schema | undefined, like: JsonObject): JsonObject {
  const { apiVersion, kind } = like;
  return {
    ...(schema?.goType === undefined ? {} : zeroOf(schema)),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
  };
}

const zeros = new WeakMap<Schema, JsonObject>();

function zeroOf(schema: Schema): JsonObject {
  const known = zeros.get(schema);
  if (known !== undefined) return known;
  const zero = compileTyped(schema).read({}).value;
  zeros.set(schema, zero);
  return zero;
}

/**
 * The entries to store with `next`: its own, but with the times of `live` where nothing but times differs between the
 * two objects. A write that changes nothing must not look like one because it came later. Both are complete, as stored.
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

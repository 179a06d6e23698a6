import type { Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { Operation, Revision, Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { KeptObject, ReadOptions, ServedResource, Shape } from '../resource/served-resource.ts';
import { objectKey } from './keys.ts';
import { decodeObject, encodeObject, isStoredAlike, readStored } from './object-codec.ts';

/** An object with the record that it was read from or written as. */
export interface StoredVersion {
  readonly object: KubernetesObject;
  readonly record: StoreRecord;
}

/** A precondition on another key of a write. */
export type Guard = Extract<Operation, { type: 'check' }>;

/** Returns the object in this version of the resource; requires `isReadAtOnce`. The caller may change it. */
export function toObject(resource: ServedResource, record: StoreRecord): KubernetesObject {
  const stored = decodeObject(record, resource.type.kind);
  if (resource.conversion !== undefined) return resource.conversion.fromStorage(stored);
  stored.apiVersion = resource.type.apiVersion;
  return stored;
}

/** Returns objects in this version of the resource, in order. The caller may change them. */
export async function toObjects(
  resource: ServedResource,
  records: readonly StoreRecord[],
  options: ReadOptions = {},
): Promise<KubernetesObject[]> {
  const { shape, facade } = resource;
  if (facade !== undefined) return (await toObjects(facade.of, records, options)).map((object) => facade.show(object));
  const objects = records.map((record) => toObject(resource, record));
  if (shape === undefined) return objects;
  const others = [...records.keys()].filter((index) => !isServedAsStored(resource, records[index]!));
  if (others.length === 0) return objects;
  const kept = others.map((index) => toKept(records[index]!, objects[index]!));
  const shown = await shape.show(kept, options);
  for (const [i, index] of others.entries()) objects[index] = shown[i]!;
  return objects;
}

function toKept(record: StoreRecord, object: KubernetesObject): KeptObject {
  const { apiVersion, shape } = readStored(record.value);
  object.apiVersion = apiVersion;
  return { object, tag: shape };
}

/** True when the stored bytes are what this version of the resource serves, so that they need not be parsed. */
export function isServedAsStored(resource: ServedResource, record: Pick<StoreRecord, 'value'>): boolean {
  return resource.conversion === undefined && isReadAtOnce(resource, record);
}

/** Like `isServedAsStored`, for all records: most are stored like the one before. */
export function areServedAsStored(resource: ServedResource, records: readonly StoreRecord[]): boolean {
  let last: StoreRecord | undefined;
  for (const record of records) {
    if (last !== undefined && isStoredAlike(last.value, record.value)) continue;
    if (!isServedAsStored(resource, record)) return false;
    last = record;
  }
  return true;
}

/** True when `toObject` can read the record without a conversion that may wait. */
export function isReadAtOnce({ shape, facade }: ServedResource, record: Pick<StoreRecord, 'value'>): boolean {
  if (facade !== undefined) return false;
  if (shape === undefined) return true;
  const stored = readStored(record.value);
  return shape.isShownAsKept(stored.apiVersion, stored.shape);
}

/** True when writing the object again would change its stored version or schema, even if clients see no change. */
export async function isKeptOtherwise(resource: ServedResource, { record, object }: StoredVersion): Promise<boolean> {
  const { shape, type } = resource;
  if (shape === undefined) return false;
  if (readStored(record.value).apiVersion !== shape.storedAs) return true;
  if (isServedAsStored(resource, record)) return false;
  const { object: kept } = await shape.keep(object);
  return !deepEqual(kept, decodeObject(record, type.kind));
}

/** Returns the object as clients see it once it is written: converted to its stored form and back. */
export async function asWritten(resource: ServedResource, object: KubernetesObject): Promise<KubernetesObject> {
  const { shape, type } = resource;
  if (shape === undefined || shape.storedAs === type.apiVersion) return object;
  return await shownAgain(shape, await shape.keep(object), object);
}

async function shownAgain(shape: Shape, kept: KeptObject, object: KubernetesObject): Promise<KubernetesObject> {
  if (kept.object.apiVersion === object.apiVersion) return object;
  const copy = deepCopy(kept.object);
  // An object without a resourceVersion is not cached: it is not stored yet.
  delete copy.metadata.resourceVersion;
  const [shown] = await shape.show([{ object: copy, tag: kept.tag }], { isFresh: true });
  return shown!;
}

/** Returns the object in the latest state of the store. */
export async function findObject(
  store: Store,
  resource: ServedResource,
  namespace: string,
  name: string,
  options: ReadOptions = {},
): Promise<StoredVersion | undefined> {
  const record = await after(store.latest(), () => findRecord(store, resource, namespace, name));
  return record && (await toVersion(resource, record, options));
}

/** Returns the record with its object. */
export async function toVersion(
  resource: ServedResource,
  record: StoreRecord,
  options: ReadOptions = {},
): Promise<StoredVersion> {
  const [object] = await toObjects(resource, [record], options);
  return { object: object!, record };
}

/** Returns `undefined` also for names that no object can have. */
export function findRecord(
  store: Store,
  resource: ServedResource,
  namespace: string,
  name: string,
): Eventual<StoreRecord | undefined> {
  return attempt(
    () => store.get(objectKey(resource.storage, namespace, name)),
    (record) => record,
    (error) => {
      if (error instanceof RangeError) return undefined;
      if (error instanceof StoreError && error.failure.code === 'InvalidKey') return undefined;
      throw error;
    },
  );
}

/** `taken`: the key exists or has changed. `guard`: a precondition failed; read again and retry. */
export type Refusal = { readonly refused: 'taken' | 'guard' };
export type RemoveOutcome = { readonly revision: Revision } | Refusal;
/** An object as clients see it, with its stored record; a dry run has no `record`. */
export interface WrittenObject {
  readonly object: KubernetesObject;
  readonly record?: Pick<StoreRecord, 'value' | 'modRevision'>;
}
export type WriteOutcome = WrittenObject | Refusal;

/** Writes the object if its record is at revision `expected`; 0 for a new object. Sets its resourceVersion. */
export async function writeObject(
  store: Store,
  resource: ServedResource,
  object: KubernetesObject,
  expected: Revision,
  options: {
    readonly guards?: readonly Guard[];
    /** Operations that commit together with this one or not at all. */
    readonly also?: readonly Operation[];
    readonly ttlMs?: number;
  } = {},
): Promise<WriteOutcome> {
  const { shape, storage, conversion } = resource;
  const key = objectKey(storage, object.metadata.namespace ?? '', object.metadata.name ?? '');
  const ttlMs = options.ttlMs ?? resource.ttlMs;
  const kept = await shape?.keep(object);
  const value = encodeObject(kept?.object ?? conversion?.toStorage(object) ?? object, kept?.tag);
  const put: Operation = {
    type: 'put',
    key,
    value,
    expected,
    ...(ttlMs === undefined ? {} : { ttlMs }),
    // On a full disk, objects that are being deleted can still be written.
    ...(object.metadata.deletionTimestamp === undefined ? {} : { isForDeletion: true }),
  };
  const outcome = await commit(store, key, [put, ...(options.guards ?? []), ...(options.also ?? [])]);
  if ('refused' in outcome) return outcome;
  const shown = kept === undefined ? object : await shownAgain(shape!, kept, object);
  shown.metadata.resourceVersion = String(outcome.revision);
  return { object: shown, record: { value, modRevision: outcome.revision } };
}

export async function removeObject(
  store: Store,
  record: StoreRecord,
  { also = [] }: { readonly also?: readonly Operation[] } = {},
): Promise<RemoveOutcome> {
  return await commit(store, record.key, [{ type: 'delete', key: record.key, expected: record.modRevision }, ...also]);
}

async function commit(store: Store, key: string, operations: readonly Operation[]): Promise<RemoveOutcome> {
  try {
    return await store.commit(operations);
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Conflict') throw error;
    return { refused: error.failure.key === key ? 'taken' : 'guard' };
  }
}

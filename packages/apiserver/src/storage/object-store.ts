import type { Eventual } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { Operation, Revision, Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { ReadOptions, ServedResource, StorageCodec, StorageObject } from '../resource/served-resource.ts';
import { objectKey } from './keys.ts';
import { decodeObject, encodeObject, isStoredAlike, readHeader } from './object-codec.ts';

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
  const { codec, scaleView } = resource;
  if (scaleView !== undefined)
    return (await toObjects(scaleView.parent, records, options)).map((object) => scaleView.project(object));
  const objects = records.map((record) => toObject(resource, record));
  if (codec === undefined) return objects;
  const others = [...records.keys()].filter((index) => !isServedAsStored(resource, records[index]!));
  if (others.length === 0) return objects;
  const stored = others.map((index) => toStorageObject(records[index]!, objects[index]!));
  const converted = await codec.fromStorage(stored, options);
  for (const [i, index] of others.entries()) objects[index] = converted[i]!;
  return objects;
}

function toStorageObject(record: StoreRecord, object: KubernetesObject): StorageObject {
  const { apiVersion, schemaTag } = readHeader(record.value);
  object.apiVersion = apiVersion;
  return { object, tag: schemaTag };
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
export function isReadAtOnce({ codec, scaleView }: ServedResource, record: Pick<StoreRecord, 'value'>): boolean {
  if (scaleView !== undefined) return false;
  if (codec === undefined) return true;
  const stored = readHeader(record.value);
  return codec.isServedAsStored(stored.apiVersion, stored.schemaTag);
}

/** True when writing the object again would change its stored version or schema, even if clients see no change. */
export async function isStoredDifferently(
  resource: ServedResource,
  { record, object }: StoredVersion,
): Promise<boolean> {
  const { codec, type } = resource;
  if (codec === undefined) return false;
  if (readHeader(record.value).apiVersion !== codec.storageVersion) return true;
  if (isServedAsStored(resource, record)) return false;
  const { object: stored } = await codec.toStorage(object);
  return !deepEqual(stored, decodeObject(record, type.kind));
}

/** Returns the object as clients see it once it is written: converted to its stored form and back. */
export async function asStored(resource: ServedResource, object: KubernetesObject): Promise<KubernetesObject> {
  const { codec, conversion, type } = resource;
  if (conversion !== undefined) return conversion.fromStorage(conversion.toStorage(object));
  if (codec === undefined || codec.storageVersion === type.apiVersion) return object;
  return await readBack(codec, await codec.toStorage(object), object);
}

async function readBack(
  codec: StorageCodec,
  stored: StorageObject,
  object: KubernetesObject,
): Promise<KubernetesObject> {
  if (stored.object.apiVersion === object.apiVersion) return object;
  const copy = deepCopy(stored.object);
  // An object without a resourceVersion is not cached: it is not stored yet.
  delete copy.metadata.resourceVersion;
  const [converted] = await codec.fromStorage([{ object: copy, tag: stored.tag }], { isFresh: true });
  return converted!;
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
  const { codec, storage, conversion } = resource;
  const key = objectKey(storage, object.metadata.namespace ?? '', object.metadata.name ?? '');
  const ttlMs = options.ttlMs ?? resource.ttlMs;
  const stored = await codec?.toStorage(object);
  const other = conversion?.toStorage(object);
  const value = encodeObject(stored?.object ?? other ?? object, stored?.tag);
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
  const written = other === undefined ? object : conversion!.fromStorage(other);
  const converted = stored === undefined ? written : await readBack(codec!, stored, object);
  converted.metadata.resourceVersion = String(outcome.revision);
  return { object: converted, record: { value, modRevision: outcome.revision } };
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

import type { KubernetesObject } from '@pintle/machinery';
import type { Operation, Revision, Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { ServedResource } from '../registry/served-resource.ts';
import { objectKey } from './keys.ts';
import { decodeObject, encodeObject, readStored } from './object-codec.ts';

/** An object together with the record it was read from or written as. */
export interface StoredVersion {
  readonly object: KubernetesObject;
  readonly record: StoreRecord;
}

/** What else must be true for a write to take effect. */
export type Guard = Extract<Operation, { type: 'check' }>;

/** The object as this version of the resource has it; fresh, so the caller may change it. */
export function toObject(resource: ServedResource, record: StoreRecord): KubernetesObject {
  const stored = decodeObject(record, resource.type.kind);
  if (resource.conversion) return resource.conversion.fromStorage(stored);
  const { shape } = resource;
  if (shape !== undefined && readStored(record.value).shape !== shape.tag) shape.settle(stored);
  stored.apiVersion = resource.type.apiVersion;
  return stored;
}

/** The bytes that are kept are what this version of the resource shows: nobody has to look inside. */
export function isServedAsStored(resource: ServedResource, record: StoreRecord): boolean {
  if (resource.conversion !== undefined) return false;
  return resource.shape === undefined || readStored(record.value).shape === resource.shape.tag;
}

/** A write that changes nothing would still store the object in another version than it is stored in. */
export function isStoredAnew({ shape }: ServedResource, record: StoreRecord): boolean {
  return shape !== undefined && readStored(record.value).apiVersion !== shape.storedAs;
}

export async function findObject(
  store: Store,
  resource: ServedResource,
  namespace: string,
  name: string,
): Promise<StoredVersion | undefined> {
  const record = await findRecord(store, resource, namespace, name);
  return record && { object: toObject(resource, record), record };
}

/** `undefined` also for names that no object can have. */
export async function findRecord(
  store: Store,
  resource: ServedResource,
  namespace: string,
  name: string,
): Promise<StoreRecord | undefined> {
  try {
    return await store.get(objectKey(resource.storage, namespace, name));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    if (error instanceof StoreError && error.failure.code === 'InvalidKey') return undefined;
    throw error;
  }
}

/** `taken`: the key is in use. `guard`: something else moved; read it again and retry. */
export type WriteOutcome = { readonly revision: Revision } | { readonly refused: 'taken' | 'guard' };

/** Writes the object where the record stands at `expected`; 0 for a new object. */
export async function writeObject(
  store: Store,
  resource: ServedResource,
  object: KubernetesObject,
  expected: Revision,
  options: {
    readonly guards?: readonly Guard[];
    /** Writes that take effect together with this one, or not at all. */
    readonly also?: readonly Operation[];
    readonly ttlMs?: number;
  } = {},
): Promise<WriteOutcome> {
  const stored = resource.conversion ? resource.conversion.toStorage(object) : object;
  const key = objectKey(resource.storage, stored.metadata.namespace ?? '', stored.metadata.name ?? '');
  const ttlMs = options.ttlMs ?? resource.ttlMs;
  const put: Operation = {
    type: 'put',
    key,
    value: resource.shape
      ? encodeObject({ ...stored, apiVersion: resource.shape.storedAs }, resource.shape.tag)
      : encodeObject(stored),
    expected,
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
  return await commit(store, key, [put, ...(options.guards ?? []), ...(options.also ?? [])]);
}

export async function removeObject(
  store: Store,
  record: StoreRecord,
  { also = [] }: { readonly also?: readonly Operation[] } = {},
): Promise<WriteOutcome> {
  return await commit(store, record.key, [{ type: 'delete', key: record.key, expected: record.modRevision }, ...also]);
}

async function commit(store: Store, key: string, operations: readonly Operation[]): Promise<WriteOutcome> {
  try {
    return await store.commit(operations);
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Conflict') throw error;
    return { refused: error.failure.key === key ? 'taken' : 'guard' };
  }
}

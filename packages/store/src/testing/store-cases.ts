import { expect } from 'vitest';
import { StoreError, type StoreFailure } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { Operation, Store, StoreEvent, StoreRecord, StoreWatch } from '../store.ts';

/** Helpers of the store's test cases. */

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function text(record: StoreRecord | undefined): string | undefined {
  return record && new TextDecoder().decode(record.value);
}

export function revisionOf(value: number): Revision {
  return value as Revision;
}

export function put(key: string, value: string, expected?: number): Operation {
  return { type: 'put', key, value: bytes(value), ...(expected !== undefined && { expected: revisionOf(expected) }) };
}

export function del(key: string, expected?: number): Operation {
  return { type: 'delete', key, ...(expected !== undefined && { expected: revisionOf(expected) }) };
}

export function check(key: string, expected: number): Operation {
  return { type: 'check', key, expected: revisionOf(expected) };
}

export function leased(key: string, value: string, ttlMs: number): Operation {
  return { type: 'put', key, value: bytes(value), ttlMs };
}

/** Commits and returns the revision. */
export async function commit(store: Store, ...operations: Operation[]): Promise<Revision> {
  return (await store.commit(operations)).revision;
}

/** Commits any number of operations, in as many transactions as the store's limits need. Returns the last revision. */
export async function commitAll(store: Store, operations: readonly Operation[]): Promise<Revision> {
  const most = Math.min(store.limits.maxOperations, operations.length);
  let revision = store.revision;
  for (let at = 0; at < operations.length; at += most)
    revision = await commit(store, ...operations.slice(at, at + most));
  return revision;
}

/** Returns all keys and values of a snapshot as `key=value`. */
export async function contents(store: Store, revision?: number): Promise<string> {
  const { records } = await store.range(
    { start: '' },
    revision === undefined ? {} : { revision: revisionOf(revision) },
  );
  return records.map((record) => `${record.key}=${text(record)}`).join(' ');
}

/** Returns the next batch of a watch as text: `7: +a=1 -b=2`. A put that replaced something ends in `(was …)`. */
export async function nextBatch(watch: StoreWatch): Promise<string> {
  const { done, value } = await watch.next();
  return done ? 'done' : `${value.revision}: ${value.events.map(eventInWords).join(' ')}`;
}

export async function nextBatches(watch: StoreWatch, count: number): Promise<string[]> {
  const batches: string[] = [];
  while (batches.length < count) batches.push(await nextBatch(watch));
  return batches;
}

export function eventInWords(event: StoreEvent): string {
  if (event.type === 'delete') return `-${event.key}=${text(event.previous)}`;
  const was = event.previous ? `(was ${text(event.previous)})` : '';
  return `+${event.record.key}=${text(event.record)}${was}`;
}

/** Returns the failure that a promise rejects with. */
export async function failure(work: Promise<unknown> | (() => Promise<unknown>)): Promise<StoreFailure> {
  const error = await (typeof work === 'function' ? work() : work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return (error as StoreError).failure;
}

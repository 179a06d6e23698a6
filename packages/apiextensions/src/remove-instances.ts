import { collectionRange, decodeObject, encodeObject, readHeader } from '@pintle/apiserver/storage';
import type { Clock } from '@pintle/async';
import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Store, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';

const CHUNK_RECORDS = 500;

/**
 * Deletes all objects of a resource, in whatever version they are stored, and resolves once none is left. Marks objects
 * that have finalizers, and waits for them. Rejects with the signal's reason when that aborts first.
 */
export async function removeInstances(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  storage: GroupResource,
  kind: string,
  signal: AbortSignal,
): Promise<void> {
  const range = collectionRange(storage, '');
  for (;;) {
    signal.throwIfAborted();
    const after = store.revision;
    const left = await removeFree(store, range, kind, clock.now());
    if (left === 0) return;
    for await (const _batch of store.watch(range, { after, signal })) break;
  }
}

/** Removes the objects that nothing holds and marks the rest. Returns the number of those left. */
async function removeFree(
  store: Store,
  range: { readonly start: string },
  kind: string,
  nowMs: number,
): Promise<number> {
  let left = 0;
  for (let start = range.start, more = true; more; ) {
    const page = await store.range({ ...range, start }, { limit: CHUNK_RECORDS, onDamaged: () => left++ });
    const outcomes = await Promise.all(page.records.map((record) => removeOne(store, record, kind, nowMs)));
    left += outcomes.filter((isGone) => !isGone).length;
    more = page.more;
    start = `${page.records.at(-1)?.key ?? start}\0`;
  }
  return left;
}

/** Returns false when the object stays for now: it has finalizers, or has just changed. */
async function removeOne(store: Store, record: StoreRecord, kind: string, nowMs: number): Promise<boolean> {
  const { key, modRevision: expected, value } = record;
  const object = decodeObject(record, kind);
  const isHeld = (object.metadata.finalizers?.length ?? 0) > 0;
  if (isHeld && object.metadata.deletionTimestamp !== undefined) return false;
  const put = (next: KubernetesObject) => ({
    type: 'put' as const,
    key,
    value: encodeObject(next, readHeader(value).schemaTag),
    expected,
    isForDeletion: true,
  });
  try {
    await store.commit([isHeld ? put(marked(object, nowMs)) : { type: 'delete', key, expected }]);
    return !isHeld;
  } catch (error) {
    if (error instanceof StoreError && error.failure.code === 'Conflict') return false;
    throw error;
  }
}

function marked(object: KubernetesObject, nowMs: number): KubernetesObject {
  const next = deepCopy(object);
  next.metadata.deletionTimestamp = formatTime(nowMs);
  next.metadata.deletionGracePeriodSeconds = 0;
  next.metadata.generation = (next.metadata.generation ?? 0) + 1;
  return next;
}

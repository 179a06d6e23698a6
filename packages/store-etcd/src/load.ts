import { yieldToEventLoop } from '@pintle/async';
import { type Revision, StoreError, toRevision } from '@pintle/store';
import { copyOfValue, type ReplicatedRecord } from '@pintle/store/replica';
import type { KeySpace } from './key-space.ts';
import type { Cluster } from './rpc/cluster.ts';
import { type KeyValue, RANGE } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';

/** All records at one revision. */
export interface LoadedRecords {
  readonly revision: Revision;
  readonly records: readonly ReplicatedRecord[];
  readonly clusterId: bigint;
}

const PAGE_TIMEOUT_MS = 30_000;
const FIRST_PAGE = 500;
const MAX_PAGE = 10_000;
/** Approximate size of a page, whatever the size of objects. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Reads all keys at one revision, page by page. Starts again when that is compacted meanwhile. */
export async function load(cluster: Cluster, keys: KeySpace, signal: AbortSignal): Promise<LoadedRecords> {
  for (;;) {
    try {
      return await loadOnce(cluster, keys, signal);
    } catch (error) {
      if (!(error instanceof RpcError) || !error.isCompacted) throw error;
    }
  }
}

async function loadOnce(cluster: Cluster, keys: KeySpace, signal: AbortSignal): Promise<LoadedRecords> {
  const records: ReplicatedRecord[] = [];
  let revision = 0;
  let clusterId = 0n;
  for (let key = keys.prefix, limit = FIRST_PAGE, more = true; more; ) {
    const page = await cluster.read(
      RANGE,
      { key, rangeEnd: keys.end, limit, ...(revision > 0 && { revision }) },
      { timeoutMs: PAGE_TIMEOUT_MS, signal },
    );
    revision ||= page.header.revision;
    clusterId ||= page.header.clusterId;
    let bytes = 0;
    checkKeys(page.kvs, key, keys.end);
    for (const kv of page.kvs) {
      checkRevisions(kv, revision);
      bytes += kv.value.length;
      const record = toRecord(keys, kv);
      if (record === undefined) keys.refuse(kv.key);
      else records.push(record);
    }
    more = page.more && page.kvs.length > 0;
    if (!more) break;
    key = Buffer.concat([page.kvs.at(-1)!.key, Buffer.of(0)]);
    limit = Math.min(Math.max(Math.floor((PAGE_BYTES * page.kvs.length) / Math.max(bytes, 1)), 1), limit * 4, MAX_PAGE);
    await yieldToEventLoop();
  }
  return { revision: toRevision(revision), records, clusterId };
}

function toRecord(keys: KeySpace, kv: KeyValue): ReplicatedRecord | undefined {
  const key = keys.fromEtcd(kv.key);
  if (key === undefined) return undefined;
  return {
    key,
    // Copied, because a view would keep the whole page in memory.
    value: copyOfValue(kv.value),
    modRevision: kv.modRevision,
    createRevision: kv.createRevision,
    version: kv.version,
  };
}

/**
 * Throws Unavailable unless the keys of a page follow each other, from `start` on and before `end`: otherwise pages could follow
 * each other for ever.
 */
export function checkKeys(kvs: readonly KeyValue[], start: Uint8Array, end: Uint8Array): void {
  let previous: Uint8Array | undefined;
  for (const { key } of kvs) {
    const isNext = previous === undefined ? Buffer.compare(key, start) >= 0 : Buffer.compare(key, previous) > 0;
    if (!isNext || Buffer.compare(key, end) >= 0) throw impossible('keys that were not asked for');
    previous = key;
  }
}

/** Throws Unavailable for a key that the cluster cannot have at a revision. */
function checkRevisions({ createRevision, modRevision, version }: KeyValue, revision: number): void {
  const isPossible = version >= 1 && createRevision >= 1 && createRevision <= modRevision && modRevision <= revision;
  if (!isPossible) throw impossible('impossible revisions of a key');
}

function impossible(what: string): StoreError {
  return new StoreError({ code: 'Unavailable', problem: `etcd answered with ${what}` });
}

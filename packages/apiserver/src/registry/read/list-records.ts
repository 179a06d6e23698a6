import { ownTurn } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { expiredError } from '@pintle/machinery/errors';
import type { KeyRange, RangeOptions, Revision, StoreRecord } from '@pintle/store';
import { keyAfter, StoreError } from '@pintle/store';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { LARGE_BYTES } from '../../resource/yield-policy.ts';
import { collectionPrefix } from '../../storage/keys.ts';
import { isReadAtOnce, toObjects } from '../../storage/object-store.ts';
import { WHOLE_BYTES } from '../response/body.ts';
import { encodeContinue } from './continue-token.ts';
import type { ObjectFilter } from './object-filter.ts';

/** So much is read from the store at a time: little enough to be done with in a few milliseconds. */
const CHUNK_BYTES = 512 * 1024;
const FIRST_CHUNK_RECORDS = 100;
const MAX_CHUNK_RECORDS = 500;

/** A part of a list. */
export interface RecordChunk {
  /** Those that pass the filter; never none. */
  readonly records: readonly StoreRecord[];
  /** The key up to which everything was looked at. */
  readonly through: string;
  /** Something lies behind it, whether it passes or not. */
  readonly more: boolean;
}

interface ReadRecordsOptions {
  readonly wanted?: number | undefined;
  /** How it lets others go first, between chunks and before it looks into many bytes. */
  readonly turn?: () => Promise<void>;
}

/**
 * The records of a range that pass the filter, in key order, as they were at one revision. They come in chunks whose size
 * is bounded, with a turn of the event loop between, until there are `wanted` of them or a few more. Throws 410 when the
 * revision is no longer kept.
 */
export async function* readRecords(
  call: EndpointCall,
  filter: ObjectFilter,
  range: KeyRange,
  revision: Revision,
  { wanted = Number.POSITIVE_INFINITY, turn = ownTurn }: ReadRecordsOptions = {},
): AsyncGenerator<RecordChunk> {
  warnOfKnownDamage(call);
  const { selection } = filter;
  const selected = selection === undefined ? {} : { select: selection };
  // Where objects have to be converted before they are judged, few questions about many are asked.
  const isExact = selection === undefined || call.resource.shape === undefined;
  let start = range.start;
  let limit = FIRST_CHUNK_RECORDS;
  let left = wanted;
  for (;;) {
    const most = isExact ? Math.min(limit, left) : limit;
    const { records, more } = await readRange(call, { ...range, start }, revision, { limit: most, turn, ...selected });
    if (records.length > 0) {
      const through = records[records.length - 1]!.key;
      const passing = await passed(call, filter, records, turn);
      if (passing.length > 0) yield { records: passing, through, more };
      start = keyAfter(through);
      limit = nextLimit(records);
      left -= passing.length;
    }
    if (!more || left <= 0) return;
    await turn();
  }
}

/** The records that the filter's selection could not judge are converted and judged here, all in one question. */
async function passed(
  call: EndpointCall,
  filter: ObjectFilter,
  records: readonly StoreRecord[],
  turn: () => Promise<void>,
): Promise<readonly StoreRecord[]> {
  const { resource } = call;
  if (filter.isEverything || resource.shape === undefined) return records;
  const converted = records.filter((record) => !isReadAtOnce(resource, record));
  if (converted.length === 0) return records;
  const objects = await toObjectsInTurn(resource, converted, turn);
  const refused = new Set(converted.filter((_, index) => !filter.matches(objects[index]!)));
  return records.filter((record) => !refused.has(record));
}

/**
 * As `toObjects`, in a turn of its own where there is much to read: requests that came together do not read all they want
 * in the same one. What is small is read at once.
 */
export async function toObjectsInTurn(
  resource: ServedResource,
  records: readonly StoreRecord[],
  turn: () => Promise<void>,
): Promise<KubernetesObject[]> {
  // A run of `LARGE_BYTES` counts: many of them may follow each other.
  if (bytesOf(records) >= LARGE_BYTES) await turn();
  return await toObjects(resource, records);
}

export function bytesOf(records: readonly StoreRecord[]): number {
  let bytes = 0;
  for (const { value } of records) bytes += value.length;
  return bytes;
}

/** Objects of a kind are of similar size, so the next chunk is as large as wanted if it has so many. */
function nextLimit(records: readonly StoreRecord[]): number {
  const fitting = Math.floor((CHUNK_BYTES * records.length) / Math.max(1, bytesOf(records)));
  return Math.min(MAX_CHUNK_RECORDS, Math.max(1, fitting));
}

async function readRange(
  call: EndpointCall,
  range: KeyRange,
  revision: Revision,
  options: Pick<RangeOptions, 'limit' | 'turn' | 'select'>,
) {
  try {
    const onDamaged = (error: StoreError): void => leaveOut(call, error);
    return await call.store.range(range, { revision, maxBytes: CHUNK_BYTES, onDamaged, ...options });
  } catch (error) {
    throw expiredIfCompacted(call, range.start, error);
  }
}

/** The record as it was at a revision, or none. Throws 410 when the revision is no longer kept. */
export async function readRecord(call: EndpointCall, key: string, revision: Revision): Promise<readonly StoreRecord[]> {
  try {
    const record = await call.store.get(key, { revision });
    return record === undefined ? [] : [record];
  } catch (error) {
    throw expiredIfCompacted(call, key, error);
  }
}

function expiredIfCompacted(call: EndpointCall, start: string, error: unknown): unknown {
  return error instanceof StoreError && error.failure.code === 'Compacted' ? expired(call, start) : error;
}

/** Warns of damage that is known before the list begins: what a long list finds later comes too late for its headers. */
function warnOfKnownDamage(call: EndpointCall): void {
  if (call.store.damagedKeys.size === 0) return;
  const prefix = collectionPrefix(call.resource.storage, call.info.namespace);
  for (const key of call.store.damagedKeys) if (key.startsWith(prefix)) warnOfDamage(call, key);
}

function warnOfDamage(call: EndpointCall, key: string): void {
  const name = key.slice(collectionPrefix(call.resource.storage, '').length);
  call.warnings.add(`the list lacks ${name}: the stored object is damaged`);
}

/**
 * One damaged object does not keep the others from being listed. It is not gone, though: whoever gets it is told so, and a
 * client that can read warnings is told which one is missing.
 */
function leaveOut(call: EndpointCall, error: StoreError): void {
  const { failure } = error;
  if (failure.code !== 'Corrupt' || failure.key === undefined) throw error;
  warnOfDamage(call, failure.key);
  call.onDamaged(error);
}

/** 410 with a token that goes on at the same key in the newest state, for clients that prefer that to starting over. */
function expired(call: EndpointCall, start: string): Error {
  const prefix = collectionPrefix(call.resource.storage, call.info.namespace);
  if (!call.query.get('continue')) return expiredError('The resourceVersion for the provided list is too old.');
  return expiredError(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continueToken: encodeContinue({ revision: undefined, start: start.slice(prefix.length) }) },
  );
}

/** Records of some bytes each time: a client that takes nothing has no more than that made for it. */
export function* runsOf(records: readonly StoreRecord[], mostBytes = WHOLE_BYTES): Generator<readonly StoreRecord[]> {
  let start = 0;
  let bytes = 0;
  for (let at = 0; at < records.length; at++) {
    bytes += records[at]!.value.length;
    if (bytes < mostBytes && at < records.length - 1) continue;
    yield start === 0 && at === records.length - 1 ? records : records.slice(start, at + 1);
    start = at + 1;
    bytes = 0;
  }
}

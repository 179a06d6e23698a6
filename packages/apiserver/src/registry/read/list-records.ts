import type { KubernetesObject } from '@pintle/machinery';
import { expiredError } from '@pintle/machinery/errors';
import type { KeyRange, RangeOptions, Revision, StoreRecord } from '@pintle/store';
import { keyAfter, StoreError } from '@pintle/store';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { LARGE_BYTES } from '../../resource/yield-policy.ts';
import { collectionPrefix } from '../../storage/keys.ts';
import { isReadAtOnce, toObjects } from '../../storage/object-store.ts';
import { WHOLE_BYTES } from '../response/body.ts';
import { encodeContinue } from './continue-token.ts';
import type { ObjectFilter } from './object-filter.ts';

/** Bytes that are read from the store at a time, which takes a few milliseconds. */
const CHUNK_BYTES = 512 * 1024;
const FIRST_CHUNK_RECORDS = 100;
const MAX_CHUNK_RECORDS = 500;

/** A part of a list. */
export interface RecordChunk {
  /** The records that pass the filter; never empty. */
  readonly records: readonly StoreRecord[];
  /** Last key that was read. */
  readonly through: string;
  /** True when there are more keys in the range, whether they pass or not. */
  readonly more: boolean;
}

interface ReadRecordsOptions {
  readonly wanted?: number | undefined;
  /** Yields to other requests, between chunks and before large reads. */
  readonly turn?: () => Promise<void>;
}

/**
 * Reads the records of a range that pass the filter, in key order, at one revision. Yields chunks of bounded size, with
 * a turn of the event loop between them, until there are `wanted` records or a few more. Throws 410 when the revision
 * is compacted.
 */
export async function* readRecords(
  context: RequestContext,
  filter: ObjectFilter,
  range: KeyRange,
  revision: Revision,
  { wanted = Number.POSITIVE_INFINITY, turn = context.yielding.ownTurn }: ReadRecordsOptions = {},
): AsyncGenerator<RecordChunk> {
  warnOfKnownDamage(context);
  const { selection } = filter;
  const selected = selection === undefined ? {} : { select: selection };
  // Where objects are converted before they are filtered, few large batches are better than many small ones.
  const isExact = selection === undefined || context.resource.codec === undefined;
  let start = range.start;
  let limit = FIRST_CHUNK_RECORDS;
  let left = wanted;
  for (;;) {
    const most = isExact ? Math.min(limit, left) : limit;
    const { records, more } = await readRange(context, { ...range, start }, revision, {
      limit: most,
      turn,
      ...selected,
    });
    if (records.length > 0) {
      const through = records[records.length - 1]!.key;
      const passing = await passed(context, filter, records, turn);
      if (passing.length > 0) yield { records: passing, through, more };
      start = keyAfter(through);
      limit = nextLimit(records);
      left -= passing.length;
    }
    if (!more || left <= 0) return;
    await turn();
  }
}

/** Returns the records that pass. Converts those that the selection could not decide, all in one batch. */
async function passed(
  context: RequestContext,
  filter: ObjectFilter,
  records: readonly StoreRecord[],
  turn: () => Promise<void>,
): Promise<readonly StoreRecord[]> {
  const { resource } = context;
  if (filter.isEverything || resource.codec === undefined) return records;
  const converted = records.filter((record) => !isReadAtOnce(resource, record));
  if (converted.length === 0) return records;
  const objects = await toObjectsInTurn(resource, converted, turn);
  const refused = new Set(converted.filter((_, index) => !filter.matches(objects[index]!)));
  return records.filter((record) => !refused.has(record));
}

/**
 * Like `toObjects`, but waits for its own turn of the event loop when the records are large, so that concurrent
 * requests do not read all in the same turn.
 */
export async function toObjectsInTurn(
  resource: ServedResource,
  records: readonly StoreRecord[],
  turn: () => Promise<void>,
): Promise<KubernetesObject[]> {
  // `LARGE_BYTES` counts as large: many such runs may follow each other.
  if (bytesOf(records) >= LARGE_BYTES) await turn();
  return await toObjects(resource, records);
}

export function bytesOf(records: readonly StoreRecord[]): number {
  let bytes = 0;
  for (const { value } of records) bytes += value.length;
  return bytes;
}

/** Returns the number of records of the next chunk, from the average size of these. */
function nextLimit(records: readonly StoreRecord[]): number {
  const fitting = Math.floor((CHUNK_BYTES * records.length) / Math.max(1, bytesOf(records)));
  return Math.min(MAX_CHUNK_RECORDS, Math.max(1, fitting));
}

async function readRange(
  context: RequestContext,
  range: KeyRange,
  revision: Revision,
  options: Pick<RangeOptions, 'limit' | 'turn' | 'select'>,
) {
  try {
    const onDamaged = (error: StoreError): void => skipDamaged(context, error);
    return await context.store.range(range, { revision, maxBytes: CHUNK_BYTES, onDamaged, ...options });
  } catch (error) {
    throw expiredIfCompacted(context, range.start, error);
  }
}

/** Returns the record at a revision, or none. Throws 410 when the revision is compacted. */
export async function readRecord(
  context: RequestContext,
  key: string,
  revision: Revision,
): Promise<readonly StoreRecord[]> {
  try {
    const record = await context.store.get(key, { revision });
    return record === undefined ? [] : [record];
  } catch (error) {
    throw expiredIfCompacted(context, key, error);
  }
}

function expiredIfCompacted(context: RequestContext, start: string, error: unknown): unknown {
  return error instanceof StoreError && error.failure.code === 'Compacted' ? expired(context, start) : error;
}

/** Warns of damage that is known before the list begins: a long list finds the rest after its headers are sent. */
function warnOfKnownDamage(context: RequestContext): void {
  if (context.store.damagedKeys.size === 0) return;
  const prefix = collectionPrefix(context.resource.storage, context.info.namespace);
  for (const key of context.store.damagedKeys) if (key.startsWith(prefix)) warnOfDamage(context, key);
}

function warnOfDamage(context: RequestContext, key: string): void {
  const name = key.slice(collectionPrefix(context.resource.storage, '').length);
  context.warnings.add(`the list lacks ${name}: the stored object is damaged`);
}

/**
 * Skips a damaged object, so that the others can be listed. A GET of it still fails, and a warning names it for clients
 * that read warnings.
 */
function skipDamaged(context: RequestContext, error: StoreError): void {
  const { failure } = error;
  if (failure.code !== 'Corrupt' || failure.key === undefined) throw error;
  warnOfDamage(context, failure.key);
  context.onDamaged(error);
}

/**
 * Returns 410 with a token that continues at the same key in the newest state, for clients that prefer that to starting
 * over.
 */
function expired(context: RequestContext, start: string): Error {
  const prefix = collectionPrefix(context.resource.storage, context.info.namespace);
  if (!context.query.get('continue')) return expiredError('The resourceVersion for the provided list is too old.');
  return expiredError(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continueToken: encodeContinue({ revision: undefined, start: start.slice(prefix.length) }) },
  );
}

/** Yields records in runs of bounded size, so that a client that reads nothing holds little memory. */
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

import type { ListMeta } from '@pintle/machinery';
import { badRequestError } from '@pintle/machinery/errors';
import type { KeyRange, Revision, StoreRecord } from '@pintle/store';
import { keyAfter } from '@pintle/store';
import type { RequestContext } from '../../resource/endpoint.ts';
import { readingTurns } from '../../resource/yield-policy.ts';
import { collectionPrefix, collectionRange } from '../../storage/keys.ts';
import type { ContinueToken } from './continue-token.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { ListOptions } from './list-options.ts';
import { readRecords } from './list-records.ts';
import type { ListSource } from './list-response.ts';
import type { ObjectFilter } from './object-filter.ts';
import { parseResourceVersion, waitForRevision } from './read-revision.ts';

/** A list at one revision: all of it, or one page. */
export interface Page {
  readonly metadata: ListMeta;
  readonly source: ListSource;
}

/** Range and revision of a list. */
interface ListPosition {
  readonly range: KeyRange;
  readonly revision: Revision;
  /** 0 means unlimited. */
  readonly limit: number;
}

/** Pages above this size are read twice: once to find their end, and again while they are sent. */
const HELD_PAGE_BYTES = 2 * 1024 * 1024;

/** Reads one page, or everything when no limit is set, at the revision that the options ask for. */
export async function readPage(context: RequestContext, options: ListOptions, filter: ObjectFilter): Promise<Page> {
  return await pageAt(context, filter, await positionOf(context, filter, options));
}

async function pageAt(context: RequestContext, filter: ObjectFilter, position: ListPosition): Promise<Page> {
  const { range, revision, limit } = position;
  const source = (within: KeyRange): ListSource => ({
    revision,
    chunks: () => readRecords(context, filter, within, revision, { turn: readingTurns(context) }),
  });
  if (limit === 0) return { metadata: lastMetadata(context, filter, revision), source: source(range) };
  const { records, rest, within } = await measurePage(context, filter, position);
  const metadata =
    rest === undefined ? lastMetadata(context, filter, revision) : await pageMetadata(context, filter, rest, revision);
  return { metadata, source: records === undefined ? source(within) : { revision, chunks: () => [{ records }] } };
}

interface MeasuredPage {
  /** Absent when there are too many to hold: they are then read again. */
  readonly records: readonly StoreRecord[] | undefined;
  readonly within: KeyRange;
  /** Range after the page, if there is more. */
  readonly rest?: KeyRange;
}

/** Finds the end of a page, because its metadata is sent before its items. */
async function measurePage(
  context: RequestContext,
  filter: ObjectFilter,
  position: ListPosition,
): Promise<MeasuredPage> {
  const { range, revision, limit } = position;
  let records: StoreRecord[] | undefined = [];
  let bytes = 0;
  let left = limit;
  const turn = readingTurns(context);
  for await (const chunk of readRecords(context, filter, range, revision, { wanted: limit, turn })) {
    const taken = chunk.records.length > left ? chunk.records.slice(0, left) : chunk.records;
    left -= taken.length;
    for (const { value } of taken) bytes += value.length;
    if (bytes > HELD_PAGE_BYTES) records = undefined;
    for (const record of taken) records?.push(record);
    if (left > 0) continue;
    const last = taken[taken.length - 1]!.key;
    if (!chunk.more && last === chunk.through) break;
    const next = keyAfter(last);
    return { records, within: { ...range, end: next }, rest: { ...range, start: next } };
  }
  return { records, within: range };
}

async function positionOf(context: RequestContext, filter: ObjectFilter, options: ListOptions): Promise<ListPosition> {
  const token = readToken(options);
  const range = pageRange(context, filter, token);
  const revision = await snapshotOf(context, filter, options, token);
  // As in Kubernetes, a list at any version is not paged, because it is served from the cache.
  const isAnyVersion = options.resourceVersion === '0';
  return { range, revision, limit: isAnyVersion ? 0 : Math.max(0, options.limit) };
}

function readToken(options: ListOptions): ContinueToken | undefined {
  if (options.continueToken === '') return undefined;
  const token = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequestError('specifying resource version is not allowed when using continue');
  }
  return token;
}

function pageRange(context: RequestContext, filter: ObjectFilter, token: ContinueToken | undefined): KeyRange {
  if (token === undefined) return filter.rangeIn(context.info.namespace);
  const range = collectionRange(context.resource.storage, context.info.namespace);
  return { ...range, start: `${range.start}${token.start}` };
}

/** Returns the revision at which a list is read. */
async function snapshotOf(
  context: RequestContext,
  filter: ObjectFilter,
  options: ListOptions,
  token: ContinueToken | undefined,
): Promise<Revision> {
  const { store, clock, request } = context;
  if (token?.revision !== undefined) {
    await waitForRevision(store, clock, token.revision as Revision, request);
    return token.revision as Revision;
  }
  if (token !== undefined) return store.latest({ signal: request.signal });
  const wanted = parseResourceVersion(options.resourceVersion, { isWatch: false });
  if (wanted === undefined) return store.latest({ signal: request.signal });
  if (wanted === 0) return store.revision;
  await waitForRevision(store, clock, wanted, request);
  // A list of one object has no pages that must share a snapshot.
  const isPage = options.limit > 0 && !filter.isOfOneObject(context.info.namespace);
  const isExact = options.resourceVersionMatch === 'Exact' || (isPage && options.resourceVersionMatch === '');
  return isExact ? wanted : store.revision;
}

/** Returns the metadata of a list, or of its last page. */
function lastMetadata(context: RequestContext, filter: ObjectFilter, revision: Revision): ListMeta {
  const metadata: ListMeta = { resourceVersion: String(revision), ...shardInfoOf(filter) };
  // Lists of custom resources always have `continue`.
  return context.resource.isCustom ? { continue: '', ...metadata } : metadata;
}

/** Returns the metadata of a page that is followed by `rest`. */
async function pageMetadata(
  context: RequestContext,
  filter: ObjectFilter,
  rest: KeyRange,
  revision: Revision,
): Promise<ListMeta> {
  const prefix = collectionPrefix(context.resource.storage, context.info.namespace);
  const metadata: ListMeta = { resourceVersion: String(revision) };
  metadata.continue = encodeContinue({ revision, start: rest.start.slice(prefix.length) });
  if (filter.isEverything) metadata.remainingItemCount = await context.store.count(rest, { revision });
  return { ...metadata, ...shardInfoOf(filter) };
}

function shardInfoOf({ shard }: ObjectFilter): Pick<ListMeta, 'shardInfo'> {
  return shard === undefined ? {} : { shardInfo: { selector: shard.toString() } };
}

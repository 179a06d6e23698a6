import type { KubernetesObject, ListMeta } from '@pintle/machinery';
import { badRequestError, expiredError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { KeyRange, Revision, StoreRecord } from '@pintle/store';
import { keyAfter, StoreError } from '@pintle/store';
import type { Negotiated } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { collectionPrefix, collectionRange } from '../storage/keys.ts';
import { ITEM_HEAD, readStored } from '../storage/object-codec.ts';
import { isServedAsStored, toObjects } from '../storage/object-store.ts';
import { answerValue, headOf, negotiateAnswer } from './answer.ts';
import type { ContinueToken } from './continue-token.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { EndpointCall } from './endpoint.ts';
import type { ListOptions } from './list-options.ts';
import { readListOptions } from './list-options.ts';
import { ObjectFilter } from './object-filter.ts';
import { partialMetadata } from './partial-metadata.ts';
import { parseResourceVersion, waitForRevision } from './read-revision.ts';
import { includeObject, tableOf } from './table.ts';

/** How many records are read from the store at a time. */
const CHUNK_RECORDS = 500;

/** A list as it was at one revision: all of it, or one page. */
interface Page {
  readonly records: readonly StoreRecord[];
  readonly metadata: ListMeta;
}

export async function list(call: EndpointCall): Promise<ApiResponse> {
  const options = readListOptions(call.query, { isWatch: false });
  const form = negotiateAnswer(call, ['Table', 'PartialObjectMetadataList']);
  if (form.transform?.as === 'Table') includeObject(call.query);
  const filter = new ObjectFilter(call.resource, options);
  const page = await readPage(call, options, filter);
  return await answerPage(call, form, page);
}

/** Reads one page, or everything when no limit is set, from the snapshot the options ask for. */
export async function readPage(call: EndpointCall, options: ListOptions, filter: ObjectFilter): Promise<Page> {
  const { resource, info } = call;
  const token = readToken(options);
  // As Kubernetes has it: whoever takes any version gets the whole list, for it comes from the cache.
  const pageLimit = options.resourceVersion === '0' && options.resourceVersionMatch === '' ? 0 : options.limit;
  const range = pageRange(call, token);
  const revision = await snapshotOf(call, options, token);
  const records: StoreRecord[] = [];
  let start = range.start;
  let more = true;
  while (more) {
    const wanted = pageLimit > 0 ? pageLimit - records.length : CHUNK_RECORDS;
    const limit = filter.isEverything ? Math.min(wanted, CHUNK_RECORDS) : CHUNK_RECORDS;
    const result = await readRange(call, { ...range, start }, revision, limit);
    more = result.more;
    const objects = filter.isEverything ? [] : await toObjects(resource, result.records);
    for (const [i, record] of result.records.entries()) {
      start = keyAfter(record.key);
      if (!filter.isEverything && !filter.matches(objects[i]!)) continue;
      records.push(record);
      if (pageLimit > 0 && records.length >= pageLimit) {
        more ||= i < result.records.length - 1;
        return { records, metadata: await pageMetadata(call, filter, { ...range, start }, revision, more) };
      }
    }
    if (more) await new Promise(setImmediate);
  }
  const prefix = collectionPrefix(resource.storage, info.namespace);
  return { records, metadata: await pageMetadata(call, filter, { start: prefix, end: prefix }, revision, false) };
}

function readToken(options: ListOptions): ContinueToken | undefined {
  if (options.continueToken === '') return undefined;
  const token = decodeContinue(options.continueToken);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequestError('specifying resource version is not allowed when using continue');
  }
  return token;
}

function pageRange(call: EndpointCall, token: ContinueToken | undefined): KeyRange {
  const range = collectionRange(call.resource.storage, call.info.namespace);
  return token === undefined ? range : { ...range, start: `${range.start}${token.start}` };
}

/** Which revision a list is read at. */
async function snapshotOf(
  call: EndpointCall,
  options: ListOptions,
  token: ContinueToken | undefined,
): Promise<Revision> {
  const { store, clock, request } = call;
  if (token !== undefined) return (token.revision ?? store.revision) as Revision;
  const wanted = parseResourceVersion(options.resourceVersion, { isWatch: false });
  if (wanted === undefined || wanted === 0) return store.revision;
  await waitForRevision(store, clock, wanted, request);
  const isExact =
    options.resourceVersionMatch === 'Exact' || (options.limit > 0 && options.resourceVersionMatch === '');
  return isExact ? wanted : store.revision;
}

async function readRange(call: EndpointCall, range: KeyRange, revision: Revision, limit: number) {
  try {
    return await call.store.range(range, { revision, limit });
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Compacted') throw error;
    throw expired(call, range.start);
  }
}

/** 410 with a token that goes on at the same key in the newest state, for clients that prefer that to starting over. */
function expired(call: EndpointCall, start: string): Error {
  const prefix = collectionPrefix(call.resource.storage, call.info.namespace);
  if (!call.query.has('continue')) return expiredError('The resourceVersion for the provided list is too old.');
  return expiredError(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continueToken: encodeContinue({ revision: undefined, start: start.slice(prefix.length) }) },
  );
}

async function pageMetadata(
  call: EndpointCall,
  filter: ObjectFilter,
  rest: KeyRange,
  revision: Revision,
  more: boolean,
): Promise<ListMeta> {
  const metadata: ListMeta = { resourceVersion: String(revision) };
  // Lists of custom resources always say whether they go on.
  if (!more) return call.resource.isCustom ? { continue: '', ...metadata } : metadata;
  const prefix = collectionPrefix(call.resource.storage, call.info.namespace);
  metadata.continue = encodeContinue({ revision, start: rest.start.slice(prefix.length) });
  if (filter.isEverything) metadata.remainingItemCount = await call.store.count(rest, { revision });
  return metadata;
}

async function answerPage(call: EndpointCall, form: Negotiated, page: Page): Promise<ApiResponse> {
  const { resource } = call;
  if (
    form.encoding === 'json' &&
    form.transform === undefined &&
    !form.pretty &&
    page.records.every((record) => isServedAsStored(resource, record))
  ) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: encodeList(call, page) };
  }
  const objects = await toObjects(resource, page.records);
  return await answerValue(form, 200, shapeList(call, form, objects, page.metadata));
}

function shapeList(
  call: EndpointCall,
  form: Negotiated,
  objects: readonly KubernetesObject[],
  metadata: ListMeta,
): JsonObject {
  const meta = metadata as unknown as JsonObject;
  if (form.transform !== undefined && meta.continue === '') delete meta.continue;
  if (form.transform?.as === 'Table') return tableOf(call, form.transform.version, objects, meta);
  if (form.transform !== undefined) {
    const { version } = form.transform;
    const items = objects.length === 0 ? null : objects.map((object) => partialMetadata(object, version));
    return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata: meta, items };
  }
  const { type, itemsAreTyped } = call.resource;
  const items = objects.map((object) => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    return (itemsAreTyped ? object : rest) as unknown as JsonObject;
  });
  return { kind: type.listKind, apiVersion: type.apiVersion, metadata: meta, items };
}

/** The list as JSON, put together from the bytes of its objects. */
function encodeList(call: EndpointCall, page: Page): Uint8Array {
  const { type, itemsAreTyped } = call.resource;
  const head = itemsAreTyped ? headOf(call.resource) : ITEM_HEAD;
  const opening = Buffer.from(
    `{"kind":${JSON.stringify(type.listKind)},"apiVersion":${JSON.stringify(type.apiVersion)},"metadata":${JSON.stringify(page.metadata)},"items":[`,
  );
  const tails = page.records.map((record) => readStored(record.value).tail);
  const versions = page.records.map((record) => String(record.modRevision));
  let length = opening.length + 3 + Math.max(0, tails.length - 1);
  for (let i = 0; i < tails.length; i++) length += head.length + versions[i]!.length + tails[i]!.length;
  const out = Buffer.allocUnsafe(length);
  let at = opening.copy(out);
  for (let i = 0; i < tails.length; i++) {
    if (i > 0) out[at++] = 0x2c;
    out.set(head, at);
    at += head.length;
    at += out.write(versions[i]!, at, 'latin1');
    out.set(tails[i]!, at);
    at += tails[i]!.length;
  }
  out[at++] = 0x5d;
  out[at++] = 0x7d;
  out[at] = 0x0a;
  return out;
}

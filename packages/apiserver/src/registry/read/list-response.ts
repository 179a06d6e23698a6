import { nameAndCreation } from '@pintle/kinds/rules';
import type { KubernetesObject, ListMeta } from '@pintle/machinery';
import { asJson, encodeJson, type JsonObject } from '@pintle/machinery/json';
import type { Revision, StoreRecord } from '@pintle/store';
import { BufferPool } from '../../http/buffer-pool.ts';
import type { Negotiated } from '../../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../../http/content-negotiation.ts';
import type { ApiResponse } from '../../request/exchange.ts';
import { whenSent } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { LARGE_BYTES, longTurns, readingTurns } from '../../resource/yield-policy.ts';
import { ITEM_HEAD, serveObjects } from '../../storage/object-codec.ts';
import { areServedAsStored } from '../../storage/object-store.ts';
import { bodyOfStream, PieceBuffer, WHOLE_BYTES } from '../response/body.ts';
import { headOf, refuseTransform } from '../response/response.ts';
import { columnDefinitions, includeObject, partialMetadata, printerOf, row } from '../response/table.ts';
import type { ListFrame, ListWriter } from '../response/value-writer.ts';
import { writerOf } from '../response/value-writer.ts';
import { readRecord, runsOf, toObjectsInTurn } from './list-records.ts';

/**
 * Bytes of a long list that are buffered when memory allows: then it is not encoded twice, and a failure can still
 * become an error response.
 */
const BUFFERED_BYTES = 8 * 1024 * 1024;

const buffers = new BufferPool();
const takeBuffer = (length: number): Uint8Array => buffers.take(length);

interface Chunk {
  readonly records: readonly StoreRecord[];
}

type Chunks = AsyncIterable<Chunk> | Iterable<Chunk>;

/** The records of a list. They can be read several times, with the same result. */
export interface ListSource {
  readonly revision: Revision;
  chunks(): Chunks;
}

/**
 * Returns a list in the negotiated form. A long list is sent while it is read, so that it takes little memory. Forms
 * that begin with the length are encoded twice.
 */
export async function listResponse(
  context: RequestContext,
  form: Negotiated,
  metadata: ListMeta,
  source: ListSource,
): Promise<ApiResponse> {
  const isPlainJson = form.encoding === 'json' && !form.pretty && form.transform === undefined;
  if (!isPlainJson) return await encodedListResponse(context, form, listFormOf(context, form, metadata), source);
  const headers = { 'content-type': MEDIA_TYPES.json };
  const body = await jsonBody(listJson(context, metadata), source.chunks());
  if (body instanceof Uint8Array) return { status: 200, headers, body, release: () => buffers.giveBack(body) };
  return { status: 200, headers, body: context.resource.codec?.mayFail ? await buffered(context, body) : body };
}

/** Buffers the beginning of a body, when memory allows, so that a failure there becomes an error response. */
async function buffered(context: RequestContext, body: AsyncGenerator<Uint8Array>): Promise<ApiResponse['body']> {
  const release = context.memory.tryTake(BUFFERED_BYTES);
  if (release === undefined) return await bodyOfStream(body);
  try {
    const buffer = await bodyOfStream(body, BUFFERED_BYTES);
    return whenSent({ status: 200, headers: {}, body: buffer }, context.request, release).body;
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns a list in a form that has to be encoded from objects. */
async function encodedListResponse(
  context: RequestContext,
  form: Negotiated,
  listForm: ListForm,
  source: ListSource,
): Promise<ApiResponse> {
  const headers = { 'content-type': MEDIA_TYPES[form.encoding] };
  const { rank } = listForm;
  const chunks = rank === undefined ? () => source.chunks() : await rankedChunks(context, source, rank);
  const writer = (await writerOf(form)).list(listForm);
  const items = (): AsyncGenerator<Uint8Array> => itemPieces(context, listForm, writer, objectsIn(context, chunks()));
  if (writer.isSized) return { status: 200, headers, body: await sizedBody(context, writer, items) };
  const pieces = listPieces(writer, items());
  const body = context.resource.codec?.mayFail ? await buffered(context, pieces) : await bodyOfStream(pieces);
  return { status: 200, headers, body };
}

/** Yields the items with the opening and closing of the list. */
async function* listPieces(writer: ListWriter, items: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { opening, closing } = writer.around(0);
  let isEmpty = true;
  for await (const piece of items) {
    if (isEmpty) yield opening;
    isEmpty = false;
    yield piece;
  }
  yield isEmpty ? writer.empty : closing;
}

/**
 * Returns a list that begins with its length. Items are encoded once to measure them, and again to send them unless all
 * were buffered.
 */
async function sizedBody(
  context: RequestContext,
  writer: ListWriter,
  items: () => AsyncGenerator<Uint8Array>,
): Promise<ApiResponse['body']> {
  const buffer = new BufferedPieces(context);
  try {
    let bytes = 0;
    for await (const piece of items()) {
      bytes += piece.length;
      buffer.add(piece);
    }
    if (bytes === 0) return writer.empty;
    const { opening, closing } = writer.around(bytes);
    if (buffer.pieces !== undefined) return Buffer.concat([opening, ...buffer.pieces, closing]);
    return measured(opening, items(), closing, bytes);
  } finally {
    buffer.release();
  }
}

/** Buffers pieces while they are few or memory allows more. */
class BufferedPieces {
  readonly #context: RequestContext;
  pieces: Uint8Array[] | undefined = [];
  #bytes = 0;
  #mostBytes = WHOLE_BYTES;
  #release: (() => void) | undefined;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#mostBytes && !this.#mayBufferMore()) this.pieces = undefined;
    this.pieces?.push(piece);
  }

  release(): void {
    this.#release?.();
  }

  #mayBufferMore(): boolean {
    if (this.#mostBytes === BUFFERED_BYTES) return false;
    this.#release = this.#context.memory.tryTake(BUFFERED_BYTES);
    this.#mostBytes = BUFFERED_BYTES;
    return this.#release !== undefined && this.#bytes <= BUFFERED_BYTES;
  }
}

async function* measured(
  opening: Uint8Array,
  items: AsyncGenerator<Uint8Array>,
  closing: Uint8Array,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  yield opening;
  let sent = 0;
  for await (const piece of items) {
    sent += piece.length;
    yield piece;
  }
  if (sent !== bytes) throw new Error(`Cannot send a list of ${bytes} bytes: ${sent} were made the second time`);
  yield closing;
}

type ObjectGroups = AsyncIterable<readonly KubernetesObject[]> | Iterable<readonly KubernetesObject[]>;

/** Yields the encoded items in pieces worth sending. */
async function* itemPieces(
  context: RequestContext,
  listForm: ListForm,
  writer: ListWriter,
  groups: ObjectGroups,
): AsyncGenerator<Uint8Array> {
  const turns = longTurns(context.clock, readingTurns(context));
  const buffer = new PieceBuffer();
  let isFirst = true;
  for await (const objects of groups) {
    for (const object of objects) {
      for (const piece of writer.item(listForm.item(object), isFirst)) {
        const enough = buffer.add(piece);
        if (enough !== undefined) yield enough;
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
      isFirst = false;
    }
  }
  const rest = buffer.take();
  if (rest.length > 0) yield rest;
}

async function* objectsIn(context: RequestContext, chunks: Chunks): AsyncGenerator<readonly KubernetesObject[]> {
  const turn = readingTurns(context);
  for await (const records of recordsOf(context, chunks)) yield await toObjectsInTurn(context.resource, records, turn);
}

/**
 * Yields records in the batches in which they become objects: small, except where a webhook converts them, which takes
 * few large calls.
 */
async function* recordsOf({ resource }: RequestContext, chunks: Chunks): AsyncGenerator<readonly StoreRecord[]> {
  if (resource.codec === undefined) {
    for await (const { records } of chunks) yield* runsOf(records, LARGE_BYTES);
    return;
  }
  let gathered: StoreRecord[] = [];
  let bytes = 0;
  for await (const { records } of chunks) {
    for (const run of runsOf(records)) {
      for (const record of run) {
        gathered.push(record);
        bytes += record.value.length;
      }
      if (bytes < WHOLE_BYTES) continue;
      yield gathered;
      gathered = [];
      bytes = 0;
    }
  }
  if (gathered.length > 0) yield gathered;
}

/** Sorts the records by the rank of their objects; they are then read in that order, a few at a time. */
async function rankedChunks(
  context: RequestContext,
  source: ListSource,
  rank: (object: KubernetesObject) => number,
): Promise<() => Chunks> {
  const turn = readingTurns(context);
  const ranked: { readonly key: string; readonly rank: number }[] = [];
  for await (const { records } of source.chunks()) {
    for (const run of runsOf(records, LARGE_BYTES)) {
      const objects = await toObjectsInTurn(context.resource, run, turn);
      for (const [at, { key }] of run.entries()) ranked.push({ key, rank: rank(objects[at]!) });
    }
  }
  // The sort is stable, so that equal ranks stay in the order of names.
  ranked.sort((a, b) => a.rank - b.rank);
  return async function* () {
    for (const { key } of ranked) yield { records: await readRecord(context, key, source.revision) };
  };
}

/** Returns objects as a list in the negotiated form. */
export async function objectListResponse(
  context: RequestContext,
  form: Negotiated,
  metadata: ListMeta,
  objects: readonly KubernetesObject[],
): Promise<ApiResponse> {
  const listForm = listFormOf(context, form, metadata);
  const writer = (await writerOf(form)).list(listForm);
  const items = (): AsyncGenerator<Uint8Array> => itemPieces(context, listForm, writer, [objects]);
  const headers = { 'content-type': MEDIA_TYPES[form.encoding] };
  const body = writer.isSized ? sizedBody(context, writer, items) : bodyOfStream(listPieces(writer, items()));
  return { status: 200, headers, body: await body };
}

/** The form of a list: its frame, and the item for each object. */
interface ListForm extends ListFrame {
  item(object: KubernetesObject): JsonObject;
  /** Sort key of objects. Default: as they were read. */
  rank?(object: KubernetesObject): number;
}

function listFormOf(context: RequestContext, form: Negotiated, metadata: ListMeta): ListForm {
  const { transform } = form;
  if (transform === undefined) return plainListForm(context, metadata);
  const { version } = transform;
  const apiVersion = `meta.k8s.io/${version}`;
  const meta = withoutEmptyContinue(metadata);
  if (transform.as === 'Table') {
    const printer = printerOf(context);
    const include = includeObject(context.query);
    return {
      head: { kind: 'Table', apiVersion, metadata: meta, columnDefinitions: columnDefinitions(context, printer) },
      field: 'rows',
      // Kinds without their own columns begin without a list of rows.
      isNullWhenEmpty: printer === nameAndCreation,
      item: (object) => row(context, printer, include, version, object),
      ...(printer.rank && { rank: printer.rank }),
    };
  }
  if (transform.as === 'PartialObjectMetadata') refuseTransform(context, transform.as);
  return {
    head: { kind: 'PartialObjectMetadataList', apiVersion, metadata: meta },
    field: 'items',
    isNullWhenEmpty: true,
    item: (object) => partialMetadata(object, version, context.resource.rules),
  };
}

function plainListForm(context: RequestContext, metadata: ListMeta): ListForm {
  const { type, itemsAreTyped } = context.resource;
  return {
    head: { kind: type.listKind, apiVersion: type.apiVersion, metadata: asJson(metadata) },
    field: 'items',
    isNullWhenEmpty: false,
    item: (object) => {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
      return asJson(itemsAreTyped ? object : rest);
    },
  };
}

/** Omits an empty `continue`, which only lists of whole custom resources have, and as Kubernetes does, `shardInfo`. */
function withoutEmptyContinue({ continue: next, shardInfo: _, ...rest }: ListMeta): JsonObject {
  return asJson(next ? { ...rest, continue: next } : rest);
}

/** Encodes a list as JSON. */
interface ListJson {
  readonly opening: Uint8Array;
  readonly closing: Uint8Array;
  /** The whole list when it has no items. */
  readonly empty: Uint8Array;
  /** Returns the items, separated by commas, between `before` and `behind`. */
  items(records: readonly StoreRecord[], before: Uint8Array, behind: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']}\n');
const NOTHING = new Uint8Array(0);

function listJson(context: RequestContext, metadata: ListMeta): ListJson {
  const listForm = plainListForm(context, metadata);
  const before = `${JSON.stringify(listForm.head).slice(0, -1)},"${listForm.field}":`;
  return {
    opening: Buffer.from(`${before}[`),
    closing: CLOSING,
    empty: Buffer.from(`${before}${listForm.isNullWhenEmpty ? 'null' : '[]'}}\n`),
    items: (records, prefix, suffix) => {
      if (!areServedAsStored(context.resource, records))
        return encodedItems(context, listForm, records, prefix, suffix);
      const head = context.resource.itemsAreTyped ? headOf(context.resource) : ITEM_HEAD;
      return serveObjects(head, records, { before: prefix, between: COMMA, behind: suffix }, takeBuffer);
    },
  };
}

async function encodedItems(
  context: RequestContext,
  listForm: ListForm,
  records: readonly StoreRecord[],
  before: Uint8Array,
  behind: Uint8Array,
): Promise<Uint8Array> {
  const turns = longTurns(context.clock, readingTurns(context));
  const parts: Uint8Array[] = [before];
  for await (const objects of objectsIn(context, [{ records }])) {
    for (const object of objects) {
      if (parts.length > 1) parts.push(COMMA);
      parts.push(encodeJson(listForm.item(object)));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
  return Buffer.concat([...parts, behind]);
}

/** Returns a short list in one piece, and a long one as it is read. Errors at the beginning are thrown. */
async function jsonBody(list: ListJson, chunks: Chunks): Promise<Uint8Array | AsyncGenerator<Uint8Array>> {
  const source = iteratorOf(chunks);
  const first: StoreRecord[] = [];
  for (let bytes = 0; bytes <= WHOLE_BYTES; ) {
    const { done, value } = await source.next();
    if (done) return first.length === 0 ? list.empty : await list.items(first, list.opening, list.closing);
    for (const record of value.records) {
      first.push(record);
      bytes += record.value.length;
    }
  }
  return jsonParts(list, first, source);
}

async function* jsonParts(
  list: ListJson,
  first: readonly StoreRecord[],
  rest: Iterator<Chunk> | AsyncIterator<Chunk>,
): AsyncGenerator<Uint8Array> {
  try {
    let before = list.opening;
    for (const run of runsOf(first)) {
      yield await list.items(run, before, NOTHING);
      before = COMMA;
    }
    for (let step = await rest.next(); !step.done; step = await rest.next()) {
      for (const run of runsOf(step.value.records)) yield await list.items(run, COMMA, NOTHING);
    }
    yield list.closing;
  } finally {
    await rest.return?.();
  }
}

function iteratorOf(chunks: Chunks): Iterator<Chunk> | AsyncIterator<Chunk> {
  return Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
}

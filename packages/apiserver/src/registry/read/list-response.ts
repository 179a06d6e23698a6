import { nameAndCreation } from '@pintle/kinds/rules';
import type { KubernetesObject, ListMeta } from '@pintle/machinery';
import { asJson, encodeJson, type JsonObject } from '@pintle/machinery/json';
import type { Revision, StoreRecord } from '@pintle/store';
import { BufferPool } from '../../http/buffer-pool.ts';
import type { Negotiated } from '../../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../../http/content-negotiation.ts';
import type { ApiResponse } from '../../request/exchange.ts';
import { whenSent } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { LARGE_BYTES, longTurns, readingTurns } from '../../resource/yield-policy.ts';
import { ITEM_HEAD, serveObjects } from '../../storage/object-codec.ts';
import { areServedAsStored } from '../../storage/object-store.ts';
import { bodyOfStream, Gathering, WHOLE_BYTES } from '../response/body.ts';
import { headOf, refuseShape } from '../response/response.ts';
import { columnDefinitions, includeObject, partialMetadata, printerOf, row } from '../response/table.ts';
import type { ListFrame, ListWriter } from '../response/value-writer.ts';
import { writerOf } from '../response/value-writer.ts';
import { readRecord, runsOf, toObjectsInTurn } from './list-records.ts';

/** So much of a long list is kept where there is room: it is not made twice then, and a failure can still be answered. */
const KEPT_BYTES = 8 * 1024 * 1024;

const buffers = new BufferPool();
const takeRoom = (length: number): Uint8Array => buffers.take(length);

interface Chunk {
  readonly records: readonly StoreRecord[];
}

type Chunks = AsyncIterable<Chunk> | Iterable<Chunk>;

/** The records of a list. They can be read several times, and are the same ones each time. */
export interface ListSource {
  readonly revision: Revision;
  chunks(): Chunks;
}

/**
 * The list in the form that was negotiated. A long one is sent as it is read and made, so that it takes little memory,
 * whatever the form: where its length comes first, it is made twice.
 */
export async function answerList(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  source: ListSource,
): Promise<ApiResponse> {
  const isPlainJson = form.encoding === 'json' && !form.pretty && form.transform === undefined;
  if (!isPlainJson) return await answerShaped(call, form, shapeOf(call, form, metadata), source);
  const headers = { 'content-type': MEDIA_TYPES.json };
  const body = await jsonBody(listJson(call, metadata), source.chunks());
  if (body instanceof Uint8Array) return { status: 200, headers, body, release: () => buffers.giveBack(body) };
  return { status: 200, headers, body: call.resource.shape?.mayFail ? await collected(call, body) : body };
}

/** Keeps the beginning of a body, as far as there is room, so that a failure there becomes an error and not a broken answer. */
async function collected(call: EndpointCall, body: AsyncGenerator<Uint8Array>): Promise<ApiResponse['body']> {
  const release = call.memory.tryTake(KEPT_BYTES);
  if (release === undefined) return await bodyOfStream(body);
  try {
    const kept = await bodyOfStream(body, KEPT_BYTES);
    return whenSent({ status: 200, headers: {}, body: kept }, call.request, release).body;
  } catch (error) {
    release();
    throw error;
  }
}

/** A list in a form that has to be made of the objects. */
async function answerShaped(
  call: EndpointCall,
  form: Negotiated,
  shape: ListShape,
  source: ListSource,
): Promise<ApiResponse> {
  const headers = { 'content-type': MEDIA_TYPES[form.encoding] };
  const { rank } = shape;
  const chunks = rank === undefined ? () => source.chunks() : await rankedChunks(call, source, rank);
  const writer = (await writerOf(form)).list(shape);
  const items = (): AsyncGenerator<Uint8Array> => itemPieces(call, shape, writer, objectsIn(call, chunks()));
  if (writer.isSized) return { status: 200, headers, body: await sizedBody(call, writer, items) };
  const pieces = listPieces(writer, items());
  const body = call.resource.shape?.mayFail ? await collected(call, pieces) : await bodyOfStream(pieces);
  return { status: 200, headers, body };
}

/** All items with what stands around them. */
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

/** A list that begins with its length: the items are made once to be measured, and again to be sent unless all were kept. */
async function sizedBody(
  call: EndpointCall,
  writer: ListWriter,
  items: () => AsyncGenerator<Uint8Array>,
): Promise<ApiResponse['body']> {
  const kept = new KeptPieces(call);
  try {
    let bytes = 0;
    for await (const piece of items()) {
      bytes += piece.length;
      kept.add(piece);
    }
    if (bytes === 0) return writer.empty;
    const { opening, closing } = writer.around(bytes);
    if (kept.pieces !== undefined) return Buffer.concat([opening, ...kept.pieces, closing]);
    return measured(opening, items(), closing, bytes);
  } finally {
    kept.release();
  }
}

/** Pieces, as long as there are few or there is room for more. */
class KeptPieces {
  readonly #call: EndpointCall;
  pieces: Uint8Array[] | undefined = [];
  #bytes = 0;
  #mostBytes = WHOLE_BYTES;
  #release: (() => void) | undefined;

  constructor(call: EndpointCall) {
    this.#call = call;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#mostBytes && !this.#mayKeepMore()) this.pieces = undefined;
    this.pieces?.push(piece);
  }

  release(): void {
    this.#release?.();
  }

  #mayKeepMore(): boolean {
    if (this.#mostBytes === KEPT_BYTES) return false;
    this.#release = this.#call.memory.tryTake(KEPT_BYTES);
    this.#mostBytes = KEPT_BYTES;
    return this.#release !== undefined && this.#bytes <= KEPT_BYTES;
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

/** The items, some at a time. */
async function* itemPieces(
  call: EndpointCall,
  shape: ListShape,
  writer: ListWriter,
  groups: ObjectGroups,
): AsyncGenerator<Uint8Array> {
  const turns = longTurns(call.clock, readingTurns(call.request));
  const gathering = new Gathering();
  let isFirst = true;
  for await (const objects of groups) {
    for (const object of objects) {
      for (const piece of writer.item(shape.item(object), isFirst)) {
        const enough = gathering.add(piece);
        if (enough !== undefined) yield enough;
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
      isFirst = false;
    }
  }
  const rest = gathering.take();
  if (rest.length > 0) yield rest;
}

async function* objectsIn(call: EndpointCall, chunks: Chunks): AsyncGenerator<readonly KubernetesObject[]> {
  const turn = readingTurns(call.request);
  for await (const records of recordsOf(call, chunks)) yield await toObjectsInTurn(call.resource, records, turn);
}

/** Records as they are made into objects: few at a time, unless others are asked how they look, who are asked seldom. */
async function* recordsOf({ resource }: EndpointCall, chunks: Chunks): AsyncGenerator<readonly StoreRecord[]> {
  if (resource.shape === undefined) {
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

/** Reads what ranks the records; then they can be read in that order, a few at a time. */
async function rankedChunks(
  call: EndpointCall,
  source: ListSource,
  rank: (object: KubernetesObject) => number,
): Promise<() => Chunks> {
  const turn = readingTurns(call.request);
  const places: { readonly key: string; readonly rank: number }[] = [];
  for await (const { records } of source.chunks()) {
    for (const run of runsOf(records, LARGE_BYTES)) {
      const objects = await toObjectsInTurn(call.resource, run, turn);
      for (const [at, { key }] of run.entries()) places.push({ key, rank: rank(objects[at]!) });
    }
  }
  // The sort is stable, so that equals stay in the order of their names.
  places.sort((a, b) => a.rank - b.rank);
  return async function* () {
    for (const { key } of places) yield { records: await readRecord(call, key, source.revision) };
  };
}

/** Objects at hand, as a list in the form that was negotiated. */
export async function answerObjects(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  objects: readonly KubernetesObject[],
): Promise<ApiResponse> {
  const shape = shapeOf(call, form, metadata);
  const writer = (await writerOf(form)).list(shape);
  const items = (): AsyncGenerator<Uint8Array> => itemPieces(call, shape, writer, [objects]);
  const headers = { 'content-type': MEDIA_TYPES[form.encoding] };
  const body = writer.isSized ? sizedBody(call, writer, items) : bodyOfStream(listPieces(writer, items()));
  return { status: 200, headers, body: await body };
}

/** What a list looks like around its items, and what becomes of each object. */
interface ListShape extends ListFrame {
  item(object: KubernetesObject): JsonObject;
  /** Sorts the objects by this. Default: as they were read. */
  rank?(object: KubernetesObject): number;
}

function shapeOf(call: EndpointCall, form: Negotiated, metadata: ListMeta): ListShape {
  const { transform } = form;
  if (transform === undefined) return plainShape(call, metadata);
  const { version } = transform;
  const apiVersion = `meta.k8s.io/${version}`;
  const meta = withoutEmptyContinue(metadata);
  if (transform.as === 'Table') {
    const printer = printerOf(call);
    const include = includeObject(call.query);
    return {
      head: { kind: 'Table', apiVersion, metadata: meta, columnDefinitions: columnDefinitions(call, printer) },
      field: 'rows',
      // Kinds without columns of their own begin with no list of rows.
      isNullWhenEmpty: printer === nameAndCreation,
      item: (object) => row(call, printer, include, version, object),
      ...(printer.rank && { rank: printer.rank }),
    };
  }
  if (transform.as === 'PartialObjectMetadata') refuseShape(call, transform.as);
  return {
    head: { kind: 'PartialObjectMetadataList', apiVersion, metadata: meta },
    field: 'items',
    isNullWhenEmpty: true,
    item: (object) => partialMetadata(object, version, call.resource.rules),
  };
}

function plainShape(call: EndpointCall, metadata: ListMeta): ListShape {
  const { type, itemsAreTyped } = call.resource;
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

/** Only lists of whole custom resources say that nothing follows. */
function withoutEmptyContinue({ continue: next, ...rest }: ListMeta): JsonObject {
  return asJson(next ? { ...rest, continue: next } : rest);
}

/** How a list is written as JSON. */
interface ListJson {
  readonly opening: Uint8Array;
  readonly closing: Uint8Array;
  /** The list, when it has no items. */
  readonly empty: Uint8Array;
  /** The items with commas between, and what stands before and behind them. */
  items(records: readonly StoreRecord[], before: Uint8Array, behind: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']}\n');
const NOTHING = new Uint8Array(0);

function listJson(call: EndpointCall, metadata: ListMeta): ListJson {
  const shape = plainShape(call, metadata);
  const before = `${JSON.stringify(shape.head).slice(0, -1)},"${shape.field}":`;
  return {
    opening: Buffer.from(`${before}[`),
    closing: CLOSING,
    empty: Buffer.from(`${before}${shape.isNullWhenEmpty ? 'null' : '[]'}}\n`),
    items: (records, prefix, suffix) => {
      if (!areServedAsStored(call.resource, records)) return shapedItems(call, shape, records, prefix, suffix);
      const head = call.resource.itemsAreTyped ? headOf(call.resource) : ITEM_HEAD;
      return serveObjects(head, records, { before: prefix, between: COMMA, behind: suffix }, takeRoom);
    },
  };
}

async function shapedItems(
  call: EndpointCall,
  shape: ListShape,
  records: readonly StoreRecord[],
  before: Uint8Array,
  behind: Uint8Array,
): Promise<Uint8Array> {
  const turns = longTurns(call.clock, readingTurns(call.request));
  const parts: Uint8Array[] = [before];
  for await (const objects of objectsIn(call, [{ records }])) {
    for (const object of objects) {
      if (parts.length > 1) parts.push(COMMA);
      parts.push(encodeJson(shape.item(object)));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
  return Buffer.concat([...parts, behind]);
}

/** In one piece when it is short, else as it is read. What goes wrong at first is thrown, not sent. */
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

import { nameAndCreation } from '@pintle/kinds/rules';
import type { KubernetesObject, ListMeta } from '@pintle/machinery';
import { asJson, encodeJson, type JsonObject } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';
import type { Negotiated } from '../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { Rooms } from '../http/rooms.ts';
import { ITEM_HEAD, serveObjects } from '../storage/object-codec.ts';
import { areServedAsStored, toObjects } from '../storage/object-store.ts';
import { answerValue, headOf, refuseShape } from './answer.ts';
import type { EndpointCall } from './endpoint.ts';
import { LONG_MS, readingTurns } from './in-turns.ts';
import { runsOf, WHOLE_BYTES } from './list-records.ts';
import { partialMetadata } from './partial-metadata.ts';
import { columnDefinitions, includeObject, printerOf, row } from './table.ts';

/** So much is read of objects in one go. */
const READ_BYTES = 64 * 1024;

const rooms = new Rooms();
const takeRoom = (length: number): Uint8Array => rooms.take(length);

interface Chunk {
  readonly records: readonly StoreRecord[];
}

type Chunks = AsyncIterable<Chunk> | Iterable<Chunk>;

/** The list in the form that was settled. JSON is sent as it is read, so that a long list takes little memory. */
export async function answerList(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  chunks: Chunks,
): Promise<ApiResponse> {
  if (isMadeWhole(call, form)) return await answerWhole(call, form, metadata, chunks);
  const headers = { 'content-type': MEDIA_TYPES.json };
  const body = await jsonBody(listJson(call, form, metadata), chunks);
  if (body instanceof Uint8Array) return { status: 200, headers, body, release: () => rooms.giveBack(body) };
  return { status: 200, headers, body: call.resource.shape?.mayFail ? await collected(body) : body };
}

function isMadeWhole(call: EndpointCall, { encoding, pretty, transform }: Negotiated): boolean {
  return encoding !== 'json' || pretty || (transform?.as === 'Table' && printerOf(call).compare !== undefined);
}

/** A body that is known to its end before any of it is sent: what goes wrong on the way can still be told. */
async function collected(body: ApiResponse['body']): Promise<ApiResponse['body']> {
  if (body instanceof Uint8Array) return body;
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return inParts(parts);
}

async function* inParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** Forms that cannot be written piece by piece: people read them, they begin with their length, or they are sorted. */
async function answerWhole(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  chunks: Chunks,
): Promise<ApiResponse> {
  const shape = shapeOf(call, form, metadata);
  const items =
    shape.compare === undefined ? await itemsAsRead(call, shape, chunks) : await itemsSorted(call, shape, chunks);
  const isNull = items.length === 0 && shape.isNullWhenEmpty;
  const list = { ...shape.head, [shape.field]: isNull ? null : items };
  return await answerValue(call, form, 200, list, readingTurns(call.request));
}

async function itemsAsRead(call: EndpointCall, shape: ListShape, chunks: Chunks): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for await (const { records } of chunks) {
    for await (const object of objectsOf(call, records)) items.push(shape.item(object));
  }
  return items;
}

async function itemsSorted(call: EndpointCall, shape: ListShape, chunks: Chunks): Promise<JsonObject[]> {
  const objects: KubernetesObject[] = [];
  for await (const { records } of chunks) objects.push(...(await toObjects(call.resource, records)));
  return objects.sort(shape.compare).map(shape.item);
}

/** Objects at hand, as a list in the form that was settled. */
export async function answerObjects(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  objects: readonly KubernetesObject[],
): Promise<ApiResponse> {
  const shape = shapeOf(call, form, metadata);
  const isNull = objects.length === 0 && shape.isNullWhenEmpty;
  return await answerValue(call, form, 200, { ...shape.head, [shape.field]: isNull ? null : objects.map(shape.item) });
}

/** What a list looks like around its items, and what becomes of each object. */
interface ListShape {
  readonly head: JsonObject;
  readonly field: 'items' | 'rows';
  readonly isNullWhenEmpty: boolean;
  item(object: KubernetesObject): JsonObject;
  /** Default: as they were read. */
  compare?(a: KubernetesObject, b: KubernetesObject): number;
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
      head: { kind: 'Table', apiVersion, metadata: meta, columnDefinitions: columnDefinitions(printer) },
      field: 'rows',
      // Kinds without columns of their own begin with no list of rows.
      isNullWhenEmpty: printer === nameAndCreation,
      item: (object) => row(call, printer, include, version, object),
      ...(printer.compare && { compare: (a, b) => printer.compare?.(a, b) ?? 0 }),
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

function listJson(call: EndpointCall, form: Negotiated, metadata: ListMeta): ListJson {
  const shape = shapeOf(call, form, metadata);
  const before = `${JSON.stringify(shape.head).slice(0, -1)},"${shape.field}":`;
  return {
    opening: Buffer.from(`${before}[`),
    closing: CLOSING,
    empty: Buffer.from(`${before}${shape.isNullWhenEmpty ? 'null' : '[]'}}\n`),
    items: (records, prefix, suffix) => {
      const isPlain = form.transform === undefined && areServedAsStored(call.resource, records);
      if (!isPlain) return shapedItems(call, shape, records, prefix, suffix);
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
  const parts: Uint8Array[] = [before];
  for await (const object of objectsOf(call, records)) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(encodeJson(shape.item(object)));
  }
  return Buffer.concat([...parts, behind]);
}

/** The objects one after the other. Others go first where it takes long: any of them may be large. */
async function* objectsOf(
  { resource, clock, request }: EndpointCall,
  records: readonly StoreRecord[],
): AsyncGenerator<KubernetesObject> {
  const turn = readingTurns(request);
  let began = clock.monotonic();
  // Who has to ask others how the objects look asks once for all of them.
  const groups = resource.shape === undefined ? runsOf(records, READ_BYTES) : [records];
  for (const group of groups) {
    for (const object of await toObjects(resource, group)) {
      yield object;
      if (clock.monotonic() - began <= LONG_MS) continue;
      await turn();
      began = clock.monotonic();
    }
  }
}

/** In one piece when it is short, else as it is read. What goes wrong at first is thrown, not sent. */
async function jsonBody(list: ListJson, chunks: Chunks): Promise<ApiResponse['body']> {
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

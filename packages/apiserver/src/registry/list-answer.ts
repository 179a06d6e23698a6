import type { KubernetesObject, ListMeta } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';
import type { Negotiated } from '../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { ITEM_HEAD, tailOf } from '../storage/object-codec.ts';
import { isServedAsStored, toObjects } from '../storage/object-store.ts';
import { answerValue, headOf } from './answer.ts';
import type { EndpointCall } from './endpoint.ts';
import { partialMetadata } from './partial-metadata.ts';
import { columnDefinitions, includeObject, printerOf, row } from './table.ts';

/** Lists up to this size are sent in one piece, with their length; longer ones as they are read. */
const WHOLE_BYTES = 1024 * 1024;

type Chunks =
  | AsyncIterable<{ readonly records: readonly StoreRecord[] }>
  | Iterable<{ readonly records: readonly StoreRecord[] }>;

/** The list in the form that was settled. JSON is sent as it is read, so that a long list takes little memory. */
export async function answerList(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  chunks: Chunks,
): Promise<ApiResponse> {
  if (form.encoding !== 'json' || form.pretty) return await answerWhole(call, form, metadata, chunks);
  const headers = { 'content-type': MEDIA_TYPES.json };
  return { status: 200, headers, body: await gathered(jsonParts(listJson(call, form, metadata), chunks)) };
}

/** Forms that cannot be written piece by piece: people read them, or they begin with their length. */
async function answerWhole(
  call: EndpointCall,
  form: Negotiated,
  metadata: ListMeta,
  chunks: Chunks,
): Promise<ApiResponse> {
  const shape = shapeOf(call, form, metadata);
  const items: JsonObject[] = [];
  for await (const { records } of chunks) {
    for (const object of await toObjects(call.resource, records)) items.push(shape.item(object));
  }
  const isNull = items.length === 0 && shape.isNullWhenEmpty;
  return await answerValue(form, 200, { ...shape.head, [shape.field]: isNull ? null : items });
}

/** What a list looks like around its items, and what becomes of each object. */
interface ListShape {
  readonly head: JsonObject;
  readonly field: 'items' | 'rows';
  readonly isNullWhenEmpty: boolean;
  item(object: KubernetesObject): JsonObject;
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
      isNullWhenEmpty: false,
      item: (object) => row(call, printer, include, version, object),
    };
  }
  return {
    head: { kind: 'PartialObjectMetadataList', apiVersion, metadata: meta },
    field: 'items',
    isNullWhenEmpty: true,
    item: (object) => partialMetadata(object, version),
  };
}

function plainShape(call: EndpointCall, metadata: ListMeta): ListShape {
  const { type, itemsAreTyped } = call.resource;
  return {
    head: { kind: type.listKind, apiVersion: type.apiVersion, metadata: metadata as unknown as JsonObject },
    field: 'items',
    isNullWhenEmpty: false,
    item: (object) => {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
      return (itemsAreTyped ? object : rest) as unknown as JsonObject;
    },
  };
}

/** Only lists of whole custom resources say that nothing follows. */
function withoutEmptyContinue({ continue: next, ...rest }: ListMeta): JsonObject {
  return (next ? { ...rest, continue: next } : rest) as unknown as JsonObject;
}

/** How a list is written as JSON. */
interface ListJson {
  readonly opening: string;
  readonly closing: string;
  /** The list, when it has no items. */
  readonly empty: string;
  /** The items with commas between. */
  items(records: readonly StoreRecord[]): Promise<Uint8Array> | Uint8Array;
}

function listJson(call: EndpointCall, form: Negotiated, metadata: ListMeta): ListJson {
  const shape = shapeOf(call, form, metadata);
  const before = `${JSON.stringify(shape.head).slice(0, -1)},"${shape.field}":`;
  return {
    opening: `${before}[`,
    closing: ']}\n',
    empty: `${before}${shape.isNullWhenEmpty ? 'null' : '[]'}}\n`,
    items: (records) => {
      const isPlain =
        form.transform === undefined && records.every((record) => isServedAsStored(call.resource, record));
      return isPlain ? storedItems(call, records) : shapedItems(call, shape, records);
    },
  };
}

/** Put together from the bytes of the objects, which nobody looks into. */
function storedItems(call: EndpointCall, records: readonly StoreRecord[]): Uint8Array {
  const head = call.resource.itemsAreTyped ? headOf(call.resource) : ITEM_HEAD;
  const tails = records.map(({ value }) => tailOf(value));
  let length = records.length - 1;
  for (const [i, tail] of tails.entries()) length += head.length + digitsOf(records[i]!.modRevision) + tail.length;
  const out = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const [i, tail] of tails.entries()) {
    if (i > 0) out[at++] = 0x2c;
    out.set(head, at);
    at += head.length;
    at += out.write(String(records[i]!.modRevision), at, 'latin1');
    out.set(tail, at);
    at += tail.length;
  }
  return out;
}

function digitsOf(revision: number): number {
  let digits = 1;
  for (let rest = revision; rest >= 10; rest /= 10) digits++;
  return digits;
}

async function shapedItems(call: EndpointCall, shape: ListShape, records: readonly StoreRecord[]): Promise<Uint8Array> {
  const objects = await toObjects(call.resource, records);
  const items = encodeJson(objects.map((object) => shape.item(object)));
  return items.subarray(1, -1);
}

async function* jsonParts(list: ListJson, chunks: Chunks): AsyncGenerator<Uint8Array> {
  let before = list.opening;
  for await (const { records } of chunks) {
    if (records.length === 0) continue;
    yield Buffer.from(before);
    yield await list.items(records);
    before = ',';
  }
  yield Buffer.from(before === ',' ? list.closing : list.empty);
}

/** The parts in one piece when they are few, else as they come. What goes wrong at first is thrown, not sent. */
async function gathered(parts: AsyncGenerator<Uint8Array>): Promise<ApiResponse['body']> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= WHOLE_BYTES; ) {
    const { done, value } = await parts.next();
    if (done) return Buffer.concat(first);
    first.push(value);
    bytes += value.length;
  }
  return goOn(Buffer.concat(first), parts);
}

async function* goOn(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';

/**
 * How an object is kept, so that it can be served without being parsed:
 *
 *     01                 format
 *     02 'v1'            length and text of the apiVersion it is stored in
 *     08 'a41f03c2'      length and text of its shape: which schema it was written by; empty for built-in kinds
 *     {"metadata":{"resourceVersion":"","name":…},"data":…}
 *                                      ▲
 *                                      the reader's splice: the record's revision goes here
 *
 * apiVersion and kind are not stored in the JSON: they are the same for all objects of a resource and are put in front
 * when a single object is served; items of built-in lists go without them.
 */
const FORMAT = 1;
const HEAD = '{"metadata":{"resourceVersion":"';
const HEAD_BYTES = new TextEncoder().encode(HEAD);

export interface StoredObject {
  readonly apiVersion: string;
  readonly shape: string;
  /** Where the JSON begins. */
  readonly jsonAt: number;
}

export function encodeObject(object: KubernetesObject, shape = ''): Uint8Array {
  const { apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata;
  const json = encodeJson({ metadata: { resourceVersion: '', ...meta }, ...rest } as unknown as JsonObject);
  const version = Buffer.from(apiVersion, 'utf8');
  const bytes = Buffer.allocUnsafe(3 + version.length + shape.length + json.length);
  bytes[0] = FORMAT;
  bytes[1] = version.length;
  bytes.set(version, 2);
  bytes[2 + version.length] = shape.length;
  bytes.write(shape, 3 + version.length, 'latin1');
  bytes.set(json, 3 + version.length + shape.length);
  return bytes;
}

export function readStored(value: Uint8Array): StoredObject {
  if (value[0] !== FORMAT) throw new Error(`Cannot read a stored object: its format is ${value[0]}, not ${FORMAT}`);
  const shapeAt = 3 + value[1]!;
  const jsonAt = shapeAt + value[shapeAt - 1]!;
  const text = Buffer.from(value.buffer, value.byteOffset, jsonAt);
  return {
    apiVersion: text.toString('utf8', 2, shapeAt - 1),
    shape: text.toString('latin1', shapeAt, jsonAt),
    jsonAt,
  };
}

/** What follows the empty resourceVersion, from its closing quote on, without a look at what stands before. */
export function tailOf(value: Uint8Array): Uint8Array {
  if (value[0] !== FORMAT) throw new Error(`Cannot read a stored object: its format is ${value[0]}, not ${FORMAT}`);
  const shapeAt = 3 + value[1]!;
  return value.subarray(shapeAt + value[shapeAt - 1]! + HEAD_BYTES.length);
}

/** The whole object as it is kept, as a fresh value the caller may change. */
export function decodeObject(record: StoreRecord, kind: string): KubernetesObject {
  const { apiVersion, jsonAt } = readStored(record.value);
  const json = parseJson(record.value.subarray(jsonAt), trustedLimits) as unknown as KubernetesObject;
  const { metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = json;
  metadata.resourceVersion = String(record.modRevision);
  return Object.assign({ kind, apiVersion, metadata }, rest);
}

/** What stands before the resourceVersion of a single object. */
export function objectHead(apiVersion: string, kind: string): Uint8Array {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${HEAD.slice(1)}`);
}

/** What stands before the resourceVersion of an item in a list of a built-in kind. */
export const ITEM_HEAD: Uint8Array = HEAD_BYTES;

/** The JSON of a stored object: `head`, its resourceVersion, the rest, and `ending` for what must follow. */
export function serveObject(
  head: Uint8Array,
  record: Pick<StoreRecord, 'value' | 'modRevision'>,
  resourceVersion = record.modRevision,
  ending = '',
): Uint8Array {
  const tail = tailOf(record.value);
  const version = String(resourceVersion);
  const out = Buffer.allocUnsafe(head.length + version.length + tail.length + ending.length);
  out.set(head, 0);
  out.write(version, head.length, 'latin1');
  out.set(tail, head.length + version.length);
  out.write(ending, out.length - ending.length, 'latin1');
  return out;
}

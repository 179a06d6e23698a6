import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import { parseJson, stringifyJson, trustedLimits } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';

/**
 * Format of a stored object, which can be served without being parsed:
 *
 *     01                 format
 *     02 'v1'            length and text of the apiVersion it is stored in
 *     08 'a41f03c2'      length and text of the tag of its schema; empty for built-in kinds
 *     {"metadata":{"resourceVersion":"","name":…},"data":…}
 *                                      ▲
 *                                      the record's revision is inserted here
 *
 * apiVersion and kind are not in the JSON: they are the same for all objects of a resource and are put in front when a
 * single object is served; items of built-in lists do not have them.
 */
const FORMAT = 1;
const HEAD = '{"metadata":{"resourceVersion":"';
const HEAD_BYTES = new TextEncoder().encode(HEAD);
const [QUOTE, COMMA, BACKSLASH, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x2c, 0x5c, 0x7b, 0x7d];

export interface StoredHeader {
  readonly apiVersion: string;
  readonly schemaTag: string;
  /** Offset of the JSON. */
  readonly jsonAt: number;
}

export function encodeObject(object: KubernetesObject, schemaTag = ''): Uint8Array {
  const { apiVersion } = object;
  const json = jsonOf(object);
  const versionBytes = Buffer.byteLength(apiVersion);
  const jsonAt = 3 + versionBytes + schemaTag.length;
  const bytes = Buffer.allocUnsafe(jsonAt + Buffer.byteLength(json));
  bytes[0] = FORMAT;
  bytes[1] = versionBytes;
  bytes.write(apiVersion, 2);
  bytes[2 + versionBytes] = schemaTag.length;
  bytes.write(schemaTag, 3 + versionBytes, 'latin1');
  bytes.write(json, jsonAt);
  return bytes;
}

/** Builds the JSON field by field: copying the object without the omitted fields would take as long as encoding it. */
function jsonOf(object: KubernetesObject): string {
  let json = HEAD;
  json += `"${membersOf(object.metadata, isMetadataKept)}}`;
  return `${json}${membersOf(object, isKept)}}`;
}

function membersOf(object: object, isIncluded: (key: string) => boolean): string {
  let json = '';
  for (const key of Object.keys(object)) {
    const value: unknown = object[key as keyof typeof object];
    if (value !== undefined && isIncluded(key)) json += `,${JSON.stringify(key)}:${stringifyJson(value)}`;
  }
  return json;
}

function isKept(key: string): boolean {
  return key !== 'metadata' && key !== 'apiVersion' && key !== 'kind';
}

function isMetadataKept(key: string): boolean {
  return key !== 'resourceVersion';
}

export function readHeader(value: Uint8Array): StoredHeader {
  if (value[0] !== FORMAT) throw new Error(`Cannot read a stored object: its format is ${value[0]}, not ${FORMAT}`);
  const tagAt = 3 + value[1]!;
  const jsonAt = tagAt + value[tagAt - 1]!;
  const text = Buffer.from(value.buffer, value.byteOffset, jsonAt);
  return {
    apiVersion: text.toString('utf8', 2, tagAt - 1),
    schemaTag: jsonAt === tagAt ? '' : text.toString('latin1', tagAt, jsonAt),
    jsonAt,
  };
}

/** True when both were stored in the same version and by the same schema. */
export function isStoredAlike(one: Uint8Array, other: Uint8Array): boolean {
  const tagAt = 3 + one[1]!;
  const jsonAt = tagAt + one[tagAt - 1]!;
  for (let at = 0; at < jsonAt; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** Returns the bytes after the empty resourceVersion, from its closing quote on, without reading those before it. */
function tailOf(value: Uint8Array): Uint8Array {
  return value.subarray(tailAtOf(value));
}

function tailAtOf(value: Uint8Array): number {
  if (value[0] !== FORMAT) throw new Error(`Cannot read a stored object: its format is ${value[0]}, not ${FORMAT}`);
  const tagAt = 3 + value[1]!;
  return tagAt + value[tagAt - 1]! + HEAD_BYTES.length;
}

/** Returns the whole object as stored. The caller may change it. */
export function decodeObject(record: Pick<StoreRecord, 'value' | 'modRevision'>, kind: string): KubernetesObject {
  const { apiVersion } = readHeader(record.value);
  const json = serveObject(objectHead(apiVersion, kind), record);
  return toKubernetesObject(parseJson(json, trustedLimits));
}

/** Returns the whole object without a resourceVersion. The caller may change it. */
export function toStoredObject(value: Uint8Array, kind: string): KubernetesObject {
  const object = decodeObject({ value, modRevision: 0 as StoreRecord['modRevision'] }, kind);
  delete object.metadata.resourceVersion;
  return object;
}

/** Returns the JSON of the whole object without a resourceVersion, in one line, as Kubernetes stores it. */
export function jsonForStorage(value: Uint8Array, kind: string): Uint8Array {
  const { apiVersion } = readHeader(value);
  const rest = tailOf(value).subarray(1);
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{`;
  return Buffer.concat([Buffer.from(head), rest[0] === COMMA ? rest.subarray(1) : rest, Buffer.from('\n')]);
}

/** Returns the metadata of a stored object, without parsing the rest. */
export function decodeMetadata(record: StoreRecord): ObjectMeta {
  const stored = parseJson(serveMetadata(ITEM_HEAD, record), trustedLimits) as unknown as { metadata: ObjectMeta };
  return stored.metadata;
}

/** Returns the bytes before the resourceVersion of a single object. */
export function objectHead(apiVersion: string, kind: string): Uint8Array {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${HEAD.slice(1)}`);
}

/** Bytes before the resourceVersion of an item in a list of a built-in kind. */
export const ITEM_HEAD: Uint8Array = HEAD_BYTES;

/** Returns the JSON of a stored object: `head`, its resourceVersion, the rest, and `ending`. */
export function serveObject(
  head: Uint8Array,
  record: Pick<StoreRecord, 'value' | 'modRevision'>,
  resourceVersion = record.modRevision,
  ending = '',
): Uint8Array {
  const tail = tailOf(record.value);
  const tailAt = head.length + digitsOf(resourceVersion);
  const out = Buffer.allocUnsafe(tailAt + tail.length + ending.length);
  out.set(head, 0);
  writeDigits(out, head.length, resourceVersion);
  out.set(tail, tailAt);
  if (ending !== '') out.write(ending, out.length - ending.length, 'latin1');
  return out;
}

/** Bytes around objects that are served together. */
export interface Surroundings {
  readonly before: Uint8Array;
  readonly between: Uint8Array;
  readonly behind: Uint8Array;
}

/** Returns a buffer of that length, with any content. */
export type Allocate = (length: number) => Uint8Array;

/**
 * Returns the JSON of many objects, each as `serveObject` writes it. Writes from the end: the bytes before the JSON of
 * a stored value are then overwritten by the object before it, and each value is copied whole, in one call.
 */
export function serveObjects(
  head: Uint8Array,
  records: readonly Pick<StoreRecord, 'value' | 'modRevision'>[],
  { before, between, behind }: Surroundings,
  allocate: Allocate = Buffer.allocUnsafeSlow,
): Uint8Array {
  const joint = Buffer.concat([between, head]);
  let length = before.length + behind.length + records.length * joint.length - between.length;
  for (const { value, modRevision } of records) length += digitsOf(modRevision) + value.length - tailAtOf(value);
  const room = allocate(length);
  let at = length - behind.length;
  room.set(behind, at);
  for (let i = records.length - 1; i >= 0; i--) {
    const { value, modRevision } = records[i]!;
    const tailAt = tailAtOf(value);
    at -= value.length;
    if (at >= 0) room.set(value, at);
    else room.set(value.subarray(tailAt), at + tailAt);
    at += tailAt - digitsOf(modRevision);
    writeDigits(room, at, modRevision);
    at -= i > 0 ? joint.length : head.length;
    // A loop is faster than a native call for so few bytes.
    for (let from = i > 0 ? 0 : between.length, to = at; from < joint.length; from++, to++) room[to] = joint[from]!;
  }
  if (at !== before.length) throw new Error(`Cannot put ${records.length} objects together: ${at} bytes are left over`);
  room.set(before, 0);
  return room;
}

/** Like `serveObject`, but only the metadata, which comes first in the JSON. */
export function serveMetadata(
  head: Uint8Array,
  { value, modRevision }: Pick<StoreRecord, 'value' | 'modRevision'>,
  resourceVersion = modRevision,
  ending = '',
): Uint8Array {
  const tail = tailOf(value);
  const metadata = { value: value.subarray(0, value.length - tail.length + metadataEnd(tail)), modRevision };
  return serveObject(head, metadata, resourceVersion, `}${ending}`);
}

/** Returns the end of the metadata whose first value ends at the beginning of `tail`. */
function metadataEnd(tail: Uint8Array): number {
  let depth = 1;
  let at = 1;
  for (; depth > 0; at++) {
    const byte = tail[at];
    if (byte === QUOTE) at = stringEnd(tail, at);
    else if (byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACE) depth--;
  }
  return at;
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
  return at;
}

function digitsOf(revision: number): number {
  let digits = 1;
  for (let rest = revision; rest >= 10; rest /= 10) digits++;
  return digits;
}

/** Writes a revision as decimal digits, faster than a native call; returns the offset after it. */
export function writeDigits(out: Uint8Array, start: number, revision: number): number {
  const end = start + digitsOf(revision);
  let rest = revision;
  for (let at = end - 1; at >= start; at--) {
    const tens = Math.floor(rest / 10);
    out[at] = 0x30 + (rest - tens * 10);
    rest = tens;
  }
  return end;
}

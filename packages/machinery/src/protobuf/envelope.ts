import type { JsonObject, JsonValue } from '../json/index.ts';
import { decodeInto } from './decode.ts';
import { sharedWriter, writeFields } from './encode.ts';
import type { ProtobufLimits } from './limits.ts';
import { requestProtobufLimits } from './limits.ts';
import { messageOf } from './message.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { ProtobufTable } from './table.ts';
import { WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

/** The prefix of every Kubernetes object in protobuf: `k8s` and a zero. */
const prefix = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** The wrapper with the kind of the message inside (`runtime.Unknown`). */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message. After decoding, a view of the envelope's bytes. */
  readonly raw: Uint8Array;
  readonly contentEncoding?: string;
  /** Empty or absent for protobuf. */
  readonly contentType?: string;
}

export function hasEnvelope(bytes: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

/** Throws `ProtobufError` when the prefix is missing or the rest cannot be read. */
export function decodeEnvelope(bytes: Uint8Array): Required<Envelope> {
  if (bytes.length === 0) throw new ProtobufError({ code: 'Empty', what: 'data' });
  if (!hasEnvelope(bytes)) throw new ProtobufError({ code: 'NoEnvelope' });
  if (bytes.length === prefix.length) throw new ProtobufError({ code: 'Empty', what: 'body' });
  const reader = new WireReader(bytes);
  reader.position = prefix.length;
  const envelope: Mutable<Required<Envelope>> = {
    apiVersion: '',
    kind: '',
    raw: new Uint8Array(),
    contentEncoding: '',
    contentType: '',
  };
  readFields(reader, {
    10: () => readTypeMeta(reader, envelope),
    18: () => {
      envelope.raw = reader.bytes();
    },
    26: () => {
      envelope.contentEncoding = reader.string();
    },
    34: () => {
      envelope.contentType = reader.string();
    },
  });
  return envelope;
}

export function encodeEnvelope(envelope: Envelope): Uint8Array {
  sharedWriter.start();
  writeEnvelope(sharedWriter, envelope, () => sharedWriter.raw(envelope.raw));
  return sharedWriter.finish();
}

/** Returns the bytes before and after a message of this length, for a message that is streamed. */
export function envelopeAround(
  head: EnvelopeHead,
  rawBytes: number,
): { readonly opening: Uint8Array; readonly closing: Uint8Array } {
  sharedWriter.start();
  writeClosing(sharedWriter, head);
  const closing = sharedWriter.finish();
  sharedWriter.start();
  writeOpening(sharedWriter, head, rawBytes);
  return { opening: sharedWriter.finish(), closing };
}

/** Decodes the object inside an envelope and sets its `kind` and `apiVersion` from the envelope, unless they are empty. */
export function decodeObject(
  table: ProtobufTable,
  messageName: string,
  envelope: Envelope,
  limits: ProtobufLimits = requestProtobufLimits,
): JsonObject {
  const object: JsonObject = {};
  if (envelope.kind !== '') object.kind = envelope.kind;
  if (envelope.apiVersion !== '') object.apiVersion = envelope.apiVersion;
  decodeInto(object, messageOf(table, messageName), envelope.raw, limits);
  return object;
}

/** Encodes an object in its envelope, both into one buffer. */
export function encodeObject(table: ProtobufTable, messageName: string, object: JsonObject): Uint8Array {
  const message = messageOf(table, messageName);
  const head = { apiVersion: textOf(object.apiVersion), kind: textOf(object.kind) };
  sharedWriter.start();
  writeEnvelope(sharedWriter, head, () => writeFields(sharedWriter, message, object, 1));
  return sharedWriter.finish();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type EnvelopeHead = Pick<Envelope, 'apiVersion' | 'kind' | 'contentEncoding' | 'contentType'>;

/** Writes from the last byte to the first, as `WireWriter` does. */
function writeEnvelope(writer: WireWriter, head: EnvelopeHead, writeRaw: () => void): void {
  writeClosing(writer, head);
  const beforeRaw = writer.length;
  writeRaw();
  writeOpening(writer, head, writer.length - beforeRaw);
}

function writeClosing(writer: WireWriter, { contentType = '', contentEncoding = '' }: EnvelopeHead): void {
  writeString(writer, 34, contentType);
  writeString(writer, 26, contentEncoding);
}

function writeOpening(writer: WireWriter, { kind, apiVersion }: EnvelopeHead, rawBytes: number): void {
  writer.varint(rawBytes);
  writer.varint(18);
  const beforeType = writer.length;
  writeString(writer, 18, kind);
  writeString(writer, 10, apiVersion);
  writer.varint(writer.length - beforeType);
  writer.varint(10);
  writer.raw(prefix);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function writeString(writer: WireWriter, tag: number, value: string): void {
  writer.string(value);
  writer.varint(tag);
}

function readTypeMeta(reader: WireReader, target: { apiVersion: string; kind: string }): void {
  const outerEnd = reader.end;
  reader.end = reader.lengthEnd();
  readFields(reader, {
    10: () => {
      target.apiVersion = reader.string();
    },
    18: () => {
      target.kind = reader.string();
    },
  });
  reader.end = outerEnd;
}

/** Reads to the end. `byTag` has a function for each field of interest, by number times eight plus wire type. */
export function readFields(reader: WireReader, byTag: Readonly<Record<number, () => void>>): void {
  while (reader.position < reader.end) {
    const tag = reader.tag();
    const read = byTag[tag];
    if (read) read();
    else reader.skip(tag);
  }
}

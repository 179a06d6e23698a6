import type { JsonObject, JsonValue } from '../json/index.ts';
import { compareUtf8, encodeJson, getOwn, isInt64, isJsonObject } from '../json/index.ts';
import { forms } from './forms.ts';
import type { Field, Message } from './message.ts';
import { messageOf } from './message.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { ProtobufTable, Scalar } from './table.ts';
import { WireWriter } from './wire-writer.ts';

const MAX_DEPTH = 1_000;

/**
 * Writes an object as Go would after reading its JSON: plain fields always, the others when they are set, maps in the
 * order of their keys. Skips properties that the table does not have. Throws `ProtobufError` when a value is not of its
 * field's type.
 */
export function encodeMessage(table: ProtobufTable, messageName: string, object: JsonObject): Uint8Array {
  sharedWriter.start();
  writeFields(sharedWriter, messageOf(table, messageName), object, 1);
  return sharedWriter.finish();
}

/** One writer for all calls: encoding is synchronous and never calls back. */
export const sharedWriter = new WireWriter();

/** Writes the fields of a message, without a length. */
export function writeFields(
  writer: WireWriter,
  message: Message,
  object: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw new ProtobufError({ code: 'TooDeep', limit: MAX_DEPTH });
  for (const field of message.descending) {
    if (field.isEmbedded) writeMessage(writer, field, field.message!, object as JsonObject, depth);
    else writeField(writer, field, (object[field.name] ?? null) as JsonValue, depth);
  }
}

function writeField(writer: WireWriter, field: Field, value: JsonValue, depth: number): void {
  switch (field.shape) {
    case 'plain':
      if (value !== null || hasZero(field)) writeValue(writer, field, value, depth);
      return;
    case 'optional':
      if (value !== null) writeValue(writer, field, value, depth);
      return;
    case 'list':
      if (value !== null) writeList(writer, field, value, depth);
      return;
    case 'map':
      if (value !== null) writeMap(writer, field, value, depth);
  }
}

/** Bytes and lists can be nil even where they are plain, and are not written then. */
function hasZero(field: Field): boolean {
  return field.message === undefined
    ? field.scalar !== 'bytes' && field.scalar !== 'json'
    : field.message.form !== 'list';
}

function writeList(writer: WireWriter, field: Field, value: JsonValue, depth: number): void {
  if (!Array.isArray(value)) throw badValue(field, 'it is not a list');
  for (let i = value.length - 1; i >= 0; i--) writeValue(writer, field, value[i]!, depth + 1);
}

function writeMap(writer: WireWriter, field: Field, value: JsonValue, depth: number): void {
  if (!isJsonObject(value)) throw badValue(field, 'it is not a map');
  const keys = Object.keys(value);
  if (keys.length > 1) keys.sort(compareUtf8);
  for (let i = keys.length - 1; i >= 0; i--) {
    const before = writer.length;
    const key = keys[i]!;
    const item = getOwn(value, key)!;
    if (item !== null || field.scalar !== 'bytes') writeTyped(writer, field, item, 16 + field.wireType, depth + 1);
    writer.string(key);
    writer.varint(10);
    writer.varint(writer.length - before);
    writer.varint(field.tag);
  }
}

function writeValue(writer: WireWriter, field: Field, value: JsonValue, depth: number): void {
  writeTyped(writer, field, value, field.tag, depth);
}

function writeTyped(writer: WireWriter, field: Field, value: JsonValue, tag: number, depth: number): void {
  if (field.message !== undefined) writeMessage(writer, field, field.message, value, depth, tag);
  else {
    scalarWriters[field.scalar!](writer, value, field);
    writer.varint(tag);
  }
}

function writeMessage(
  writer: WireWriter,
  field: Field,
  message: Message,
  value: JsonValue,
  depth: number,
  tag: number = field.tag,
): void {
  const before = writer.length;
  if (message.form !== 'struct') {
    const fields = forms[message.form].toFields(value);
    if (fields !== undefined) writeFields(writer, message, fields, depth + 1);
  } else if (value === null || isJsonObject(value)) {
    writeFields(writer, message, value ?? {}, depth + 1);
  } else {
    throw badValue(field, 'it is not an object');
  }
  writer.varint(writer.length - before);
  writer.varint(tag);
}

type ScalarWriter = (writer: WireWriter, value: JsonValue, field: Field) => void;

const scalarWriters: Readonly<Record<Scalar, ScalarWriter>> = {
  string: (writer, value, field) => writer.string(expectString(value ?? '', field)),
  bool: (writer, value, field) => writer.varint(expectBoolean(value ?? false, field) ? 1 : 0),
  int32: (writer, value, field) => writer.int64(expectInt32(value ?? 0, field)),
  int64: (writer, value, field) => writer.int64(expectInt64(value ?? 0, field)),
  double: (writer, value, field) => writer.double(expectNumber(value ?? 0, field)),
  bytes: (writer, value, field) => writer.bytes(Buffer.from(expectString(value ?? '', field), 'base64')),
  json: (writer, value) => writer.bytes(encodeJson(value)),
};

function expectString(value: unknown, field: Field): string {
  if (typeof value === 'string') return value;
  throw badValue(field, 'it is not a string');
}

function expectBoolean(value: unknown, field: Field): boolean {
  if (typeof value === 'boolean') return value;
  throw badValue(field, 'it is not a boolean');
}

function expectInt32(value: unknown, field: Field): number {
  if (typeof value === 'number' && (value | 0) === value) return value;
  throw badValue(field, 'it is not a 32-bit integer');
}

function expectInt64(value: unknown, field: Field): number | bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'bigint' && isInt64(value)) return value;
  throw badValue(field, 'it is not a 64-bit integer');
}

function expectNumber(value: unknown, field: Field): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw badValue(field, 'it is not a number');
}

function badValue(field: Field, reason: string): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field: field.name, reason });
}

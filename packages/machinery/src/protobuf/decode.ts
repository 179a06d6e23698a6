import type { JsonObject, JsonValue } from '../json/index.ts';
import { compareUtf8, JsonError, parseJson, setOwn } from '../json/index.ts';
import type { FormFields } from './forms.ts';
import { forms } from './forms.ts';
import type { ProtobufLimits } from './limits.ts';
import { requestProtobufLimits } from './limits.ts';
import type { Field, Message } from './message.ts';
import { messageOf } from './message.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { ProtobufTable, Scalar } from './table.ts';
import { BYTES, WireReader } from './wire-reader.ts';

/**
 * Reads a message into the JSON that Go would print for it, keys in Go's order. Skips fields that the table does not
 * have. Throws `ProtobufError` and nothing else.
 */
export function decodeMessage(
  table: ProtobufTable,
  messageName: string,
  bytes: Uint8Array,
  limits: ProtobufLimits = requestProtobufLimits,
): JsonObject {
  const target: JsonObject = {};
  decodeInto(target, messageOf(table, messageName), bytes, limits);
  return target;
}

/** Adds the fields of a message to an object that may have some already. */
export function decodeInto(target: JsonObject, message: Message, bytes: Uint8Array, limits: ProtobufLimits): void {
  if (bytes.length > limits.maxBytes)
    throw new ProtobufError({ code: 'TooLarge', bytes: bytes.length, limit: limits.maxBytes });
  const slots = new Decoder(bytes, limits).message(message);
  fill(target, message, slots);
}

/**
 * The values of a message's fields, by their slots; unset where the bytes have no value. Reading and building are
 * separate because a field may be repeated: scalars are replaced then, lists grow, and messages are merged.
 */
type Slots = Slot[];
type Slot = undefined | JsonValue | Slots | SlotMap;
type SlotMap = Map<string, Slot>;

class Decoder {
  readonly #reader: WireReader;
  readonly #limits: ProtobufLimits;
  #items = 0;
  #depth = 1;

  constructor(bytes: Uint8Array, limits: ProtobufLimits) {
    this.#reader = new WireReader(bytes);
    this.#limits = limits;
  }

  /** Reads up to the reader's end. */
  message(message: Message, slots: Slots = []): Slots {
    const reader = this.#reader;
    this.#count();
    while (reader.position < reader.end) {
      const tag = reader.tag();
      const field = message.byNumber[tag >>> 3];
      if (field === undefined) reader.skip(tag);
      else if (field.tag === tag) this.#field(field, slots);
      else this.#unexpected(field, tag, slots);
    }
    return slots;
  }

  #field(field: Field, slots: Slots): void {
    const before = slots[field.slot];
    while (slots.length < field.slot) slots.push(undefined);
    if (field.shape === 'list') slots[field.slot] = this.#item(field, (before as Slots | undefined) ?? []);
    else if (field.shape === 'map')
      slots[field.slot] = this.#entry(field, (before as SlotMap | undefined) ?? new Map());
    else slots[field.slot] = this.#value(field, before, 1);
  }

  #item(field: Field, list: Slots): Slots {
    this.#count();
    list.push(this.#value(field, undefined, 2));
    return list;
  }

  /** `levels`: how much deeper the value is in JSON. */
  #value(field: Field, before: Slot, levels: number): Slot {
    if (field.message === undefined) return this.#scalar(field, field.scalar!);
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.lengthEnd();
    this.#depth += levels;
    if (this.#depth > this.#limits.maxDepth) throw new ProtobufError({ code: 'TooDeep', limit: this.#limits.maxDepth });
    const slots = this.message(field.message, before as Slots | undefined);
    this.#depth -= levels;
    reader.end = outerEnd;
    return slots;
  }

  #scalar(field: Field, scalar: Scalar): JsonValue {
    switch (scalar) {
      case 'string':
        return this.#reader.string();
      case 'bool':
        return this.#reader.bool();
      case 'int32':
        return this.#reader.varint() | 0;
      case 'int64':
        return this.#reader.int64();
      case 'double':
        return expectFinite(this.#reader.double(), field);
      case 'bytes':
        return this.#reader.bytes().toString('base64');
      case 'json':
        return this.#json(this.#reader.bytes());
    }
  }

  /** The values of an embedded document count like those of the message. */
  #json(bytes: Uint8Array): JsonValue {
    if (bytes.length === 0) return null;
    const { maxDepth, maxItems } = this.#limits;
    const value = parseEmbedded(bytes, Math.max(1, maxDepth - this.#depth), maxItems);
    this.#countNodes(value);
    return value;
  }

  #countNodes(value: JsonValue): void {
    this.#count();
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const item of value) this.#countNodes(item);
    else for (const key in value) this.#countNodes(value[key]!);
  }

  /** Reads a map entry, a message of key and value; either may be missing and is zero then. */
  #entry(field: Field, map: SlotMap): SlotMap {
    // Counts two items, the key and the value, as in JSON.
    this.#count();
    this.#count();
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.lengthEnd();
    let key = '';
    let value: Slot = field.message ? [] : (zeros[field.scalar!] ?? '');
    while (reader.position < reader.end) {
      const tag = reader.tag();
      if (tag === 8 + BYTES) key = reader.string();
      else if (tag === 16 + field.wireType) value = this.#value(field, value, 2);
      else if (tag >>> 3 <= 2) throw wrongWireType(reader, field, tag);
      else reader.skip(tag);
    }
    reader.end = outerEnd;
    return map.set(key, value);
  }

  /** A list of numbers may be packed; any other unexpected wire type is an error. */
  #unexpected(field: Field, tag: number, slots: Slots): void {
    const reader = this.#reader;
    const isPackable = field.shape === 'list' && field.message === undefined && field.wireType !== BYTES;
    if (!isPackable || (tag & 7) !== BYTES) throw wrongWireType(reader, field, tag);
    const outerEnd = reader.end;
    reader.end = reader.lengthEnd();
    while (reader.position < reader.end) this.#field(field, slots);
    reader.end = outerEnd;
  }

  #count(): void {
    if (++this.#items > this.#limits.maxItems)
      throw new ProtobufError({ code: 'TooManyItems', limit: this.#limits.maxItems });
  }
}

function parseEmbedded(bytes: Uint8Array, maxDepth: number, maxTokens: number): JsonValue {
  try {
    return parseJson(bytes, { maxBytes: bytes.length, maxDepth, maxTokens });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ProtobufError({ code: 'BadValue', field: 'embedded JSON', reason: error.message }, { cause: error });
  }
}

function expectFinite(value: number, field: Field): number {
  if (Number.isFinite(value)) return value;
  throw new ProtobufError({ code: 'BadValue', field: field.name, reason: `JSON cannot represent ${value}` });
}

function wrongWireType(reader: WireReader, field: Field, tag: number): ProtobufError {
  return new ProtobufError({
    code: 'WrongWireType',
    offset: reader.position,
    field: field.name,
    wireType: tag & 7,
  });
}

const noSlots: Slots = [];

/** Builds the JSON of a message, as Go prints set and unset fields. */
function fill(target: JsonObject, message: Message, slots: Slots): void {
  for (const field of message.fields) {
    const slot = slots[field.slot];
    if (field.isEmbedded) {
      fill(target, field.message!, (slot as Slots | undefined) ?? noSlots);
      continue;
    }
    const value = buildField(field, slot);
    if (value !== undefined) target[field.name] = value;
  }
}

function buildField(field: Field, slot: Slot): JsonValue | undefined {
  if (field.shape === 'plain') {
    const value = slot === undefined ? zeroOf(field) : buildValue(field, slot);
    return field.omits && isEmpty(value) ? undefined : value;
  }
  if (slot === undefined) return field.omits ? undefined : null;
  if (field.shape === 'optional') return buildValue(field, slot);
  if (field.shape === 'map') return buildMap(field, slot as SlotMap);
  const items = slot as Slots;
  if (field.message !== undefined)
    for (let i = 0; i < items.length; i++) items[i] = buildMessage(field.message, items[i] as Slots);
  return items as JsonValue[];
}

function buildValue(field: Field, slot: Slot): JsonValue {
  return field.message === undefined ? (slot as JsonValue) : buildMessage(field.message, slot as Slots);
}

function buildMessage(message: Message, slots: Slots): JsonValue {
  if (message.form !== 'struct') return forms[message.form].toJson(formFields(message, slots));
  const target: JsonObject = {};
  fill(target, message, slots);
  return target;
}

function formFields(message: Message, slots: Slots): FormFields {
  const fields: Record<string, JsonValue> = {};
  for (const field of message.fields) {
    const slot = slots[field.slot];
    if (slot !== undefined) fields[field.name] = buildField(field, slot)!;
  }
  return fields;
}

/** A slot of a map is never empty. Go prints maps in the order of their keys' bytes. */
function buildMap(field: Field, map: SlotMap): JsonObject {
  const target: JsonObject = {};
  const keys = map.size > 1 ? [...map.keys()].sort(compareUtf8) : map.keys();
  for (const key of keys) setOwn(target, key, buildValue(field, map.get(key)));
  return target;
}

function zeroOf(field: Field): JsonValue {
  if (field.message === undefined) return zeros[field.scalar!];
  return field.message.form === 'list' ? null : buildMessage(field.message, noSlots);
}

const zeros: Readonly<Record<Scalar, JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  json: null,
};

function isEmpty(value: JsonValue): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

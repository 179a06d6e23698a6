import type { JsonObject, JsonValue } from '../json/index.ts';
import { compareUtf8, setOwn } from '../json/index.ts';
import type { FormFields, FormValue } from './forms.ts';
import { forms } from './forms.ts';
import type { ProtobufLimits } from './limits.ts';
import { requestProtobufLimits } from './limits.ts';
import type { Field, Message } from './message.ts';
import { messageOf } from './message.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { ProtobufTable, Scalar } from './table.ts';
import { BYTES, WireReader } from './wire-reader.ts';

/**
 * Reads a message into the JSON that Go would print for it, keys in Go's order. Fields that the table does not know are
 * passed over. Throws `ProtobufError` and nothing else.
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
  fill(target, message, slots, limits.maxDepth);
}

/**
 * What the wire said of a message, by the slots of its fields; nothing where it said nothing. Reading and building are
 * apart because a field may come again: scalars are replaced then, lists grow, and messages are merged.
 */
type Slots = Slot[];
type Slot = undefined | FormValue | Slots | SlotMap;
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

  /** `levels`: how much deeper the value stands in JSON. */
  #value(field: Field, before: Slot, levels: number): Slot {
    if (field.message === undefined) return readScalar(this.#reader, field.scalar!, field);
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

  /** A map entry is a message of key and value; either may be missing and is zero then. */
  #entry(field: Field, map: SlotMap): SlotMap {
    this.#count();
    const reader = this.#reader;
    const outerEnd = reader.end;
    reader.end = reader.lengthEnd();
    let key = '';
    let value: Slot = field.message ? [] : undefined;
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

  /** A list of numbers may come packed; anything else that does not fit is an error. */
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

function readScalar(reader: WireReader, scalar: Scalar, field: Field): JsonValue | Uint8Array {
  switch (scalar) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.varint() | 0;
    case 'int64':
      return reader.int64();
    case 'double':
      return expectFinite(reader.double(), field);
    case 'bytes':
      return reader.bytes().toString('base64');
    case 'raw':
      return reader.bytes();
  }
}

function expectFinite(value: number, field: Field): number {
  if (Number.isFinite(value)) return value;
  throw new ProtobufError({ code: 'BadValue', field: field.name, reason: `JSON has no word for ${value}` });
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

/** Builds the JSON of a message: what Go prints for set fields, and for unset ones. */
function fill(target: JsonObject, message: Message, slots: Slots, maxDepth: number): void {
  for (const field of message.fields) {
    const slot = slots[field.slot];
    if (field.isEmbedded) {
      fill(target, field.message!, (slot as Slots | undefined) ?? noSlots, maxDepth);
      continue;
    }
    const value = buildField(field, slot, maxDepth - 1);
    if (value !== undefined) target[field.name] = value;
  }
}

function buildField(field: Field, slot: Slot, maxDepth: number): JsonValue | undefined {
  if (field.shape === 'plain') {
    const value = slot === undefined ? zeroOf(field, maxDepth) : buildValue(field, slot, maxDepth);
    return field.omits && isEmpty(value) ? undefined : value;
  }
  if (slot === undefined) return field.omits ? undefined : null;
  if (field.shape === 'optional') return buildValue(field, slot, maxDepth);
  if (field.shape === 'map') return buildMap(field, slot as SlotMap, maxDepth);
  const items = slot as Slots;
  if (field.message !== undefined)
    for (let i = 0; i < items.length; i++) items[i] = buildMessage(field.message, items[i] as Slots, maxDepth - 1);
  return items as JsonValue[];
}

function buildValue(field: Field, slot: Slot, maxDepth: number): JsonValue {
  return field.message === undefined ? (slot as JsonValue) : buildMessage(field.message, slot as Slots, maxDepth);
}

function buildMessage(message: Message, slots: Slots, maxDepth: number): JsonValue {
  if (message.form !== 'struct') return forms[message.form].toJson(formFields(message, slots, maxDepth), maxDepth);
  const target: JsonObject = {};
  fill(target, message, slots, maxDepth);
  return target;
}

function formFields(message: Message, slots: Slots, maxDepth: number): FormFields {
  const fields: Record<string, FormValue> = {};
  for (const field of message.fields) {
    const slot = slots[field.slot];
    if (slot instanceof Uint8Array) fields[field.name] = slot;
    else if (slot !== undefined) fields[field.name] = buildField(field, slot, maxDepth)!;
  }
  return fields;
}

/** Go prints maps in the order of their keys' bytes. */
function buildMap(field: Field, map: SlotMap, maxDepth: number): JsonObject {
  const target: JsonObject = {};
  const keys = map.size > 1 ? [...map.keys()].sort(compareUtf8) : map.keys();
  for (const key of keys) {
    const slot = map.get(key);
    setOwn(target, key, slot === undefined ? zeroOf(field, maxDepth) : buildValue(field, slot, maxDepth - 1));
  }
  return target;
}

function zeroOf(field: Field, maxDepth: number): JsonValue {
  if (field.message !== undefined) return buildMessage(field.message, noSlots, maxDepth);
  return zeros[field.scalar!];
}

const zeros: Readonly<Record<Scalar, JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  raw: null,
};

function isEmpty(value: JsonValue): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

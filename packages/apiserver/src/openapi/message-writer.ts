import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { WireWriter } from '@pintle/machinery/protobuf';

/**
 * Form of a JSON field in a message of gnostic. A map is a message with entries of name and value. A function writes the
 * content of a message itself.
 */
type FieldForm<Name extends string> =
  | 'string'
  | 'strings'
  | 'bool'
  | 'integer'
  | 'double'
  /** A list of any values, each as YAML. */
  | 'anys'
  | { readonly message: Name }
  | { readonly list: Name }
  | { readonly named: Name }
  | ((value: JsonValue, writer: MessageWriter<Name>) => void);

export interface MessageForm<Name extends string> {
  /** Fields in the order of their numbers. */
  readonly fields: Readonly<Record<string, readonly [number, FieldForm<Name>]>>;
  /** Field number of `x-…` keys. */
  readonly extensions?: number;
  /** Field number and message of keys that are names, such as status codes. */
  readonly entries?: readonly [number, Name];
}

/** A message that holds one of several others. */
export type Choice<Name extends string> = (value: JsonObject) => readonly [number, Name];

interface Dialect<Name extends string> {
  readonly messages: Readonly<Record<Name, MessageForm<Name> | Choice<Name>>>;
  /** Writes fields by number, and omits empty, zero and false values. Otherwise keeps the order of the document. */
  readonly isCanonical: boolean;
  /** Writes any value as YAML, or as JSON, which is valid YAML. */
  readonly toYaml: (value: JsonValue) => string;
}

/** Shared by all calls: writing is synchronous. */
const wire = new WireWriter();

/** Joins length-delimited fields whose contents are encoded. */
export function joinFields(fields: readonly (readonly [number, Uint8Array])[]): Uint8Array {
  wire.start();
  for (const [number, bytes] of fields.toReversed()) {
    wire.bytes(bytes);
    wire.varint(delimited(number));
  }
  return wire.finish();
}

/** Encodes parts of documents by a table of messages, from the last field to the first, as `WireWriter` requires. */
export class MessageWriter<Name extends string> {
  readonly #messages: Dialect<Name>['messages'];
  readonly #isCanonical: boolean;
  readonly #toYaml: (value: JsonValue) => string;

  constructor({ messages, isCanonical, toYaml }: Dialect<Name>) {
    this.#messages = messages;
    this.#isCanonical = isCanonical;
    this.#toYaml = toYaml;
  }

  encode(name: Name, value: JsonObject): Uint8Array {
    wire.start();
    this.#fields(name, value);
    return wire.finish();
  }

  /** Encodes one entry of a map, as in `definitions` or `paths`. */
  encodeNamed(name: Name, key: string, value: JsonObject): Uint8Array {
    wire.start();
    this.#entry(key, () => this.message(2, name, value));
    return wire.finish();
  }

  message(number: number, name: Name, value: JsonValue): void {
    this.#nested(number, () => this.#fields(name, value as JsonObject));
  }

  string(number: number, text: string): void {
    wire.string(text);
    wire.varint(delimited(number));
  }

  bool(number: number, value: boolean): void {
    wire.varint(value ? 1 : 0);
    wire.varint(number * 8);
  }

  double(number: number, value: number): void {
    wire.double(value);
    wire.varint(number * 8 + 1);
  }

  #fields(name: Name, value: JsonObject): void {
    const form = this.#messages[name];
    if (typeof form === 'function') {
      const [number, chosen] = form(value);
      this.message(number, chosen, value);
    } else if (this.#isCanonical) {
      this.#others(form, value);
      for (const [key, [number, field]] of Object.entries(form.fields).reverse()) {
        if (Object.hasOwn(value, key)) this.#nonZero(number, field, value[key]!);
      }
    } else this.#asGiven(form, value);
  }

  #asGiven({ fields, extensions }: MessageForm<Name>, value: JsonObject): void {
    for (const [key, item] of Object.entries(value).reverse()) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field !== undefined) this.#field(field[0], field[1], item);
      else if (extensions !== undefined && key.startsWith('x-')) this.#extension(extensions, key, item);
    }
  }

  #others({ extensions, entries }: MessageForm<Name>, value: JsonObject): void {
    if (extensions === undefined && entries === undefined) return;
    for (const [key, item] of Object.entries(value).reverse()) {
      if (key.startsWith('x-')) {
        if (extensions !== undefined) this.#extension(extensions, key, item);
      } else if (entries !== undefined) this.#named(entries[0], entries[1], key, item);
    }
  }

  #nonZero(number: number, form: FieldForm<Name>, value: JsonValue): void {
    const isZero =
      (form === 'string' && value === '') ||
      (form === 'bool' && value !== true) ||
      (form === 'integer' && !(Number(value) > 0)) ||
      (form === 'double' && Number(value) === 0);
    if (!isZero) this.#field(number, form, value);
  }

  #field(number: number, form: FieldForm<Name>, value: JsonValue): void {
    if (typeof form === 'function') this.#nested(number, () => form(value, this));
    else if (typeof form === 'object') this.#messagesIn(number, form, value);
    else if (form === 'string') this.string(number, String(value));
    else if (form === 'strings') for (const item of reversed(value)) this.string(number, String(item));
    else if (form === 'bool') this.bool(number, value === true);
    else if (form === 'integer') this.#integer(number, Number(value));
    else if (form === 'double') this.double(number, Number(value));
    else for (const item of reversed(value)) this.#nested(number, () => this.#any(item));
  }

  #messagesIn(number: number, form: Exclude<FieldForm<Name>, string | CallableFunction>, value: JsonValue): void {
    if ('message' in form) this.message(number, form.message, value);
    else if ('list' in form) for (const item of reversed(value)) this.message(number, form.list, item);
    else {
      this.#nested(number, () => {
        for (const [key, item] of Object.entries(value as JsonObject).reverse()) this.#named(1, form.named, key, item);
      });
    }
  }

  #integer(number: number, value: number): void {
    wire.int64(Number.isFinite(value) ? Math.trunc(value) : 0);
    wire.varint(number * 8);
  }

  #named(number: number, name: Name, key: string, value: JsonValue): void {
    this.#nested(number, () => this.#entry(key, () => this.message(2, name, value)));
  }

  #extension(number: number, key: string, value: JsonValue): void {
    this.#nested(number, () => this.#entry(key, () => this.#nested(2, () => this.#any(value))));
  }

  #entry(key: string, writeValue: () => void): void {
    writeValue();
    this.string(1, key);
  }

  #any(value: JsonValue): void {
    this.string(2, this.#toYaml(value));
  }

  #nested(number: number, write: () => void): void {
    const before = wire.length;
    write();
    wire.varint(wire.length - before);
    wire.varint(delimited(number));
  }
}

/** Returns the items of a list in reverse order. Another value is the only item. */
export function reversed(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value.toReversed() : [value];
}

function delimited(number: number): number {
  return number * 8 + 2;
}

import { ProtobufError } from './protobuf-error.ts';
import type { FieldText, Form, ProtobufTable, Scalar, Shape } from './table.ts';
import { isScalar, readMessageText } from './table.ts';
import { BYTES, FIXED64, VARINT } from './wire-reader.ts';

/** A message of a table, parsed once. Messages refer to each other in cycles. */
export interface Message {
  readonly name: string;
  readonly form: Form;
  /** In the order of JSON; a field's `slot` is its index here. */
  readonly fields: readonly Field[];
  /** Sparse: unused numbers are holes. */
  readonly byNumber: readonly (Field | undefined)[];
  /** From the highest number to the lowest, the order in which a message is written backwards. */
  readonly descending: readonly Field[];
}

export interface Field {
  readonly slot: number;
  readonly number: number;
  readonly name: string;
  /** The fields of the message are inlined in its parent. */
  readonly isEmbedded: boolean;
  readonly shape: Shape;
  readonly omits: boolean;
  readonly scalar: Scalar | undefined;
  readonly message: Message | undefined;
  /** The tag before a value in the bytes. */
  readonly tag: number;
  /** The wire type of one value, also of one in a list or map. */
  readonly wireType: number;
}

/** Returns the message of that name. Throws `ProtobufError` when the table does not have it. */
export function messageOf(table: ProtobufTable, name: string): Message {
  const messages = compiled.get(table) ?? new Map<string, Message>();
  if (messages.size === 0) compiled.set(table, messages);
  return messages.get(name) ?? compile(table, name, messages);
}

const compiled = new WeakMap<ProtobufTable, Map<string, Message>>();

function compile(table: ProtobufTable, name: string, messages: Map<string, Message>): Message {
  const text = readMessageText(table, name);
  if (text === undefined) throw new ProtobufError({ code: 'UnknownMessage', message: name });
  const fields: Field[] = [];
  const byNumber: (Field | undefined)[] = [];
  const message: Message = { name, form: text.form, fields, byNumber, descending: [] };
  messages.set(name, message);
  for (const fieldText of text.fields) {
    const field = compileField(table, name, fieldText, fields.length);
    fields.push(field);
    while (byNumber.length <= field.number) byNumber.push(undefined);
    byNumber[field.number] = field;
  }
  (message.descending as Field[]).push(...fields.toSorted((a, b) => b.number - a.number));
  return message;
}

function compileField(table: ProtobufTable, owner: string, text: FieldText, slot: number): Field {
  // The encoder reads properties without checking whether they are inherited.
  if (text.name in Object.prototype) throw new TypeError(`Cannot use the field name ${text.name} of ${owner}`);
  const scalar = isScalar(text.type) ? text.type : undefined;
  const wireType = scalar === undefined ? BYTES : wireTypes[scalar];
  return {
    slot,
    number: text.number,
    name: text.name,
    isEmbedded: text.name === '+',
    shape: text.shape,
    omits: text.omits,
    scalar,
    message: scalar === undefined ? messageOf(table, resolveName(owner, text.type)) : undefined,
    tag: text.number * 8 + (text.shape === 'map' ? BYTES : wireType),
    wireType,
  };
}

const wireTypes: Readonly<Record<Scalar, number>> = {
  string: BYTES,
  bytes: BYTES,
  json: BYTES,
  bool: VARINT,
  int32: VARINT,
  int64: VARINT,
  double: FIXED64,
};

function resolveName(owner: string, type: string): string {
  return type.includes('.') ? type : `${owner.slice(0, owner.lastIndexOf('.') + 1)}${type}`;
}

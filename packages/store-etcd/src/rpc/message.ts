import { BYTES, ProtobufError, VARINT, WireReader, WireWriter } from '@pintle/machinery/protobuf';
import { type Revision, toRevision } from '@pintle/store';

/**
 * A protobuf message by its fields: `name: [number, type]`. `int64` is a number that must be exact, `id` a bigint of any
 * 64 bits, `revision` one of a store; a message inside brackets is repeated. A field that is absent reads as its zero, as
 * protobuf has it; a message without one that is `required` is refused.
 *
 *     const Point = message({ x: [1, 'int64'], label: [2, 'string'] });
 *     Point.decode(Point.encode({ x: 7 })) // { x: 7, label: '' }
 */
export function message<const F extends Fields>(fields: F): Message<F> {
  return new Message(fields);
}

/** A field without which a message is refused, so that nothing that reads it has to think of its absence. */
export function required<M extends Message<Fields>>(of: M): RequiredField<M> {
  return new RequiredField(of);
}

type Scalar = 'int64' | 'revision' | 'id' | 'bool' | 'string' | 'bytes';
type FieldType = Scalar | Message<Fields> | RequiredField<Message<Fields>> | readonly [Message<Fields>];
// biome-ignore lint/suspicious/noExplicitAny: a table of fields of any type.
type Fields = Readonly<Record<string, readonly [number, any]>>;

interface ScalarValues {
  readonly int64: number;
  readonly revision: Revision;
  readonly id: bigint;
  readonly bool: boolean;
  readonly string: string;
  readonly bytes: Uint8Array;
}

type ValueOf<T> = T extends Scalar
  ? ScalarValues[T]
  : T extends readonly [Message<infer F>]
    ? readonly Decoded<F>[]
    : T extends RequiredField<Message<infer F>>
      ? Decoded<F>
      : T extends Message<infer F>
        ? Decoded<F> | undefined
        : never;

type InputOf<T> = T extends readonly [Message<infer F>]
  ? readonly Input<F>[]
  : T extends RequiredField<Message<infer F>> | Message<infer F>
    ? Input<F>
    : T extends 'revision'
      ? number
      : ValueOf<T>;

type Decoded<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K][1]> };
type Input<F extends Fields> = { readonly [K in keyof F]?: InputOf<F[K][1]> | undefined };

/** Type of a decoded message. */
export type Received<M> = M extends Message<infer F> ? Decoded<F> : never;
/** Type of a message to encode. */
export type Sent<M> = M extends Message<infer F> ? Input<F> : never;

const writer = new WireWriter();

class RequiredField<M extends Message<Fields>> {
  readonly message: M;

  constructor(of: M) {
    this.message = of;
  }
}

export class Message<F extends Fields> {
  /** Last field first, because messages are written from the end. */
  readonly #fields: readonly Field[];
  readonly #byNumber: ReadonlyMap<number, Field>;
  readonly #zero: Readonly<Record<string, unknown>>;
  readonly #required: readonly string[];

  constructor(fields: F) {
    const given = Object.entries(fields);
    this.#required = given.flatMap(([name, [, type]]) => (type instanceof RequiredField ? [name] : []));
    const all = given.map(
      ([name, [number, type]]): Field => ({ name, number, type: type instanceof RequiredField ? type.message : type }),
    );
    this.#fields = all.sort((a, b) => b.number - a.number);
    this.#byNumber = new Map(all.map((field) => [field.number, field]));
    this.#zero = Object.fromEntries(all.map(({ name, type }) => [name, zeroOf(type)]));
  }

  encode(value: Input<F>): Uint8Array {
    writer.start();
    this.write(value);
    return writer.finish();
  }

  /** Throws ProtobufError when the bytes are not such a message. `bytes` fields are views of them. */
  decode(bytes: Uint8Array): Decoded<F> {
    return this.read(new WireReader(bytes));
  }

  /** @internal */
  write(value: Input<F>): void {
    for (const { name, number, type } of this.#fields) {
      const given = value[name];
      if (given === undefined) continue;
      if (Array.isArray(type)) {
        const items = given as readonly Input<Fields>[];
        for (let at = items.length - 1; at >= 0; at--) writeNested(type[0], number, items[at]!);
      } else if (type instanceof Message) writeNested(type, number, given as Input<Fields>);
      else writeScalar(type as Scalar, number, given);
    }
  }

  /** @internal */
  read(reader: WireReader): Decoded<F> {
    const value: Record<string, unknown> = { ...this.#zero };
    while (reader.position < reader.end) {
      const tag = reader.tag();
      const field = this.#byNumber.get(tag >>> 3);
      if (field === undefined) reader.skip(tag);
      else readField(reader, tag, field, value);
    }
    for (const name of this.#required) if (value[name] === undefined) throw badValue(name, 'it is missing');
    return value as Decoded<F>;
  }
}

interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: Exclude<FieldType, RequiredField<Message<Fields>>>;
}

const NOTHING = new Uint8Array(0);
const EMPTY: readonly unknown[] = [];

function zeroOf(type: Field['type']): unknown {
  if (Array.isArray(type)) return EMPTY;
  switch (type) {
    case 'int64':
    case 'revision':
      return 0;
    case 'id':
      return 0n;
    case 'bool':
      return false;
    case 'string':
      return '';
    case 'bytes':
      return NOTHING;
    default:
      return undefined;
  }
}

function writeNested(type: Message<Fields>, number: number, value: Input<Fields>): void {
  const before = writer.length;
  type.write(value);
  writer.varint(writer.length - before);
  writer.varint(number * 8 + BYTES);
}

function writeScalar(type: Scalar, number: number, value: unknown): void {
  if (type === 'string') writer.string(value as string);
  else if (type === 'bytes') writer.bytes(value as Uint8Array);
  else if (type === 'bool') writer.varint(value ? 1 : 0);
  else writer.int64(value as number | bigint);
  writer.varint(number * 8 + (type === 'string' || type === 'bytes' ? BYTES : VARINT));
}

function readField(reader: WireReader, tag: number, { name, type }: Field, into: Record<string, unknown>): void {
  const isVarint = type !== 'string' && type !== 'bytes' && typeof type === 'string';
  if ((tag & 7) !== (isVarint ? VARINT : BYTES))
    throw new ProtobufError({ code: 'WrongWireType', offset: reader.position, field: name, wireType: tag & 7 });
  if (Array.isArray(type)) {
    if (into[name] === EMPTY) into[name] = [];
    (into[name] as unknown[]).push(readNested(reader, type[0]));
  } else if (type instanceof Message) into[name] = readNested(reader, type);
  else into[name] = readScalar(reader, type as Scalar, name);
}

function readNested(reader: WireReader, type: Message<Fields>): unknown {
  const end = reader.lengthEnd();
  const outer = reader.end;
  reader.end = end;
  const value = type.read(reader);
  reader.end = outer;
  return value;
}

function readScalar(reader: WireReader, type: Scalar, field: string): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bytes':
      return reader.bytes();
    case 'bool':
      return reader.bool();
    case 'id':
      return BigInt(reader.int64());
    case 'int64':
      return exact(reader.int64(), field);
    case 'revision': {
      const value = exact(reader.int64(), field);
      if (value < 0) throw badValue(field, 'it is negative');
      return toRevision(value);
    }
  }
}

function exact(value: number | bigint, field: string): number {
  if (typeof value === 'bigint') throw badValue(field, 'it is beyond 2^53');
  return value;
}

function badValue(field: string, reason: string): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field, reason });
}

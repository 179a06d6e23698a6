import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';
import { ListReader, MapReader, StructReader } from './container-readers.ts';
import { bareGoType, goTypeOf, valuesOf } from './go-type.ts';
import { jsonSchemaPropsOr } from './json-schema-readers.ts';
import { type ExplicitEmpty, ReadRun } from './read-run.ts';
import { type Reader, TypedReadError } from './reader.ts';
import {
  anyReader,
  booleanReader,
  bytesReader,
  int32Reader,
  int64Reader,
  intOrStringReader,
  microTimeReader,
  numberReader,
  quantityReader,
  stringReader,
  timeReader,
} from './scalar-readers.ts';

/** Reads bodies of a built-in kind as Go's decoder followed by its encoder would. */
export interface TypedReader {
  /**
   * Returns the object with the fields that its type has, as Go would print it: quantities, times and bytes in
   * canonical form, zero values omitted or added by each field's rule. Unknown fields are listed in the order of the
   * document, `spec.containers[0].bar`, at most 100 of them. An empty list that Go always prints stays empty, unless it
   * is in another list, so that its sender owns it; `compileStripEmptyLists` makes it null for the store.
   *
   * The input is not changed, but the result shares unchanged parts with it.
   *
   * Throws `TypedReadError` for a value that does not fit its type.
   */
  read(value: JsonValue, options?: TypedReadOptions): TypedRead;
}

interface TypedReadOptions {
  /** Numbers that the document writes as `1.0`, `1e2` or `1e-1`, by their paths: integer fields refuse them. */
  readonly floats?: ReadonlyMap<string, string>;
}

export interface TypedRead {
  readonly value: JsonObject;
  readonly unknown: readonly string[];
  /** Lists and maps that were sent empty and are omitted from `value`. Validation uses them until the object is stored. */
  readonly emptied: readonly ExplicitEmpty[];
}

/** Returns the reader of a built-in kind's schema, always the same one for the same schema. */
export function compileTyped(schema: Schema): TypedReader {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const reader = readerOf(schema);
  const typed: TypedReader = { read: (value, options) => readWith(reader, value, options?.floats) };
  compiled.set(schema, typed);
  return typed;
}

const compiled = new WeakMap<Schema, TypedReader>();
const readers = new WeakMap<Schema, Reader>();

type Properties = Readonly<Record<string, Schema>>;
const structs = new WeakMap<Properties, Reader>();

function readWith(reader: Reader, value: JsonValue, floats?: ReadonlyMap<string, string>): TypedRead {
  const run = new ReadRun(floats);
  const read = value === null ? reader.zero() : reader.read(value, run);
  run.finish();
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw new TypedReadError(`json: cannot unmarshal into Go value of type ${reader.goType}`);
  }
  return { value: read, unknown: run.unknown, emptied: run.emptied };
}

function readerOf(schema: Schema): Reader {
  if (schema.properties !== undefined) return structReader(schema, schema.properties);
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const reader = selfDecodingReader(schema) ?? plainReader(schema);
  readers.set(schema, reader);
  return reader;
}

/** Fields of the same type have separate schemas but share its `properties`. */
function structReader(schema: Schema, properties: Properties): Reader {
  const known = structs.get(properties);
  if (known !== undefined) return known;
  const reader = new StructReader(goTypeOf(schema), bareGoType(schema));
  structs.set(properties, reader);
  for (const [name, property] of Object.entries(properties)) {
    const { zero = 'keep', nullable } = property;
    const field = jsonSchemaPropsOr(bareGoType(property), goTypeOf(property), reader) ?? readerOf(property);
    const printsNull = zero === 'keep' && nullable === true;
    const goName = property.goStruct === undefined ? name : `${property.goStruct}.${name}`;
    reader.add({ name, goName, zero, printsNull, reader: field, plainKind: field.plainKind });
  }
  return reader;
}

/** Types with an `UnmarshalJSON` method, found by name because their schemas do not distinguish them. */
function selfDecodingReader(schema: Schema): Reader | undefined {
  const goType = goTypeOf(schema);
  if (schema.intOrString || schema.format === 'int-or-string') return intOrStringReader(goType);
  switch (bareGoType(schema)) {
    case 'Quantity':
      return quantityReader(goType);
    case 'Time':
      return timeReader(goType);
    case 'MicroTime':
      return microTimeReader(goType);
    case 'IntOrString':
      return intOrStringReader(goType);
    case 'RawExtension':
    case 'FieldsV1':
    case 'JSON':
      return anyReader(goType);
    default:
      return undefined;
  }
}

function plainReader(schema: Schema): Reader {
  const goType = goTypeOf(schema);
  switch (schema.type) {
    case 'string':
      return textReader(schema, goType);
    case 'boolean':
      return booleanReader(goType);
    case 'integer':
      return schema.format === 'int32' ? int32Reader(goType) : int64Reader(goType);
    case 'number':
      return numberReader(goType);
    case 'array':
      return new ListReader(goType, schema.items === undefined ? anyReader('interface {}') : readerOf(schema.items));
    case 'object':
      return objectReader(schema, goType);
    default:
      return schema.format === 'quantity' ? quantityReader(goType) : anyReader(goType);
  }
}

function textReader(schema: Schema, goType: string): Reader {
  if (schema.format === 'byte') return bytesReader(goType);
  if (schema.format === 'date-time') return timeReader(goType);
  return schema.format === 'quantity' ? quantityReader(goType) : stringReader(goType);
}

/** An object without properties is a map, a struct without fields, or any value. */
function objectReader(schema: Schema, goType: string): Reader {
  const values = valuesOf(schema);
  if (values !== undefined) return new MapReader(goType, readerOf(values));
  const isStruct = schema.goType !== undefined && !schema.goType.startsWith('map[') && !schema.preserveUnknownFields;
  return isStruct && schema.additionalProperties === undefined
    ? new StructReader(goType, bareGoType(schema))
    : anyReader(goType);
}

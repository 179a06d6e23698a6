import type { JsonObject, JsonValue } from '../json/index.ts';
import { encodeJson, isJsonObject, JsonError, parseJson, stringifyJson } from '../json/index.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { Form } from './table.ts';
import { formatTime, parseTime } from './time.ts';

/** What a field of a message with a form of its own may hold, beside JSON: the bytes of a `raw` field. */
export type FormValue = JsonValue | Uint8Array;
export type FormFields = Readonly<Record<string, FormValue>>;

/** How a message that is not printed field by field becomes JSON, and back. */
export interface FormCodec {
  /** `fields` holds what the wire had, under the names of the table. */
  toJson(fields: FormFields, maxDepth: number): JsonValue;
  /** `undefined` leaves the message empty. `null` and an absent value are the same. */
  toFields(value: JsonValue): FormFields | undefined;
}

/** The forms of Go's types that write their JSON by code. */
export const forms: Readonly<Record<Exclude<Form, 'struct'>, FormCodec>> = {
  list: {
    toJson: ({ items }) => (items as JsonValue | undefined) ?? null,
    toFields: (value) => (value === null ? undefined : { items: value }),
  },
  time: {
    toJson: ({ seconds }) => (seconds === undefined ? null : formatTime(seconds as number | bigint, 0, false)),
    toFields: (value) => timeFields(value, false),
  },
  microTime: {
    toJson: ({ seconds, nanos }) =>
      seconds === undefined && nanos === undefined
        ? null
        : formatTime((seconds ?? 0) as number | bigint, (nanos ?? 0) as number, true),
    toFields: (value) => timeFields(value, true),
  },
  duration: {
    toJson: ({ duration }) => formatDuration(BigInt((duration ?? 0) as number | bigint)),
    toFields: (value) => ({ duration: value === null ? 0 : parseDuration(expectString(value, 'duration')) }),
  },
  quantity: {
    toJson: ({ string }) => (string as string | undefined) || '0',
    toFields: (value) => ({ string: value === null ? '0' : quantityText(value) }),
  },
  intOrString: { toJson: readIntOrString, toFields: writeIntOrString },
  json: {
    toJson: ({ raw }, maxDepth) => readRawJson(raw as Uint8Array | undefined, maxDepth),
    toFields: (value) => (value === null ? undefined : { raw: encodeJson(value) }),
  },
  schemaOrArray: {
    toJson: ({ schemas, schema }) => (schemas ?? schema ?? null) as JsonValue,
    toFields: (value) => (Array.isArray(value) ? { schemas: value } : schemaFields(value)),
  },
  schemaOrBool: {
    toJson: ({ allows, schema }) => (schema ?? allows ?? false) as JsonValue,
    toFields: (value) => (isJsonObject(value) ? { allows: true, schema: value } : { allows: value === true }),
  },
  schemaOrStrings: {
    toJson: ({ property, schema }) => (property ?? schema ?? null) as JsonValue,
    toFields: (value) => (Array.isArray(value) ? { property: value } : schemaFields(value)),
  },
};

function timeFields(value: JsonValue, hasFraction: boolean): FormFields | undefined {
  if (value === null) return undefined;
  const time = parseTime(expectString(value, 'time'));
  if (time === undefined) return undefined;
  return { seconds: time.seconds, nanos: hasFraction ? time.nanos : 0 };
}

function quantityText(value: JsonValue): string {
  return typeof value === 'number' || typeof value === 'bigint'
    ? stringifyJson(value)
    : expectString(value, 'quantity');
}

function readIntOrString({ type, intVal, strVal }: FormFields): JsonValue {
  if (type === undefined || type === 0) return (intVal as number | undefined) ?? 0;
  if (type === 1) return (strVal as string | undefined) ?? '';
  throw badValue('IntOrString', `it is neither a number nor a string but ${String(type)}`);
}

function writeIntOrString(value: JsonValue): FormFields {
  if (typeof value === 'string') return { type: 1, intVal: 0, strVal: value };
  return { type: 0, intVal: value ?? 0, strVal: '' };
}

function readRawJson(raw: Uint8Array | undefined, maxDepth: number): JsonValue {
  if (raw === undefined || raw.length === 0) return null;
  try {
    return parseJson(raw, { maxBytes: raw.length, maxDepth: Math.max(1, maxDepth) });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw badValue('embedded JSON', error.message, { cause: error });
  }
}

function schemaFields(value: JsonValue): FormFields | undefined {
  return isJsonObject(value) ? { schema: value satisfies JsonObject } : undefined;
}

function expectString(value: JsonValue, what: string): string {
  if (typeof value === 'string') return value;
  throw badValue(what, 'it is no string');
}

function badValue(field: string, reason: string, options?: ErrorOptions): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field, reason }, options);
}

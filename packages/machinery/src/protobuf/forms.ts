import type { JsonValue } from '../json/index.ts';
import { isJsonObject, stringifyJson } from '../json/index.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { ProtobufError } from './protobuf-error.ts';
import type { Form } from './table.ts';
import { formatTime, parseTime } from './time.ts';

/** The fields of a message by their names in the table. */
export type FormFields = Readonly<Record<string, JsonValue>>;

/** Converts a message that is not printed field by field to JSON, and back. */
interface FormCodec {
  /** `fields` holds the fields that were in the bytes. */
  toJson(fields: FormFields): JsonValue;
  /** Returns `undefined` for an empty message. `null` and an absent value are the same. */
  toFields(value: JsonValue): FormFields | undefined;
}

/** The codecs of Go types with a `MarshalJSON` method. */
export const forms: Readonly<Record<Exclude<Form, 'struct'>, FormCodec>> = {
  list: {
    toJson: ({ items }) => items ?? [],
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
    toJson: ({ raw }) => raw ?? null,
    toFields: (value) => (value === null ? undefined : { raw: value }),
  },
  schemaOrArray: {
    toJson: ({ schemas, schema }) => schemas ?? schema ?? null,
    toFields: (value) => (Array.isArray(value) ? { schemas: value } : schemaFields(value)),
  },
  schemaOrBool: {
    toJson: ({ allows, schema }) => schema ?? allows ?? false,
    toFields: (value) => (isJsonObject(value) ? { allows: true, schema: value } : { allows: value === true }),
  },
  schemaOrStrings: {
    toJson: ({ property, schema }) => property ?? schema ?? null,
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

function schemaFields(value: JsonValue): FormFields | undefined {
  return isJsonObject(value) ? { schema: value } : undefined;
}

function expectString(value: JsonValue, typeName: string): string {
  if (typeof value === 'string') return value;
  throw badValue(typeName, 'it is not a string');
}

function badValue(field: string, reason: string): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field, reason });
}

import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  paramType,
  STRING,
  TIMESTAMP,
  typeType,
  UINT,
} from '../types/type.ts';
import { typeNameOf } from '../values/describe.ts';
import {
  doubleToInt,
  doubleToUint,
  formatDouble,
  type Int,
  isInt,
  toInt,
  toUint,
  unsignedOverflow,
} from '../values/numbers.ts';
import { Duration, parseGoDuration, parseTimestamp, Timestamp } from '../values/time.ts';
import { CelError, Double, OpaqueValue, TypeValue, Uint, type Value } from '../values/value.ts';
import { type FunctionDeclaration, func, global } from './declare.ts';

const A = paramType('A');

function conversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

function toBool(text: string): Value {
  if (['true', 'True', 'TRUE', 't', 'T', '1'].includes(text)) return true;
  if (['false', 'False', 'FALSE', 'f', 'F', '0'].includes(text)) return false;
  return conversionError('string', 'bool');
}

function parseInt64(text: string): Value {
  if (!/^[+-]?[0-9]{1,30}$/.test(text)) return conversionError('string', 'int');
  const value = toInt(BigInt(text.replace(/^\+/, '')));
  return value instanceof CelError ? conversionError('string', 'int') : value;
}

function parseUint64(text: string): Value {
  if (!/^[0-9]{1,30}$/.test(text)) return conversionError('string', 'uint');
  const value = toUint(BigInt(text));
  return value instanceof CelError ? conversionError('string', 'uint') : value;
}

/** Parses a number like Go's `strconv.ParseFloat`, without hexadecimal forms. */
function parseDouble(text: string): Value {
  if (text.length > 1_000) return conversionError('string', 'double');
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return new Double(text.startsWith('-') ? -Infinity : Infinity);
  if (/^nan$/i.test(text)) return new Double(Number.NaN);
  if (!/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text))
    return conversionError('string', 'double');
  const value = Number(text);
  return Number.isFinite(value) ? new Double(value) : conversionError('string', 'double');
}

function bytesToString(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toTimestamp(text: string): Value {
  return parseTimestamp(text) ?? conversionError('string', 'google.protobuf.Timestamp');
}

function toDuration(text: string): Value {
  return parseGoDuration(text) ?? conversionError('string', 'google.protobuf.Duration');
}

function textOfOpaque(value: OpaqueValue): Value {
  return value.text() ?? conversionError(value.type.name, 'string');
}

/** Implements `string(x)`. */
export function toText(value: Value): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof Uint8Array) return bytesToString(value);
  if (value instanceof TypeValue) return value.name;
  return value instanceof OpaqueValue ? textOfOpaque(value) : conversionError(typeNameOf(value), 'string');
}

const same = (value: Value): Value => value;

export const conversions: readonly FunctionDeclaration[] = [
  func('bool', global('bool_to_bool', [BOOL], BOOL, same), global('string_to_bool', [STRING], BOOL, toBool)),
  func(
    'bytes',
    global('bytes_to_bytes', [BYTES], BYTES, same),
    global('string_to_bytes', [STRING], BYTES, (text: string) => new TextEncoder().encode(text)),
  ),
  func(
    'double',
    global('double_to_double', [DOUBLE], DOUBLE, same),
    global('int64_to_double', [INT], DOUBLE, (value: Int) => new Double(Number(value))),
    global('string_to_double', [STRING], DOUBLE, parseDouble),
    global('uint64_to_double', [UINT], DOUBLE, ({ value }: Uint) => new Double(Number(value))),
  ),
  func(
    'duration',
    global('duration_to_duration', [DURATION], DURATION, same),
    // Declared, but not supported.
    global(
      'int64_to_duration',
      [INT],
      DURATION,
      () => new CelError("type conversion error from 'int' to 'google.protobuf.Duration'"),
    ),
    global('string_to_duration', [STRING], DURATION, toDuration),
  ),
  func('dyn', global('to_dyn', [A], DYN, same)),
  func(
    'int',
    global('int64_to_int64', [INT], INT, same),
    global('double_to_int64', [DOUBLE], INT, ({ value }: Double) => doubleToInt(value)),
    global('duration_to_int64', [DURATION], INT, ({ nanos }: Duration) => toInt(nanos)),
    global('string_to_int64', [STRING], INT, parseInt64),
    global('timestamp_to_int64', [TIMESTAMP], INT, ({ seconds }: Timestamp) => toInt(seconds)),
    global('uint64_to_int64', [UINT], INT, ({ value }: Uint) => toInt(value)),
  ),
  func(
    'string',
    global('string_to_string', [STRING], STRING, same),
    global('bool_to_string', [BOOL], STRING, toText),
    global('bytes_to_string', [BYTES], STRING, toText),
    global('double_to_string', [DOUBLE], STRING, toText),
    global('duration_to_string', [DURATION], STRING, toText),
    global('int64_to_string', [INT], STRING, toText),
    global('timestamp_to_string', [TIMESTAMP], STRING, toText),
    global('uint64_to_string', [UINT], STRING, toText),
  ),
  func(
    'timestamp',
    global('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, same),
    global('int64_to_timestamp', [INT], TIMESTAMP, (seconds: Int) => Timestamp.of(BigInt(seconds) * 1_000_000_000n)),
    global('string_to_timestamp', [STRING], TIMESTAMP, toTimestamp),
  ),
  func(
    'type',
    global('type', [A], typeType(A), (value: Value) => new TypeValue(typeNameOf(value))),
  ),
  func(
    'uint',
    global('uint64_to_uint64', [UINT], UINT, same),
    global('double_to_uint64', [DOUBLE], UINT, ({ value }: Double) => doubleToUint(value)),
    global('int64_to_uint64', [INT], UINT, (value: Int) => (value < 0 ? unsignedOverflow : toUint(BigInt(value)))),
    global('string_to_uint64', [STRING], UINT, parseUint64),
  ),
];

/** Functions that are evaluated at compile time when their argument is constant. */
export const conversionNames: ReadonlySet<string> = new Set(conversions.map(({ name }) => name));

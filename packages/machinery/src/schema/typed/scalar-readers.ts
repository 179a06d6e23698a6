import { canonicalJson, type JsonValue } from '../../json/index.ts';
import { parseQuantity } from '../../quantity/index.ts';
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from '../../time/index.ts';
import { canonicalBase64 } from './base64.ts';
import type { ReadRun } from './read-run.ts';
import { type PlainKind, type Reader, TypedReadError } from './reader.ts';

export function stringReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'string',
    isPlain: (value) => typeof value === 'string',
    read: (value, run) => {
      if (typeof value !== 'string') run.mismatch(value, goType);
      return value;
    },
    zero: () => '',
    isZero: (value) => value === '',
  };
}

export function booleanReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'boolean',
    isPlain: (value) => typeof value === 'boolean',
    read: (value, run) => {
      if (typeof value !== 'boolean') run.mismatch(value, goType);
      return value;
    },
    zero: () => false,
    isZero: (value) => value === false,
  };
}

export function numberReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: (value) => typeof value === 'number',
    read: (value, run) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') run.mismatch(value, goType);
      return value;
    },
    zero: () => 0,
    isZero: (value) => value === 0,
  };
}

/** Reads a 64-bit integer: `bigint` beyond what a double holds, as everywhere. */
export function int64Reader(goType: string): Reader {
  return integerReader(goType, 'none', (value) => typeof value === 'bigint' || Number.isSafeInteger(value));
}

export function int32Reader(goType: string): Reader {
  return integerReader(goType, 'int32', isInt32);
}

function integerReader(goType: string, plainKind: PlainKind, isPlain: (value: JsonValue) => boolean): Reader {
  return {
    goType,
    plainKind,
    isPlain,
    read: (value, run) => {
      if (!isPlain(value) || run.isFloat()) run.mismatch(value, goType, { showsNumber: true });
      return value;
    },
    zero: () => 0,
    isZero: (value) => value === 0,
  };
}

function isInt32(value: JsonValue): boolean {
  return typeof value === 'number' && (value | 0) === value;
}

/** Reads bytes in base64 or as a list of numbers. Null and empty bytes differ in Go, but both are omitted. */
export function bytesReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: () => false,
    read: (value, run) => {
      if (Array.isArray(value)) return bytesOfList(value, run);
      if (typeof value !== 'string') {
        run.mismatch(value, goType);
        return value;
      }
      const result = canonicalBase64(value);
      if ('canonical' in result) return result.canonical;
      run.recordError(`illegal base64 data at input byte ${result.corruptAt}`);
      return value;
    },
    zero: () => null,
    isZero: (value) => value === '',
  };
}

function bytesOfList(list: readonly JsonValue[], run: ReadRun): string {
  const characters = list.map((item) => {
    if (item === null) return '\0';
    const isByte = typeof item === 'number' && (item & 0xff) === item;
    if (!isByte) run.mismatch(item, 'uint8', { showsNumber: true });
    return isByte ? String.fromCharCode(item) : '';
  });
  return btoa(characters.join(''));
}

/** Reads a string or an int32. */
export function intOrStringReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: (value) => typeof value === 'string' || isInt32(value),
    read: (value, run) => {
      if (typeof value === 'string' || (isInt32(value) && !run.isFloat())) return value;
      return run.abort(value, 'int32', { showsNumber: true });
    },
    zero: () => 0,
    isZero: () => false,
  };
}

/** Reads an amount such as `500m`. Keeps the digits of numbers; returns a string in canonical form. */
export function quantityReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: (value) => typeof value === 'string' && canonicalQuantity.test(value),
    read: (value) => asReadError(() => parseQuantity(quantityText(value)).toString()),
    zero: () => '0',
    isZero: () => false,
  };
}

/** Quantities that are certainly canonical, as most are: fewer than a thousand of a unit. */
const canonicalQuantity = /^[1-9][0-9]{0,2}(?:[mkMGT]|[KMGT]i)?$/;

function quantityText(value: JsonValue): string | number | bigint {
  return typeof value === 'object' || typeof value === 'boolean' ? canonicalJson(value) : value;
}

export function timeReader(goType: string): Reader {
  return momentReader(goType, (text) => (canonicalTime.test(text) ? text : formatTime(parseTime(text))));
}

/** Times that are certainly canonical, as most are. Times on the last days of a month go through the parser. */
const canonicalTime =
  /^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}Z$/;

export function microTimeReader(goType: string): Reader {
  return momentReader(goType, (text) => formatMicroTime(parseMicroTime(text)));
}

/** Reads a point in time. The first second of the year 1 is Go's zero time, which prints as null. */
function momentReader(goType: string, normalise: (text: string) => string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: () => false,
    read: (value, run: ReadRun) => {
      if (typeof value !== 'string') return run.abort(value, 'string');
      const text = asReadError(() => normalise(value));
      return isZeroTime(text) ? null : text;
    },
    zero: () => null,
    isZero: (value) => value === null,
  };
}

function isZeroTime(text: string): boolean {
  return text.startsWith('0001-01-01T00:00:00') && /^[0.:]*Z$/.test(text.slice(19));
}

/** Accepts any value and keeps it as it is: RawExtension, FieldsV1, JSON. */
export function anyReader(goType: string): Reader {
  return {
    goType,
    plainKind: 'none',
    isPlain: () => true,
    read: (value) => value,
    zero: () => null,
    isZero: (value) => value === null,
  };
}

/** Throws the message of a type with an `UnmarshalJSON` method, which ends the reading at once. */
function asReadError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TypedReadError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

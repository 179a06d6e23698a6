import { ListValue } from './list.ts';
import { MapValue } from './map.ts';
import { formatDouble } from './numbers.ts';
import { Duration, Timestamp } from './time.ts';
import { Double, OpaqueValue, OptionalValue, TypeValue, Uint, type Value } from './value.ts';

/** Returns the name of a value's type, as `type(value)` shows it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'int';
    default:
      return value === null ? 'null_type' : boxedTypeName(value);
  }
}

function boxedTypeName(value: object): string {
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof Double) return 'double';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  return value instanceof OpaqueValue ? value.type.name : 'error';
}

/** Formats a value for errors: `no such key: a`, `index out of bounds: 3`. */
export function describeValue(value: Value): string {
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof OpaqueValue) return value.text() ?? value.type.name;
  return typeof value === 'object' ? typeNameOf(value) : String(value);
}

/** Returns the size of a value: characters, bytes, items or entries; 1 for everything else. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return characterCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof OptionalValue) return value.value === undefined ? 1 : sizeOf(value.value);
  return value instanceof OpaqueValue ? value.size : 1;
}

/** Counts characters, not UTF-16 units. */
export function characterCount(text: string): number {
  if (!hasPairs(text)) return text.length;
  let pairs = 0;
  for (let index = 0, last = text.length - 1; index < last; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff || !isLow(text, index + 1)) continue;
    pairs++;
    index++;
  }
  return text.length - pairs;
}

/** Returns the UTF-16 offset of a character; the length at the end, `undefined` beyond it. */
export function offsetOf(text: string, position: number): number | undefined {
  if (position < 0 || position > text.length) return undefined;
  if (!hasPairs(text)) return position;
  let offset = 0;
  for (let index = 0; index < position; index++) {
    if (offset >= text.length) return undefined;
    const unit = text.charCodeAt(offset);
    offset += unit >= 0xd800 && unit <= 0xdbff && isLow(text, offset + 1) ? 2 : 1;
  }
  return offset;
}

/** True when the string may have surrogate pairs. The engine answers at once for strings of one byte per character. */
export function hasPairs(text: string): boolean {
  return /[\ud800-\udbff]/.test(text);
}

function isLow(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

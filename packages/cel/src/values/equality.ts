import { JsonList, JsonMap, JsonStruct } from './json-values.ts';
import { JoinedList, ListValue } from './list.ts';
import { MapValue } from './map.ts';
import { compareNumbers, isNumeric } from './numbers.ts';
import { Duration, Timestamp } from './time.ts';
import { type CelError, isError, noSuchOverload, OpaqueValue, OptionalValue, TypeValue, type Value } from './value.ts';

/** True when two values are equal. Values of different types are not, except numbers. */
export function isEqual(a: Value, b: Value): boolean | CelError {
  if (typeof a === 'string' || typeof a === 'boolean' || a === null) return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (isError(a)) return a;
  if (isError(b)) return b;
  if (b === null) return false;
  if (a instanceof ListValue) return b instanceof ListValue ? areListsEqual(a, b) : shapeMismatch(a);
  if (a instanceof MapValue) return b instanceof MapValue ? areMapsEqual(a, b) : shapeMismatch(a);
  return areBoxedEqual(a, b);
}

/** True when the container, or the first list of a concatenation, has a schema. */
export function isOfSchema(value: ListValue | MapValue): boolean {
  if (value instanceof JoinedList) return value.first instanceof JsonList && value.first.isTyped;
  return value instanceof JsonStruct || ((value instanceof JsonList || value instanceof JsonMap) && value.isTyped);
}

/** Comparing a value with a schema to one of another shape is an error; other values just differ. */
function shapeMismatch(value: ListValue | MapValue): false | CelError {
  return isOfSchema(value) ? noSuchOverload : false;
}

function areBoxedEqual(a: Value, b: Value): boolean | CelError {
  if (a === b) return true;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  // Comparing a value of Kubernetes' types to one of another type is an error.
  if (a instanceof OpaqueValue)
    return b instanceof OpaqueValue && a.type.name === b.type.name ? a.equals(b) : noSuchOverload;
  if (!(a instanceof OptionalValue) || !(b instanceof OptionalValue)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqual(a.value, b.value);
}

/** The left list decides whether order matters. */
function areListsEqual(a: ListValue, b: ListValue): boolean | CelError {
  if (a.size !== b.size) return false;
  if (a instanceof JsonList && a.listType !== 'atomic') {
    return a.matchAll(b, isEqual);
  }
  for (let index = 0; index < a.size; index++) {
    const equal = isEqual(a.at(index), b.at(index));
    if (equal !== true) return equal;
  }
  return true;
}

function areMapsEqual(a: MapValue, b: MapValue): boolean | CelError {
  if (a.size !== b.size) return false;
  if (a instanceof JsonStruct) return isStructEqual(a, b);
  for (const key of a.keys()) {
    const equal = areFieldsEqual(a.get(key), b.get(key));
    if (equal !== true) return equal;
  }
  return true;
}

/**
 * Compares fields by their names in objects. Fields without a schema are compared with those of another such object.
 */
function isStructEqual(a: JsonStruct, b: MapValue): boolean | CelError {
  if (b instanceof JsonStruct && !a.sharesUnknownFields(b)) return false;
  for (const name of a.names()) {
    const equal = areFieldsEqual(a.named(name), b instanceof JsonStruct ? b.named(name) : b.get(name));
    if (equal !== true) return equal;
  }
  return b instanceof JsonStruct || !a.hasUnknownFields ? true : noSuchOverload;
}

function areFieldsEqual(a: Value | undefined, b: Value | undefined): boolean | CelError {
  return a === undefined || b === undefined ? a === b : isEqual(a, b);
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  optionalType,
  paramType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/type.ts';
import { describeValue, typeNameOf } from '../values/describe.ts';
import { compareBytes, isEqual, isOfSchema } from '../values/equality.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import {
  addInts,
  compareNumbers,
  divideInts,
  type Int,
  isInt,
  isNumeric,
  multiplyInts,
  negateInt,
  remainderInts,
  subtractInts,
  toUint,
} from '../values/numbers.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { CelError, Double, noSuchOverload, OptionalValue, Uint, type Value } from '../values/value.ts';
import { type FunctionDeclaration, func, global, type Implementation, type Overload } from './declare.ts';
import { maxItems, maxText, tooLarge } from './limits.ts';
import { operatorError } from './operator-traits.ts';

const A = paramType('A');
const B = paramType('B');

/** Go orders strings by UTF-8, which is the order of code points. */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates represent characters above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Returns a number below, at or above zero; `undefined` when the values cannot be compared. NaN is not ordered. */
export function compareValues(a: Value, b: Value): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isNumeric(a)) return isNumeric(b) ? (compareNumbers(a, b) ?? Number.NaN) : undefined;
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : undefined;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
  if (a instanceof Timestamp) return b instanceof Timestamp ? sign(a.nanos - b.nanos) : undefined;
  if (a instanceof Duration) return b instanceof Duration ? sign(a.nanos - b.nanos) : undefined;
  return a instanceof Uint8Array && b instanceof Uint8Array ? compareBytes(a, b) : undefined;
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

const comparable: readonly (readonly [string, Type, Type])[] = [
  ['bool', BOOL, BOOL],
  ['int64', INT, INT],
  ['int64_double', INT, DOUBLE],
  ['int64_uint64', INT, UINT],
  ['uint64', UINT, UINT],
  ['uint64_double', UINT, DOUBLE],
  ['uint64_int64', UINT, INT],
  ['double', DOUBLE, DOUBLE],
  ['double_int64', DOUBLE, INT],
  ['double_uint64', DOUBLE, UINT],
  ['string', STRING, STRING],
  ['bytes', BYTES, BYTES],
  ['timestamp', TIMESTAMP, TIMESTAMP],
  ['duration', DURATION, DURATION],
];

function comparison(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const dynamic = (a: Value, b: Value): Value => {
    const order = compareValues(a, b);
    return order === undefined ? operatorError(name, a) : holds(order);
  };
  const overloads = comparable.map(([suffix, left, right]) => global(`${id}_${suffix}`, [left, right], BOOL, dynamic));
  return { name, overloads, dynamic };
}

/** Declares an operator whose meaning depends on the types of both operands. */
function arithmetic(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}

const double = (calculate: (a: number, b: number) => number): Implementation =>
  ((a: Double, b: Double) => new Double(calculate(a.value, b.value))) as Implementation;
const uint = (calculate: (a: bigint, b: bigint) => bigint): Implementation =>
  ((a: Uint, b: Uint) => toUint(calculate(a.value, b.value))) as Implementation;

function addLists(a: ListValue, b: ListValue): Value {
  return a.size + b.size > maxItems ? tooLarge : a.concat(b);
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function divideUints(a: Uint, b: Uint): Value {
  return b.value === 0n ? new CelError('division by zero') : new Uint(a.value / b.value);
}

function remainderUints(a: Uint, b: Uint): Value {
  return b.value === 0n ? new CelError('modulus by zero') : new Uint(a.value % b.value);
}

/** Returns the item or value at an index or key, or an error. */
export function index(container: Value, key: Value): Value {
  const found = lookUp(container, key);
  if (found !== undefined) return found;
  const what = container instanceof ListValue ? 'index out of bounds' : 'no such key';
  return new CelError(`${what}: ${describeValue(key)}`);
}

/**
 * Returns the item or value at an index or key; `undefined` when it is absent, an error when the index has a wrong
 * type.
 */
export function lookUp(container: Value, key: Value): Value | undefined {
  if (container instanceof MapValue) return container.get(key);
  // Other values contain nothing.
  if (!(container instanceof ListValue)) return undefined;
  const position = positionOf(key);
  if (position === undefined) return new CelError(unusableIndex(key));
  return position >= 0 && position < container.size ? container.at(position) : undefined;
}

function unusableIndex(key: Value): string {
  return key instanceof Double
    ? `unsupported index value ${describeValue(key)} in list`
    : `unsupported index type '${typeNameOf(key)}' in list`;
}

function positionOf(key: Value): number | undefined {
  if (isInt(key)) return Number(key);
  if (key instanceof Uint) return Number(key.value);
  return key instanceof Double && Number.isInteger(key.value) ? key.value : undefined;
}

function indexOptional(container: OptionalValue, key: Value): Value {
  return container.value === undefined ? container : optionalOf(lookUp(container.value, key));
}

function optionalIndex(container: Value, key: Value): Value {
  return optionalOf(lookUp(container, key));
}

function optionalOf(found: Value | undefined): Value {
  if (found === undefined) return OptionalValue.none;
  return found instanceof CelError ? found : OptionalValue.of(found);
}

/**
 * Returns whether a list has an equal item, or a map the key. A container with a schema has string keys, and its items
 * are on the left of comparisons: when none is equal, a comparison error is returned.
 */
export function contains(container: Value, item: Value): Value {
  if (container instanceof MapValue) {
    return isOfSchema(container) && typeof item !== 'string' ? noSuchOverload : container.get(item) !== undefined;
  }
  if (!(container instanceof ListValue)) return noSuchOverload;
  const isTyped = isOfSchema(container);
  let error: CelError | undefined;
  for (let position = 0; position < container.size; position++) {
    const own = container.at(position);
    const equal = isTyped ? isEqual(own, item) : isEqual(item, own);
    if (equal === true) return true;
    if (equal !== false && isTyped) error ??= equal;
  }
  return error ?? false;
}

const equals = (a: Value, b: Value): Value => isEqual(a, b);
const differs = (a: Value, b: Value): Value => {
  const equal = isEqual(a, b);
  return typeof equal === 'boolean' ? !equal : equal;
};

const listA = listType(A);
const mapAB = mapType(A, B);

/** Operators of the grammar. Those that do not evaluate all operands are only declared here. */
export const operators: readonly FunctionDeclaration[] = [
  func('_==_', global('equals', [A, A], BOOL, equals)),
  func('_!=_', global('not_equals', [A, A], BOOL, differs)),
  comparison('_<_', 'less', (order) => order < 0),
  comparison('_<=_', 'less_equals', (order) => order <= 0),
  comparison('_>_', 'greater', (order) => order > 0),
  comparison('_>=_', 'greater_equals', (order) => order >= 0),
  arithmetic(
    '_+_',
    global('add_bytes', [BYTES, BYTES], BYTES, joinBytes),
    global(
      'add_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      double((a, b) => a + b),
    ),
    global('add_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
      Duration.of(a.nanos + b.nanos),
    ),
    global('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a: Duration, b: Timestamp) => b.plus(a.nanos)),
    global('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Timestamp, b: Duration) => a.plus(b.nanos)),
    global('add_int64', [INT, INT], INT, addInts),
    global('add_list', [listA, listA], listA, addLists),
    global('add_string', [STRING, STRING], STRING, (a: string, b: string) =>
      a.length + b.length > maxText ? tooLarge : a + b,
    ),
    global(
      'add_uint64',
      [UINT, UINT],
      UINT,
      uint((a, b) => a + b),
    ),
  ),
  arithmetic(
    '_-_',
    global(
      'subtract_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      double((a, b) => a - b),
    ),
    global('subtract_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
      Duration.of(a.nanos - b.nanos),
    ),
    global('subtract_int64', [INT, INT], INT, subtractInts),
    global('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Timestamp, b: Duration) =>
      a.plus(-b.nanos),
    ),
    global('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, (a: Timestamp, b: Timestamp) =>
      Duration.of(a.nanos - b.nanos),
    ),
    global(
      'subtract_uint64',
      [UINT, UINT],
      UINT,
      uint((a, b) => a - b),
    ),
  ),
  arithmetic(
    '_*_',
    global(
      'multiply_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      double((a, b) => a * b),
    ),
    global('multiply_int64', [INT, INT], INT, multiplyInts),
    global(
      'multiply_uint64',
      [UINT, UINT],
      UINT,
      uint((a, b) => a * b),
    ),
  ),
  arithmetic(
    '_/_',
    global(
      'divide_double',
      [DOUBLE, DOUBLE],
      DOUBLE,
      double((a, b) => a / b),
    ),
    global('divide_int64', [INT, INT], INT, divideInts),
    global('divide_uint64', [UINT, UINT], UINT, divideUints),
  ),
  arithmetic(
    '_%_',
    global('modulo_int64', [INT, INT], INT, remainderInts),
    global('modulo_uint64', [UINT, UINT], UINT, remainderUints),
  ),
  func(
    '-_',
    global('negate_int64', [INT], INT, (a: Int) => negateInt(a)),
    global('negate_double', [DOUBLE], DOUBLE, (a: Double) => new Double(-a.value)),
  ),
  func(
    '!_',
    global('logical_not', [BOOL], BOOL, (a: boolean) => !a),
  ),
  {
    name: '_[_]',
    dynamic: (container, key) =>
      container instanceof OptionalValue ? indexOptional(container, key) : index(container, key),
    overloads: [
      global('index_list', [listA, INT], A, index),
      global('index_map', [mapAB, A], B, index),
      global('optional_list_index_int', [optionalType(listA), INT], optionalType(A), indexOptional),
      global('optional_map_index_value', [optionalType(mapAB), A], optionalType(B), indexOptional),
    ],
  },
  {
    name: '_[?_]',
    dynamic: (container, key) =>
      container instanceof OptionalValue ? indexOptional(container, key) : optionalIndex(container, key),
    overloads: [
      global('list_optindex_optional_int', [listA, INT], optionalType(A), optionalIndex),
      global('optional_list_optindex_optional_int', [optionalType(listA), INT], optionalType(A), indexOptional),
      global('map_optindex_optional_value', [mapAB, A], optionalType(B), optionalIndex),
      global('optional_map_optindex_optional_value', [optionalType(mapAB), A], optionalType(B), indexOptional),
    ],
  },
  {
    name: '@in',
    dynamic: (item, container) => contains(container, item),
    overloads: [
      global('in_list', [A, listA], BOOL, (item: Value, list: ListValue) => contains(list, item)),
      global('in_map', [A, mapAB], BOOL, (item: Value, map: MapValue) => contains(map, item)),
    ],
  },
  func(
    '_&&_',
    global('logical_and', [BOOL, BOOL], BOOL, () => noSuchOverload),
  ),
  func(
    '_||_',
    global('logical_or', [BOOL, BOOL], BOOL, () => noSuchOverload),
  ),
  func(
    '_?_:_',
    global('conditional', [BOOL, A, A], A, () => noSuchOverload),
  ),
  func(
    '@not_strictly_false',
    global('not_strictly_false', [BOOL], BOOL, () => noSuchOverload),
  ),
  func(
    '_?._',
    global('select_optional_field', [DYN, STRING], optionalType(B), () => noSuchOverload),
  ),
];

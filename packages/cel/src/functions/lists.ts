import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  paramType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/type.ts';
import { typeNameOf } from '../values/describe.ts';
import { isEqual } from '../values/equality.ts';
import { ArrayList, ListValue } from '../values/list.ts';
import { addInts, type Int, toUint } from '../values/numbers.ts';
import { Duration } from '../values/time.ts';
import { CelError, Double, isError, noSuchOverload, Uint, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';
import { maxItems, tooLarge } from './limits.ts';
import { compareValues } from './operators.ts';

const comparable: readonly (readonly [string, Type])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];

function isSorted(list: ListValue): Value {
  for (let index = 1; index < list.size; index++) {
    const order = compareValues(list.at(index - 1), list.at(index));
    if (order === undefined) return errorAmong(list) ?? noSuchOverload;
    if (order > 0) return false;
  }
  return true;
}

function errorAmong(list: ListValue): CelError | undefined {
  return list.items().find(isError);
}

function addValues(a: Value, b: Value): Value {
  if (a instanceof Double) return b instanceof Double ? new Double(a.value + b.value) : noSuchOverload;
  if (a instanceof Uint) return b instanceof Uint ? toUint(a.value + b.value) : noSuchOverload;
  if (a instanceof Duration) return b instanceof Duration ? Duration.of(a.nanos + b.nanos) : noSuchOverload;
  return typeof b === 'number' || typeof b === 'bigint' ? addInts(a as Int, b) : noSuchOverload;
}

const sumFrom =
  (zero: Value) =>
  (list: ListValue): Value => {
    let total = zero;
    for (const item of list.items()) {
      if (isError(item)) return item;
      total = addValues(total, item);
      if (isError(total)) return total;
    }
    return total;
  };

/** Returns the first of the best items. */
function pick(name: string, isBetter: (order: number) => boolean): (list: ListValue) => Value {
  return (list) => {
    if (list.size === 0) return new CelError(`${name} called on empty list`);
    let best = list.at(0);
    for (const item of list.items()) {
      const order = compareValues(item, best);
      if (order === undefined) return isError(item) ? item : noSuchOverload;
      if (isBetter(order)) best = item;
    }
    return best;
  };
}

const indexOf = (list: ListValue, item: Value): number =>
  list.items().findIndex((other) => isEqual(other, item) === true);
const lastIndexOf = (list: ListValue, item: Value): number =>
  list.items().findLastIndex((other) => isEqual(other, item) === true);

const A = paramType('A');

/** Kubernetes' own functions on lists. */
export const listsLibrary: Library = {
  name: 'kubernetes.lists',
  functions: [
    func(
      'isSorted',
      ...comparable.map(([name, type]) => member(`list_${name}_is_sorted_bool`, [listType(type)], BOOL, isSorted)),
    ),
    func(
      'sum',
      member('list_int_sum_int', [listType(INT)], INT, sumFrom(0)),
      member('list_uint_sum_uint', [listType(UINT)], UINT, sumFrom(new Uint(0n))),
      member('list_double_sum_double', [listType(DOUBLE)], DOUBLE, sumFrom(new Double(0))),
      member('list_duration_sum_duration', [listType(DURATION)], DURATION, sumFrom(new Duration(0n))),
    ),
    func(
      'max',
      ...comparable.map(([name, type]) =>
        member(
          `list_${name}_max_${name}`,
          [listType(type)],
          type,
          pick('max', (order) => order > 0),
        ),
      ),
    ),
    func(
      'min',
      ...comparable.map(([name, type]) =>
        member(
          `list_${name}_min_${name}`,
          [listType(type)],
          type,
          pick('min', (order) => order < 0),
        ),
      ),
    ),
    func('indexOf', member('list_a_index_of_int', [listType(A), A], INT, indexOf)),
    func('lastIndexOf', member('list_a_last_index_of_int', [listType(A), A], INT, lastIndexOf)),
  ],
};

function slice(list: ListValue, start: Int, end: Int): Value {
  const what = `cannot slice(${start}, ${end}),`;
  if (start < 0 || end < 0) return new CelError(`${what} negative indexes not supported`);
  if (start > end) return new CelError(`${what} start index must be less than or equal to end index`);
  if (end > list.size) return new CelError(`${what} list is length ${list.size}`);
  const from = Number(start);
  return new ArrayList(Array.from({ length: Number(end) - from }, (_, index) => list.at(from + index)));
}

function flatten(list: ListValue, depth: Int = 1): Value {
  if (depth < 0) return new CelError('level must be non-negative');
  let items = list.items();
  for (let level = 0; level < depth && items.some((item) => item instanceof ListValue); level++) {
    const total = items.reduce((sum: number, item) => sum + (item instanceof ListValue ? item.size : 1), 0);
    if (total > maxItems) return tooLarge;
    items = items.flatMap((item) => (item instanceof ListValue ? item.items() : [item]));
  }
  return new ArrayList(items);
}

/** Returns the integers from 0 to `count - 1`. */
function range(count: Int): Value {
  if (count > maxItems) return tooLarge;
  return new ArrayList(Array.from({ length: Math.max(Number(count), 0) }, (_, index) => index));
}

function distinct(list: ListValue): Value {
  const found: Value[] = [];
  for (const item of list.items()) {
    if (!found.some((other) => isEqual(other, item) === true)) found.push(item);
  }
  return new ArrayList(found);
}

function sortByKeys(list: ListValue, keys: ListValue): Value {
  if (list.size !== keys.size) {
    const sizes = `${list.size} and ${keys.size} elements respectively`;
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  const error = errorAmong(keys);
  if (error !== undefined) return error;
  if (list.size < 2) return list;
  const ranked = keys.items().map((key, index) => [key, list.at(index)] as const);
  const type = typeNameOf(ranked[0]![0]);
  if (ranked.some(([key]) => typeNameOf(key) !== type)) return new CelError('list elements must have the same type');
  if (compareValues(ranked[0]![0], ranked[1]![0]) === undefined)
    return new CelError('list elements must be comparable');
  return new ArrayList(ranked.sort(([a], [b]) => compareValues(a, b) ?? 0).map(([, item]) => item));
}

const T = paramType('T');
const listT = listType(T);

/** The lists extension, version 3. Its overloads use the full names of types. */
export const listsExtension: Library = {
  name: 'cel.lib.ext.lists',
  functions: [
    func('slice', member('list_slice', [listT, INT, INT], listT, slice)),
    func(
      'flatten',
      member('list_flatten', [listType(listT)], listT, (list: ListValue) => flatten(list)),
      member('list_flatten_int', [listType(DYN), INT], listType(DYN), flatten),
    ),
    func(
      'sort',
      ...comparable.map(([, type]) =>
        member(`list_${type.name}_sort`, [listType(type)], listType(type), (list: ListValue) => sortByKeys(list, list)),
      ),
    ),
    func(
      '@sortByAssociatedKeys',
      ...comparable.map(([, type]) =>
        member(`list_${type.name}_sortByAssociatedKeys`, [listT, listType(type)], listT, sortByKeys),
      ),
    ),
    func('lists.range', global('lists_range', [INT], listType(INT), range)),
    func(
      'reverse',
      member('list_reverse', [listT], listT, (list: ListValue) => new ArrayList([...list.items()].reverse())),
    ),
    func('distinct', member('list_distinct', [listT], listT, distinct)),
  ],
};

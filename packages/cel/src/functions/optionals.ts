import { BOOL, listType, mapType, optionalType, paramType } from '../types/type.ts';
import { ArrayList, ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { CelError, Double, isError, noSuchOverload, OptionalValue, Uint, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';

/** True for the zero value of a type: 0, empty containers, the empty string. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === -62135596800n;
  return value instanceof OptionalValue && value.value === undefined;
}

function unwrap(list: ListValue): Value {
  const values: Value[] = [];
  for (const item of list.items()) {
    if (isError(item)) return item;
    if (!(item instanceof OptionalValue)) return noSuchOverload;
    if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
}

const itemOrNone = (list: ListValue, index: number): Value => {
  if (list.size === 0) return OptionalValue.none;
  const item = list.at(index);
  return isError(item) ? item : OptionalValue.of(item);
};

const noValue = new CelError('optional.none() dereference');

const V = paramType('V');
const K = paramType('K');
const optionalV = optionalType(V);
const listV = listType(V);

/** Optional values. `or` and `orValue` evaluate their argument only when needed and are only declared here. */
export const optionalsLibrary: Library = {
  name: 'cel.lib.optional',
  functions: [
    func(
      'optional.of',
      global('optional_of', [V], optionalV, (value: Value) => OptionalValue.of(value)),
    ),
    func(
      'optional.ofNonZeroValue',
      global('optional_ofNonZeroValue', [V], optionalV, (value: Value) =>
        isZero(value) ? OptionalValue.none : OptionalValue.of(value),
      ),
    ),
    func(
      'optional.none',
      global('optional_none', [], optionalV, () => OptionalValue.none),
    ),
    func(
      'value',
      member(
        'optional_value',
        [optionalV],
        V,
        ({ value }: OptionalValue) => value ?? (value === null ? null : noValue),
      ),
    ),
    func(
      'hasValue',
      member('optional_hasValue', [optionalV], BOOL, ({ value }: OptionalValue) => value !== undefined),
    ),
    func(
      'or',
      member('optional_or_optional', [optionalV, optionalV], optionalV, () => noSuchOverload),
    ),
    func(
      'orValue',
      member('optional_orValue_value', [optionalV, V], V, () => noSuchOverload),
    ),
    func(
      'first',
      member('list_first', [listV], optionalV, (list: ListValue) => itemOrNone(list, 0)),
    ),
    func(
      'last',
      member('list_last', [listV], optionalV, (list: ListValue) => itemOrNone(list, list.size - 1)),
    ),
    func('optional.unwrap', global('optional_unwrap', [listType(optionalV)], listV, unwrap)),
    func('unwrapOpt', member('optional_unwrapOpt', [listType(optionalV)], listV, unwrap)),
    func(
      'cel.@mapInsert',
      global('@mapInsert_map_key_value', [mapType(K, V), K, V], mapType(K, V), () => noSuchOverload),
      global('@mapInsert_map_map', [mapType(K, V), mapType(K, V)], mapType(K, V), () => noSuchOverload),
    ),
  ],
};

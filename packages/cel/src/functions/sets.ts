import { BOOL, listType, paramType } from '../types/type.ts';
import type { ListValue } from '../values/list.ts';
import type { Value } from '../values/value.ts';
import { func, global, type Library } from './declare.ts';
import { contains } from './operators.ts';

function containsAll(list: ListValue, wanted: ListValue): Value {
  for (const item of wanted.items()) {
    const found = contains(list, item);
    if (found !== true) return found;
  }
  return true;
}

function areEquivalent(a: ListValue, b: ListValue): Value {
  const found = containsAll(a, b);
  return found === true ? containsAll(b, a) : found;
}

function intersect(a: ListValue, b: ListValue): Value {
  return a.items().some((item) => contains(b, item) === true);
}

const lists = [listType(paramType('T')), listType(paramType('T'))];

/** Functions on lists as sets, which ignore duplicates. */
export const setsLibrary: Library = {
  name: 'cel.lib.ext.sets',
  functions: [
    func('sets.contains', global('list_sets_contains_list', lists, BOOL, containsAll)),
    func('sets.equivalent', global('list_sets_equivalent_list', lists, BOOL, areEquivalent)),
    func('sets.intersects', global('list_sets_intersects_list', lists, BOOL, intersect)),
  ],
};

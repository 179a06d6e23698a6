import { describe, expect, test } from 'vitest';
import { deepCopy, deepEqual, freezeDeep } from './deep.ts';
import { parseJson } from './parse.ts';
import { stringifyJson } from './stringify.ts';

test('deepCopy shares nothing with the original', () => {
  const original = { list: [{ a: 1 }, [2]], object: { b: null }, big: 9007199254740993n };
  const copy = deepCopy(original);
  expect(copy).toEqual(original);
  expect(copy.list).not.toBe(original.list);
  expect(copy.list[0]).not.toBe(original.list[0]);
  expect(copy.list[1]).not.toBe(original.list[1]);
  expect(copy.object).not.toBe(original.object);
});

test('deepCopy keeps an own __proto__ and copies what is in it', () => {
  const original = parseJson('{"__proto__":{"a":[1]}}');
  const copy = deepCopy(original);
  expect(stringifyJson(copy)).toBe('{"__proto__":{"a":[1]}}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.entries(copy as object)[0]?.[1]).not.toBe(Object.entries(original as object)[0]?.[1]);
});

test('deepCopy thaws what was frozen', () => {
  const copy = deepCopy(freezeDeep({ a: { b: [1] } }));
  copy.a.b.push(2);
  expect(copy).toEqual({ a: { b: [1, 2] } });
});

describe('deepEqual', () => {
  const check = (left: unknown, right: unknown, expected: boolean) => {
    expect(deepEqual(left, right)).toBe(expected);
    expect(deepEqual(right, left)).toBe(expected);
  };
  test('scalars', () => check('a', 'a', true));
  test('types differ', () => check('1', 1, false));
  test('null is no object', () => check(null, {}, false));
  test('an empty list is no empty object', () => check([], {}, false));
  test('order of keys does not matter', () => check({ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true));
  test('order of items does', () => check([1, 2], [2, 1], false));
  test('lengths differ', () => check([1], [1, undefined], false));
  test('a key more', () => check({ a: 1 }, { a: 1, b: 2 }, false));
  test('as many keys, other names', () => check({ a: 1, b: 1 }, { a: 1, c: 1 }, false));
  test('undefined is absent', () => check({ a: undefined, b: 1 }, { b: 1, c: undefined }, true));
  test('null is not absent', () => check({ a: null }, {}, false));
  test('a bigint equals the number of its value', () => check(10n ** 17n, 1e17, true));
  test('a bigint differs from the number it rounds to', () => check(9007199254740993n, 9007199254740992, false));
  test('bigints', () => check([9007199254740993n], [9007199254740993n], true));
  test('a fraction is no bigint', () => check(1n, 1.5, false));
  test('an own __proto__ is compared', () => check(parseJson('{"__proto__":{}}'), parseJson('{"a":{}}'), false));
  test('inherited properties are not', () => check({ constructor: {}, a: 1 }, { a: 1, toString: {} }, false));
});

test('freezeDeep freezes everything inside', () => {
  const value = freezeDeep({ a: [{ b: 1 }] });
  expect(() => value.a.push({ b: 2 })).toThrow(TypeError);
  expect(() => Object.assign(value.a[0]!, { b: 2 })).toThrow(TypeError);
});

test('deepCopy copies objects with very many members, an own __proto__ among them', () => {
  const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, { i }]));
  const value = parseJson(stringifyJson(wide).replace('{', '{"__proto__":{"polluted":true},')) as typeof wide;
  const copy = deepCopy(value);
  expect(stringifyJson(copy)).toBe(stringifyJson(value));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(copy.k7).not.toBe(value.k7);
});

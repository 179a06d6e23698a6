import { threadTimer } from '@pintle/async/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonValue, parseJson, stringifyJson } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { pathKey, paths } from '../testing/arbitraries.ts';
import { emptySet, FieldSet } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { type FieldPath, formatPath } from './path-element.ts';

const at = (...names: string[]): FieldPath => names.map((field) => ({ field }));
const keysOf = (set: FieldSet): Set<string> => new Set([...set.paths()].map(pathKey));

describe('FieldSet', () => {
  test('a member says nothing about what is around it or inside it', () => {
    const set = FieldSet.of(at('a'), at('a', 'b', 'c'));
    expect([set.has(at('a')), set.has(at('a', 'b')), set.has(at('a', 'b', 'c')), set.has([])]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(set.size).toBe(2);
  });

  test('difference takes members away, subtractTrees all inside them too', () => {
    const set = FieldSet.of(at('a'), at('a', 'b'), at('c'));
    expect(keysOf(set.difference(FieldSet.of(at('a'))))).toEqual(keysOf(FieldSet.of(at('a', 'b'), at('c'))));
    expect(keysOf(set.subtractTrees(FieldSet.of(at('a'))))).toEqual(keysOf(FieldSet.of(at('c'))));
  });

  test('leaves have no member below them', () => {
    const set = FieldSet.of(at('a'), at('a', 'b'), at('c'));
    expect(keysOf(set.leaves())).toEqual(keysOf(FieldSet.of(at('a', 'b'), at('c'))));
  });

  test('paths come level by level in canonical order', () => {
    const set = FieldSet.of(
      [{ field: 'l' }, { value: 'x' }],
      [{ field: 'l' }, { key: { name: 'b', port: 9 } }],
      [{ field: 'l' }, { key: { name: 'a' } }, { field: 'z' }],
      [{ field: 'l' }, { key: { name: 'b', port: 10 } }],
      [{ field: 'l' }, { value: 10 }],
      [{ field: 'l' }, { value: 9 }],
      at('m'),
    );
    expect([...set.paths()].map(formatPath)).toEqual([
      '.m',
      ...['.l[name="b",port=9]', '.l[name="b",port=10]', '.l[=9]', '.l[=10]', '.l[="x"]', '.l[name="a"].z'],
    ]);
  });

  test('behaves as a set of paths does', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [FieldSet.of(...left), FieldSet.of(...right)];
        const [x, y] = [new Set(left.map(pathKey)), new Set(right.map(pathKey))];
        expect(keysOf(a)).toEqual(x);
        expect(keysOf(a.union(b))).toEqual(new Set([...x, ...y]));
        expect(keysOf(a.intersection(b))).toEqual(new Set([...x].filter((key) => y.has(key))));
        expect(keysOf(a.difference(b))).toEqual(new Set([...x].filter((key) => !y.has(key))));
        expect(a.equals(b)).toBe(x.size === y.size && [...x].every((key) => y.has(key)));
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(a)).toBe(emptySet);
        expect(a.isSubsetOf(b)).toBe([...x].every((key) => y.has(key)));
        expect(a.reusing(b).equals(a)).toBe(true);
        expect(FieldSet.of(...left).reusing(a)).toBe(a);
      }),
    );
  });
});

describe('FieldsV1', () => {
  test('is written as Kubernetes writes it', () => {
    const set = FieldSet.of(
      at('data'),
      at('data', 'b'),
      at('data', 'a'),
      [{ field: 'l' }, { key: { protocol: 'TCP', port: 80 } }],
      [{ field: 'l' }, { value: '<&>' }],
    );
    expect(stringifyJson(encodeFields(set))).toBe(
      '{"f:data":{".":{},"f:a":{},"f:b":{}},"f:l":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{},"v:\\"\\\\u003c\\\\u0026\\\\u003e\\"":{}}}',
    );
  });

  test('comes back as it was', () => {
    fc.assert(
      fc.property(paths, (list) => {
        const set = FieldSet.of(...list);
        const text = stringifyJson(encodeFields(set));
        expect(decodeFields(parseJson(text)).equals(set)).toBe(true);
        expect(stringifyJson(encodeFields(decodeFields(parseJson(text))))).toBe(text);
      }),
    );
  });

  test('has one form for each element', () => {
    const check = (text: string, canonical: string): void =>
      expect(encodeFields(decodeFields({ [text]: {} }))).toEqual({ [canonical]: {} });
    check('k:{"b":1, "a":"x"}', 'k:{"a":"x","b":1}');
    check('v: "x"', 'v:"x"');
    check('v:1.0', 'v:1');
    check('v:9007199254740993', 'v:9007199254740993');
    check('i:01', 'i:1');
  });

  test('passes over kinds of elements it does not know', () => {
    expect(encodeFields(decodeFields({ 'x:later': {}, 'f:a': {} }))).toEqual({ 'f:a': {} });
  });

  test.each<[string, JsonValue]>([
    ['no object', 5],
    ['a value that is no object', { 'f:a': [] }],
    ['an element without a colon', { data: {} }],
    ['an element that is too short', { f: {} }],
    ['a key that is no JSON', { 'k:{': {} }],
    ['a key that is no object', { 'k:5': {} }],
    ['a value that is no JSON', { 'v:x y': {} }],
    ['an index that is no number', { 'i:x': {} }],
  ])('refuses %s', (_, json) => {
    expect(() => decodeFields(json)).toThrow(FieldsError);
  });

  test('ends quickly on hostile input', () => {
    let deep: JsonValue = {};
    for (let i = 0; i < 5_000; i++) deep = { 'f:a': deep };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k:{"name":"${i}\\u0000"}`, {}]));
    const computedMs = threadTimer();
    expect(() => decodeFields(deep)).toThrow(FieldsError);
    const set = decodeFields(wide);
    expect(set.union(decodeFields({ 'f:a': {} })).difference(set).size).toBe(1);
    expect(computedMs()).toBeLessThan(3_000);
  });
});

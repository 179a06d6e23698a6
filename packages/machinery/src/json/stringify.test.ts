import { expect, test } from 'vitest';
import { JsonError } from './json-error.ts';
import { parseJson } from './parse.ts';
import { canonicalJson, encodeJson, stringifyJson } from './stringify.ts';
import type { JsonValue } from './value.ts';

test('stringifyJson writes a bigint as digits, anywhere', () => {
  expect(stringifyJson({ a: [9007199254740993n, 'é"\n', 1.5, null, true], b: -9223372036854775808n })).toBe(
    '{"a":[9007199254740993,"é\\"\\n",1.5,null,true],"b":-9223372036854775808}',
  );
  expect(stringifyJson(9223372036854775807n)).toBe('9223372036854775807');
});

test('stringifyJson leaves out what is undefined, with and without a bigint', () => {
  expect(stringifyJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  expect(stringifyJson({ a: undefined, b: 9007199254740993n, c: [undefined] })).toBe(
    '{"b":9007199254740993,"c":[null]}',
  );
});

test('stringifyJson writes an own __proto__', () => {
  const text = '{"__proto__":{"a":9007199254740993}}';
  expect(stringifyJson(parseJson(text))).toBe(text);
});

test('stringifyJson refuses what is nested too deeply', () => {
  const nest = (inner: JsonValue) => {
    let value = inner;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    return value;
  };
  expect(() => stringifyJson(nest(1))).toThrow(JsonError);
  expect(() => stringifyJson(nest(1n))).toThrow(JsonError);
  expect(() => stringifyJson([1n, nest(1)])).toThrow(JsonError);
  expect(() => canonicalJson(nest(1))).toThrow(JsonError);
});

test('encodeJson gives UTF-8', () => {
  expect(new TextDecoder().decode(encodeJson({ é: '€' }))).toBe('{"é":"€"}');
});

test('canonicalJson does not depend on the order of keys', () => {
  expect(canonicalJson({ b: 1, a: { d: 1n, c: [{ z: 1, y: 2 }] } })).toBe('{"a":{"c":[{"y":2,"z":1}],"d":1},"b":1}');
});

test('canonicalJson orders keys by their bytes, numbers among them', () => {
  expect(canonicalJson({ b: 0, 10: 0, 2: 0, '\u{1f600}': 0, '\uffee': 0, é: 0, '': 0, aa: 0, a: 0 })).toBe(
    '{"":0,"10":0,"2":0,"a":0,"aa":0,"b":0,"é":0,"\uffee":0,"\u{1f600}":0}',
  );
});

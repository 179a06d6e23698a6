import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';
import { parseYaml, parseYamlDocuments, parseYamlStrict } from './parse.ts';
import { YamlError } from './yaml-error.ts';

function failureOf(document: string | Uint8Array): YamlError {
  try {
    parseYaml(document);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error(`Expected a refusal of ${String(document)}`);
}

describe('plain scalars mean what they mean to Kubernetes', () => {
  const check = (expected: JsonValue, ...sources: string[]) => {
    for (const source of sources) expect([source, parseYaml(`a: ${source}`)]).toEqual([source, { a: expected }]);
  };
  test('true', () => check(true, 'true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'y', 'Y'));
  test('false', () => check(false, 'false', 'False', 'FALSE', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'n', 'N'));
  test('null', () => check(null, '', '~', 'null', 'Null', 'NULL'));
  test('octal, old and new', () => check(511, '0777', '0o777', '0O777', '+0777'));
  test('other bases', () => check(31, '0x1F', '0X1f', '0b11111', '0B11111', '31', '+31', '3_1'));
  test('negative', () => check(-15, '-15', '-0xf', '-017', '-0b1111'));
  test('floats', () => check(0.5, '.5', '0.5', '5e-1', '+.5', '0.5_0'));
  test('what looks octal and is not', () => check(8, '08', '8.', '8.0'));
  test('the largest integers', () => check(9223372036854775807n, '9223372036854775807', '0x7fffffffffffffff'));
  test('the smallest integer', () => check(-9223372036854775808n, '-9223372036854775808'));
  test('an integer a double rounds', () => check(9007199254740993n, '9007199254740993'));
  test('beyond 64 bits', () => check(2 ** 64, '18446744073709551616', '0x10000000000000000'));
  test('a float without fraction is an integer by the time it is JSON', () => check(100000000000000000n, '1e17'));
  test('base 60 is text', () => check('190:20:30', '190:20:30'));
  test('a date is text', () => check('2001-01-01', '2001-01-01'));
  test('a time is text', () => check('2001-01-01T00:00:00Z', '2001-01-01T00:00:00Z'));
  test('what overflows is text', () => check('1e400', '1e400'));
  test('quotes make text', () => check('yes', '"yes"', "'yes'", '!!str yes'));
  test('tags', () => check(1, '!!int 1', '!!int "1"', '!!float 1'));
  test('unknown tags', () => check('x', '!thing x', '!!python/object x'));
  test('binary', () => check('hello', '!!binary aGVsbG8='));
});

test('Keys become strings', () => {
  expect(parseYaml('1: a\n1.5: b\ntrue: c\nyes: d\n0x10: e\n1000000.0: f\n2001-01-01: g')).toEqual({
    '1': 'a',
    '1.5': 'b',
    true: 'd',
    '16': 'e',
    '1e+06': 'f',
    '2001-01-01': 'g',
  });
});

describe('refusals have Kubernetes’ words', () => {
  const check = (document: string | Uint8Array, message: string) => expect(failureOf(document).message).toBe(message);
  test('mapping value', () => check('a: b: c', 'yaml: mapping values are not allowed in this context'));
  test('its line', () => check('a\nb: c', 'yaml: line 2: mapping values are not allowed in this context'));
  test('tab before a value', () => check('a:\n\tb: c\n', 'yaml: line 2: found character that cannot start any token'));
  test('tab', () => check('a: v1\n\tb: c\n', 'yaml: line 2: found a tab character that violates indentation'));
  test('tab first', () => check('\ta: b', 'yaml: found character that cannot start any token'));
  test('reserved', () => check('a: @b', 'yaml: found character that cannot start any token'));
  test('open list', () => check('a: [1\n', "yaml: line 1: did not find expected ',' or ']'"));
  test('open empty list', () => check('apiVersion: [\n', 'yaml: line 1: did not find expected node content'));
  test('open map', () => check('a: {b: c', "yaml: line 1: did not find expected ',' or '}'"));
  test('open quote', () => check('a: "b', 'yaml: found unexpected end of stream'));
  test('escape', () => check('a: "\\q"', 'yaml: found unknown escape character'));
  test('list in a map', () => check('a: b\n- c', 'yaml: line 1: did not find expected key'));
  test('map in a list', () => check('- a\nb: c', "yaml: line 1: did not find expected '-' indicator"));
  test('list beside a key', () => check('a: - b', 'yaml: block sequence entries are not allowed in this context'));
  test('no colon', () => check('a: b\nc\nd: e', "yaml: line 3: could not find expected ':'"));
  test('no comma', () => check('["a" "b"]', "yaml: did not find expected ',' or ']'"));
  test('bad indentation', () => check('a:\n  - b\n c: d\n', 'yaml: line 2: did not find expected key'));
  test('an end without a beginning', () => check(']', 'yaml: did not find expected node content'));
  test('a directive without a document', () => {
    check('%TAG ! x\n', 'yaml: line 1: did not find expected <document start>');
  });
  test('anchor', () => check('a: *x', "yaml: unknown anchor 'x' referenced"));
  test('recursion', () => check('a: &x [*x]', "yaml: anchor 'x' value contains itself"));
  test('merge', () => check('<<: 1', 'yaml: map merge requires map or sequence of maps as the value'));
  test('tag', () => check('a: !!float x', 'yaml: cannot decode !!str `x` as a !!float'));
  test('infinity', () => check('a: .inf', 'json: unsupported value: +Inf'));
  test('not a number', () => check('a: .nan', 'json: unsupported value: NaN'));
  test('control character', () => check('a: \x07', 'yaml: control characters are not allowed'));
  test('no UTF-8', () => check(Buffer.of(0x61, 0x3a, 0x20, 0xff), 'yaml: invalid leading UTF-8 octet'));
});

test('Keys that are null, lists or maps are refused', () => {
  for (const document of ['? [a]\n: b', '? {a: b}\n: c', '[a]: b']) {
    expect(failureOf(document).failure.code).toBe('InvalidKey');
  }
  expect(failureOf('[a, 1]: b').message).toBe('yaml: invalid map key: []interface {}{"a", 1}');
  expect(failureOf('~: a').message).toBe('unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"');
});

describe('parseYamlStrict reports keys that occur twice', () => {
  const check = (document: string, ...expected: string[]) =>
    expect(parseYamlStrict(document).duplicates).toEqual(expected);
  test('none', () => check('a: 1\nb: {a: 1}'));
  test('with the line of the later value', () => {
    check('kind: ConfigMap\ndata:\n  a: "1"\n  a:\n    "2"\n', 'line 5: key "a" already set in map');
  });
  test('inner ones first', () => {
    check('a: {b: 1, b: 2}\na: 2', 'line 1: key "b" already set in map', 'line 2: key "a" already set in map');
  });
  test('every time', () => {
    check('a: 1\na: 2\na: 3', 'line 2: key "a" already set in map', 'line 3: key "a" already set in map');
  });
  test('keys that are no strings', () => {
    check('1: a\n1: b\ntrue: c\nyes: d', 'line 2: key 1 already set in map', 'line 4: key true already set in map');
  });
  test('in JSON', () => check('{"a":1,\n"a":2}', 'line 2: key "a" already set in map'));
});

test('The last of several values counts', () => {
  expect(parseYaml('a: 1\na: 2')).toEqual({ a: 2 });
});

test('Anchors stand for what was last anchored before them', () => {
  expect(parseYaml('- &x 1\n- &y [&x 2]\n- &x 3\n- *y\n- *x')).toEqual([1, [2], 3, [2], 3]);
});

test('What an alias stands for is a copy', () => {
  const value = parseYaml('a: &x {b: [1]}\nc: *x') as { a: { b: number[] }; c: { b: number[] } };
  value.a.b.push(2);
  expect(value.c.b).toEqual([1]);
});

test('Merge keys are merged where they stand, and earlier maps of a list win', () => {
  expect(parseYaml('<<: {a: 1, c: 3}\na: 2')).toEqual({ a: 2, c: 3 });
  expect(parseYaml('a: 2\n<<: {a: 1}')).toEqual({ a: 1 });
  expect(parseYaml('<<: [{a: 1}, {a: 2, b: 3}]')).toEqual({ a: 1, b: 3 });
  expect(parseYaml('x: &x {a: 1}\nz: {<<: *x, b: 2}')).toEqual({ x: { a: 1 }, z: { a: 1, b: 2 } });
  expect(parseYaml('"<<": {a: 2}')).toEqual({ '<<': { a: 2 } });
});

test('__proto__ is a key like any other, also when merged', () => {
  const document = '__proto__: &p {polluted: 1}\n<<: {__proto__: {polluted: 2}}\nconstructor: {<<: *p}\n';
  const value = parseYaml(document);
  expect(stringifyJson(value)).toBe('{"__proto__":{"polluted":2},"constructor":{"polluted":1}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('JSON is YAML, with the limits of JSON', () => {
  const document = { kind: 'Thing', list: [1, 'yes', null, { a: 1.5 }], '<<': { b: true } };
  expect(parseYaml(JSON.stringify(document))).toEqual(document);
  expect(parseYaml(`  ${JSON.stringify(document, null, '\t')}\n`)).toEqual(document);
  expect(parseYaml(`[${'0,'.repeat(100_000)}0]`)).toHaveLength(100_001);
  expect(failureOf(`[${'0,'.repeat(300_000)}0]`).failure.code).toBe('TooManyTokens');
});

test('Only the first document is read, and nothing is null', () => {
  expect(parseYaml('# hi\n---\na: b\n---\nc: [')).toEqual({ a: 'b' });
  for (const document of ['', '# nothing', '---\n', '\n\n']) expect(parseYaml(document)).toBeNull();
});

test('parseYamlDocuments reads all documents that hold something', () => {
  expect(parseYamlDocuments('a: 1\n---\n# nothing\n---\nb: 2\n---\n')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(parseYamlDocuments('{"a": 1}\n---\n{"b": 2}\n')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(parseYamlDocuments('')).toEqual([]);
  expect(() => parseYamlDocuments('a: 1\n---\nb: [')).toThrow('yaml: line 3: did not find expected node content');
});

test('Windows line ends and a byte order mark are fine', () => {
  expect(parseYaml('\ufeffa: b\r\nc: |\r\n  d\r\n  e\r\n')).toEqual({ a: 'b', c: 'd\ne\n' });
});

import { describe, expect, test } from 'vitest';
import * as field from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { formatValue, sortedMap } from './format-value.ts';
import { quote } from './quote.ts';

test('FieldPath writes children, positions and keys', () => {
  const path = FieldPath.of('spec', 'containers').index(0).child('env').key('a.b');

  expect(String(path)).toBe('spec.containers[0].env[a.b]');
});

test('FieldPath tells the whole object, a field without a name, as an empty index', () => {
  expect(String(FieldPath.of(''))).toBe('[]');
});

describe('quote prints a string as Go does with %q', () => {
  const cases: [string, string][] = [
    ['plain', '"plain"'],
    ['ümlaut 日本', '"ümlaut 日本"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x7f', '"\\x00\\x7f"'],
    ['\u200b\u00a0', '"\\u200b\\u00a0"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['\ud800', '"\ufffd"'],
    ['<&>', '"<&>"'],
  ];
  test.each(cases)('%j', (text, quoted) => expect(quote(text)).toBe(quoted));

  test('as far as anybody reads it, and no character by halves', () => {
    expect(quote('a'.repeat(64 * 1024))).toHaveLength(64 * 1024 + 2);
    expect(quote('a'.repeat(3_000_000))).toBe(`"${'a'.repeat(64 * 1024)}…"`);
    expect(quote(`a${'🐙'.repeat(64 * 1024)}`)).toBe(`"a${'🐙'.repeat(32 * 1024 - 1)}…"`);
  });
});

describe('formatValue prints values as field errors show them', () => {
  const cases: [unknown, string][] = [
    ['x', '"x"'],
    ['', '""'],
    [-1, '-1'],
    [4294967297, '4294967297'],
    [9007199254740993n, '9007199254740993'],
    [2 ** 63, '9.223372036854776e+18'],
    [1.5, '1.5'],
    [1234567.5, '1.2345675e+06'],
    [0.00001, '1e-05'],
    [true, 'true'],
    [null, 'null'],
    [undefined, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [['Deny', 'Warn'], '["Deny","Warn"]'],
    [{ matchLabels: { app: 'other' } }, '{"matchLabels":{"app":"other"}}'],
    [{ Type: 'Odd', RollingUpdate: null }, '{"Type":"Odd","RollingUpdate":null}'],
    [{ kept: 1, dropped: undefined, big: 9007199254740993n }, '{"kept":1,"big":9007199254740993}'],
    [sortedMap({ b: '1', '2': 'x', '10': 'y' }), '{"10":"y","2":"x","b":"1"}'],
    [['<a>&'], '["\\u003ca\\u003e\\u0026"]'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ];
  for (const [value, text] of cases) test(text, () => expect(formatValue(value)).toBe(text));
});

describe('field errors read as Kubernetes writes them', () => {
  const cases: [field.FieldError, string][] = [
    [field.required('spec.selector'), 'spec.selector: Required value'],
    [
      field.required('metadata.name', 'name or generateName is required'),
      'metadata.name: Required value: name or generateName is required',
    ],
    [
      field.invalid('spec.replicas', -1, 'must be greater than or equal to 0'),
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      field.invalid('spec.rules[1]', field.omitValue, 'one of a and b is required'),
      'spec.rules[1]: Invalid value: one of a and b is required',
    ],
    [field.duplicate('spec.x', { name: 'z' }), 'spec.x: Duplicate value: {"name":"z"}'],
    [field.notFound('spec.volume', 'zz'), 'spec.volume: Not found: "zz"'],
    [
      field.notSupported('spec.type', 'Odd', ['A', 'B']),
      'spec.type: Unsupported value: "Odd": supported values: "A", "B"',
    ],
    [field.tooLong('data', 1048576), 'data: Too long: may not be more than 1048576 bytes'],
    [field.tooLong('data', 1), 'data: Too long: may not be more than 1 byte'],
    [field.tooMany('tags', 4, 3), 'tags: Too many: 4: must have at most 3 items'],
    [field.tooFew('tags', 0, 1), 'tags: Too few: 0: must have at least 1 item'],
    [field.tooShort('name', 2), 'name: Too short: must be at least 2 characters'],
    [field.forbidden('spec', 'may not be changed'), 'spec: Forbidden: may not be changed'],
    [field.internal('spec', 'broken'), 'spec: Internal error: broken'],
    [field.typeInvalid('', 'string', 'must be of type object'), 'Invalid value: "string": must be of type object'],
  ];
  for (const [error, text] of cases) test(text, () => expect(field.describeFieldError(error)).toBe(text));
});

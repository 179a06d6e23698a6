import { describe, expect, test } from 'vitest';
import { JsonError, type JsonFailure } from './json-error.ts';
import { trustedLimits } from './limits.ts';
import { parseJson, parseJsonStrict } from './parse.ts';
import { getPath, type JsonValue } from './value.ts';

function failureOf(document: string | Uint8Array): JsonError {
  try {
    parseJson(document);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error(`Expected a refusal of ${String(document)}`);
}

describe('numbers are what Go makes of them', () => {
  const check = (literal: string, expected: JsonValue) => {
    expect(parseJson(literal)).toBe(expected);
    expect(parseJson(`{"long":1234567890123456789,"value":${literal}}`)).toHaveProperty('value', expected);
  };
  test('a small integer', () => check('7', 7));
  test('the last safe integer', () => check('9007199254740991', 9007199254740991));
  test('the first integer a double rounds', () => check('9007199254740993', 9007199254740993n));
  test('the power of two beside it', () => check('9007199254740992', 9007199254740992n));
  test('the largest 64-bit integer', () => check('9223372036854775807', 9223372036854775807n));
  test('the smallest 64-bit integer', () => check('-9223372036854775808', -9223372036854775808n));
  test('one more than the largest is a double', () => check('9223372036854775808', 2 ** 63));
  test('one less than the smallest is a double', () => check('-9223372036854775809', -(2 ** 63)));
  test('many more digits are a double', () => check('100000000000000000000000', 1e23));
  test('a fraction', () => check('1.25', 1.25));
  test('an exponent makes a double', () => check('1e17', 1e17));
  test('a zero fraction makes a double', () => check('9007199254740993.0', 9007199254740992));
  test('a number too small for a double is zero', () => check('1e-400', 0));
});

test('A number that no double holds is refused, in Go’s words', () => {
  expect(failureOf('{"n":1e400}').message).toBe('json: cannot unmarshal number 1e400 into Go value of type float64');
  expect(failureOf(`[${'9'.repeat(400)}]`).failure.code).toBe('NumberOutOfRange');
});

test('A syntax error is reported before a number that no double holds', () => {
  expect(failureOf('[1e400').message).toBe('unexpected end of JSON input');
});

describe('syntax errors have Go’s words', () => {
  const check = (document: string | Uint8Array, message: string) => {
    expect(failureOf(document).message).toBe(message);
  };
  test('value', () => check('hello', "invalid character 'h' looking for beginning of value"));
  test('comma for a value', () => check('[1,]', "invalid character ']' looking for beginning of value"));
  test('key', () => check('{name:1}', "invalid character 'n' looking for beginning of object key string"));
  test('comma for a key', () => check('{"a":1,}', "invalid character '}' looking for beginning of object key string"));
  test('colon', () => check('{"a"}', "invalid character '}' after object key"));
  test('pair', () => check('{"a":01}', "invalid character '1' after object key:value pair"));
  test('element', () => check('[1 2]', "invalid character '2' after array element"));
  test('top level', () => check('{}[', "invalid character '[' after top-level value"));
  test('control character', () => check('"a\nb"', "invalid character '\\n' in string literal"));
  test('escape', () => check('"\\x"', "invalid character 'x' in string escape code"));
  test('hexadecimal', () => check('"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"));
  test('minus', () => check('-x', "invalid character 'x' in numeric literal"));
  test('fraction', () => check('1.x', "invalid character 'x' after decimal point in numeric literal"));
  test('exponent', () => check('1e+x', "invalid character 'x' in exponent of numeric literal"));
  test('literal', () => check('txue', "invalid character 'x' in literal true (expecting 'r')"));
  test('quote', () => check("'a'", "invalid character '\\'' looking for beginning of value"));
  test('end of a word', () => check('nul', "invalid character ' ' in literal null (expecting 'l')"));
  test('end of a number', () => check('-', "invalid character ' ' in numeric literal"));
  test('end of a string', () => check('{"a', 'unexpected end of JSON input'));
  test('nothing', () => check('', 'unexpected end of JSON input'));
  test('byte order mark', () => check('\ufeff{}', "invalid character 'ï' looking for beginning of value"));
  test('stray byte', () => check(Buffer.of(0x81), "invalid character '\\u0081' looking for beginning of value"));
  test('zero byte', () => check('{\0', "invalid character '\\x00' looking for beginning of object key string"));
});

test('An error has the offset of its byte, also behind text of more bytes than characters', () => {
  const failure: JsonFailure = { code: 'Syntax', offset: 9, byte: 0x78, context: 'after object key:value pair' };
  expect(failureOf('{"é":"€x"x').failure).toEqual({ ...failure, offset: 12 });
  expect(failureOf('{"a":"b" x').failure).toEqual(failure);
});

describe('parseJsonStrict reports fields that occur twice', () => {
  const check = (document: string, ...expected: string[]) => {
    expect(parseJsonStrict(document).duplicates).toEqual(expected);
  };
  test('none', () => check('{"a":{"b":1},"c":{"b":1}}'));
  test('nested', () => check('{"spec":{"replicas":1,"replicas":2}}', 'spec.replicas'));
  test('in a list', () => {
    check('{"spec":{"containers":[{"name":"a"},{"name":"b","name":"c"}]}}', 'spec.containers[1].name');
  });
  test('in a top-level list', () => check('[{"value":"1","value":"2"}]', '[0].value'));
  test('in order of appearance', () => {
    check(
      '{"a":1,"metadata":{"name":"d","name":"e"},"data":{"a":1,"a":2},"data":{}}',
      'metadata.name',
      'data.a',
      'data',
    );
  });
  test('each once', () => check('{"a":1,"a":2,"a":3}', 'a'));
  test('beside a long integer', () => check('{"a":9007199254740993,"a":2}', 'a'));
  test('named __proto__', () => check('{"__proto__":1,"__proto__":{}}', '__proto__'));
  test('not what every object inherits', () => check('{"constructor":1,"toString":2,"__proto__":9007199254740993}'));
  test('written in two ways', () => check('{"a":1,"\\u0061":2}', 'a'));
});

test('At most 100 duplicates are reported', () => {
  const members = Array.from({ length: 150 }, (_, index) => `"k${index}":1,"k${index}":2`);
  expect(parseJsonStrict(`{${members.join()}}`).duplicates).toHaveLength(100);
});

test('The last of several values counts; objects are merged where the caller decodes as Go’s structs do', () => {
  const document = '{"data":{"a":"1","a":"2"},"data":{"b":"3"},"list":[1,2],"list":[3]}';
  expect(parseJson(document)).toEqual({ data: { b: '3' }, list: [3] });
  expect(parseJsonStrict(document).value).toEqual({ data: { b: '3' }, list: [3] });
  expect(parseJson(document, { repeated: 'merge' })).toEqual({ data: { a: '2', b: '3' }, list: [3] });
  expect(parseJsonStrict(document, { repeated: 'merge' }).duplicates).toEqual(['data.a', 'data', 'list']);
});

test('__proto__ is a key like any other, in both parsers', () => {
  for (const number of ['1', '9007199254740993']) {
    const value = parseJson(`{"__proto__":{"polluted":${number}},"constructor":{"prototype":{"polluted":1}}}`);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(getPath(value, '__proto__', 'polluted')).toBe(parseJson(number));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }
});

test('What is no Unicode becomes U+FFFD', () => {
  expect(parseJson('"\\ud800 \\udc00 \\ud83d\\ude00 \\ud800\\u0041"')).toBe('\ufffd \ufffd \u{1f600} \ufffdA');
  expect(parseJson('"\ud800"')).toBe('\ufffd');
  expect(parseJson(Buffer.from([0x22, 0x61, 0xff, 0x62, 0x22]))).toBe('a\ufffdb');
  expect(parseJson('{"\\udfff":9007199254740993}')).toEqual({ '\ufffd': 9007199254740993n });
});

describe('limits', () => {
  const refusal = (document: string) => failureOf(document).failure.code;
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  test('depth', () => {
    expect(() => parseJson(nested(1000))).not.toThrow();
    expect(refusal(nested(1001))).toBe('TooDeep');
    expect(() => parseJson(nested(1001))).toThrow("invalid character '[' exceeded max depth");
    expect(() => parseJson(nested(2000), trustedLimits)).not.toThrow();
  });

  test('tokens, of which those inside strings are none', () => {
    expect(refusal(`[${'0,'.repeat(250_000)}0]`)).toBe('TooManyTokens');
    expect(parseJson(`"${'{'.repeat(300_000)}"`)).toHaveLength(300_000);
    expect(() => parseJson(`[${'0,'.repeat(250_000)}0]`, trustedLimits)).not.toThrow();
  });

  test('bytes', () => {
    expect(refusal(`"${'a'.repeat(3 * 1024 * 1024)}"`)).toBe('TooLarge');
    expect(() => parseJson('"é"', { maxBytes: 4 })).not.toThrow();
    expect(() => parseJson('"é"', { maxBytes: 3 })).toThrow(JsonError);
  });
});

test('A view into a larger buffer is read within its bounds', () => {
  const bytes = new TextEncoder().encode('xx{"a":1}xx');
  expect(parseJson(bytes.subarray(2, 9))).toEqual({ a: 1 });
});

test('numbers that are not written in their shortest form are told, where somebody asks', () => {
  const document = '{"spec":{"replicas":1.0,"ports":[1,2e0,3.5,-4.00,5e-1]},"n":7}';
  expect(parseJsonStrict(document).floats).toBeUndefined();
  expect(parseJsonStrict(document, { reportsFloats: true })).toEqual({
    value: { spec: { replicas: 1, ports: [1, 2, 3.5, -4, 0.5] }, n: 7 },
    duplicates: [],
    floats: new Map([
      ['spec.replicas', '1.0'],
      ['spec.ports[1]', '2e0'],
      ['spec.ports[3]', '-4.00'],
      ['spec.ports[4]', '5e-1'],
    ]),
  });
});

import { describe, expect, test } from 'vitest';
import { describeFieldError } from '../../errors/index.ts';
import type { JsonObject, JsonValue } from '../../json/index.ts';
import { compileSchema } from '../compile.ts';
import { parseSchema } from '../parse-schema.ts';

/** Validates `{ f: value }` against a schema whose one property is `f`, and shows the errors as Kubernetes prints them. */
function check(property: JsonObject, value: JsonValue, previous?: JsonValue): string[] {
  const schema = parseSchema({ type: 'object', properties: { f: property } });
  const options = previous === undefined ? {} : { previous: { f: previous } };
  return compileSchema(schema).validate({ f: value }, options).map(describeFieldError);
}

function table(cases: readonly (readonly [property: JsonObject, value: JsonValue, ...errors: string[]])[]): void {
  test.each(cases.map(([property, value, ...errors]) => ({ property, value, errors })))(
    '$property with $value',
    ({ property, value, errors }) => expect(check(property, value)).toEqual(errors),
  );
}

const string = { type: 'string' };
const integer = { type: 'integer' };

describe('types', () => {
  table([
    [string, 'a'],
    [integer, 5],
    [{ type: 'number' }, 5],
    [string, 5, 'f: Invalid value: "integer": f in body must be of type string: "integer"'],
    [string, null, 'f: Invalid value: "null": f in body must be of type string: "null"'],
    [{ ...string, nullable: true }, null],
    [integer, '5', 'f: Invalid value: "string": f in body must be of type integer: "string"'],
    [
      integer,
      1.5,
      'f: Invalid value: "number": f in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
    ],
    [{ type: 'object' }, ['x'], 'f: Invalid value: "array": f in body must be of type object: "array"'],
    [{ 'x-kubernetes-int-or-string': true }, 5],
    [{ 'x-kubernetes-int-or-string': true }, '5'],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      'f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"',
    ],
  ]);

  test('integers are 64 bits wide and no wider', () => {
    expect(check({ ...integer, format: 'int64' }, 9223372036854775807n)).toEqual([]);
    expect(check({ ...integer, format: 'int64' }, 2 ** 63)).toEqual([
      'f: Invalid value: "float64": f in body must be of type int64: "float64"',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in f',
    ]);
    expect(check({ ...integer, format: 'int32' }, 2 ** 31)).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f',
    ]);
  });

  test('a value of the wrong kind is measured by the format, but a list is not', () => {
    const date = { ...string, format: 'date' };
    expect(check(date, 5)).toEqual(['f: Invalid value: "int64": f in body must be of type date: "int64"']);
    expect(check(date, ['x'])).toEqual([]);
  });
});

describe('numbers', () => {
  table([
    [{ ...integer, minimum: 2 }, 1, 'f: Invalid value: 1: f in body should be greater than or equal to 2'],
    [{ ...integer, maximum: 9 }, 10, 'f: Invalid value: 10: f in body should be less than or equal to 9'],
    [{ ...integer, minimum: 2, exclusiveMinimum: true }, 2, 'f: Invalid value: 2: f in body should be greater than 2'],
    [
      { type: 'number', maximum: 9.5, exclusiveMaximum: true },
      9.5,
      'f: Invalid value: 9.5: f in body should be less than 9.5',
    ],
    [
      { type: 'number', maximum: 9.5, exclusiveMaximum: true },
      100,
      'f: Invalid value: 100: f in body should be less than 9',
    ],
    [{ ...integer, multipleOf: 5 }, -15],
    [{ ...integer, multipleOf: 5 }, 7, 'f: Invalid value: 7: f in body should be a multiple of 5'],
    [{ type: 'number', multipleOf: 0.1 }, 0.7],
    [{ type: 'number', multipleOf: 0.1 }, 0.75, 'f: Invalid value: 0.75: f in body should be a multiple of 0.1'],
    [{ ...integer, multipleOf: 0 }, 7, 'f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0'],
    [
      { ...integer, minimum: 1.5 },
      3,
      '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in f',
    ],
    [
      { type: 'number', minimum: 0.00001 },
      0.000001,
      'f: Invalid value: 1e-06: f in body should be greater than or equal to 1e-05',
    ],
  ]);

  test('a bound beside a fraction is printed as the float it is in Go', () => {
    const schema = { type: 'number', maximum: 1_000_000 };
    expect(check(schema, 1_000_000.5)).toEqual([
      'f: Invalid value: 1.0000005e+06: f in body should be less than or equal to 1e+06',
    ]);
    expect(check(schema, 1_000_001)).toEqual([
      'f: Invalid value: 1000001: f in body should be less than or equal to 1000000',
    ]);
  });

  test('bounds are doubles, which integers are compared with as with integers', () => {
    const schema = { ...integer, maximum: 9007199254740993n };
    expect(check(schema, 9007199254740992n)).toEqual([]);
    expect(check(schema, 9007199254740993n)).toEqual([
      'f: Invalid value: 9007199254740993: f in body should be less than or equal to 9007199254740992',
    ]);
  });

  test('a bound beyond 64 bits is the least integer to integers, and itself to others', () => {
    const schema = { type: 'number', maximum: 1e30 };
    expect(check(schema, 1.5)).toEqual([]);
    expect(check(schema, 1)).toEqual([
      'f: Invalid value: 1: f in body should be less than or equal to -9223372036854775808',
    ]);
  });

  test('the largest integer is, as a double, a bound that no integer can be compared with', () => {
    expect(check({ ...integer, maximum: 9223372036854775807n }, 1)).toEqual([
      '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in f',
    ]);
  });

  test('an integer that is compared with a fraction of its own type is shown as a double', () => {
    expect(check({ ...integer, maximum: 2.5 }, 2147483648)).toContain(
      'f: Invalid value: 2.147483648e+09: f in body should be less than or equal to 2.5',
    );
  });

  test('what is beyond exact integers is a multiple of nothing', () => {
    expect(check({ type: 'number', multipleOf: 1 }, 1e30)).toEqual([
      'f: Invalid value: 1e+30: f in body should be a multiple of 1',
    ]);
  });
});

describe('strings', () => {
  table([
    [{ ...string, maxLength: 4 }, '😀😀😀😀'],
    [{ ...string, maxLength: 4 }, '😀😀😀😀😀', 'f: Too long: may not be more than 4 bytes'],
    [{ ...string, maxLength: -1 }, '', 'f: Too long: value is too long'],
    [{ ...string, minLength: 2 }, '😀', 'f: Invalid value: "😀": f in body should be at least 2 chars long'],
    [{ ...string, maxLength: 2, pattern: '^x' }, 'abc', 'f: Too long: may not be more than 2 bytes'],
    [{ ...string, pattern: 'b+' }, 'xxbbxx'],
    [{ ...string, pattern: 'a$' }, 'a\n', `f: Invalid value: "a\\n": f in body should match 'a$'`],
    [
      { ...string, pattern: 'a(b' },
      'ab',
      'f: Invalid value: "ab": f in body should match \'a(b, but pattern is invalid: error parsing regexp: missing closing ): `a(b`\'',
    ],
    [{ ...string, format: 'ipv4' }, '::1', 'f: Invalid value: "::1": f in body must be of type ipv4: "::1"'],
    [{ ...string, format: 'colour' }, 'anything'],
  ]);
});

describe('enums', () => {
  table([
    [{ ...string, enum: ['red', ''] }, ''],
    [{ ...string, enum: ['red', ''] }, 'Red', 'f: Unsupported value: "Red": supported values: "red", ""'],
    [{ ...integer, enum: [1, 2] }, 4, 'f: Unsupported value: 4: supported values: "1", "2"'],
    [{ type: 'number', enum: [1, 2] }, 1.5],
    [{ type: 'number', enum: [1, 2] }, 3.5, 'f: Unsupported value: 3.5: supported values: "1", "2"'],
    [
      { type: 'object', enum: [{ a: 1 }, {}] },
      { b: 1, a: 1 },
      'f: Unsupported value: {"a":1,"b":1}: supported values: "{\\"a\\":1}", "{}"',
    ],
    [
      { type: 'object', enum: [{ a: '&' }] },
      { a: '<' },
      'f: Unsupported value: {"a":"\\u003c"}: supported values: "{\\"a\\":\\"\\\\u0026\\"}"',
    ],
    [
      { ...string, nullable: true, enum: ['a', null] },
      null,
      'f: Unsupported value: null: supported values: "a", "null"',
    ],
  ]);
});

describe('objects and lists', () => {
  const list = { type: 'array', items: string };
  const map = { type: 'object', additionalProperties: integer };
  table([
    [{ ...list, minItems: 1 }, [], 'f: Invalid value: 0: f in body should have at least 1 items'],
    [{ ...list, maxItems: 1 }, ['a', 'b'], 'f: Too many: 2: must have at most 1 item'],
    [{ ...list, maxItems: -1 }, [], 'f: Too many: 0: has too many items'],
    [list, ['a', 2], 'f[1]: Invalid value: "integer": f[1] in body must be of type string: "integer"'],
    [{ ...map, minProperties: 1 }, {}, 'f: Invalid value: 0: f in body should have at least 1 properties'],
    [{ ...map, maxProperties: 1 }, { a: 1, b: 2 }, 'f: Too many: 2: must have at most 1 item'],
    [map, { 'my.key': 'x' }, 'f.my.key: Invalid value: "string": f.my.key in body must be of type integer: "string"'],
    [{ type: 'object', required: ['a', 'b'] }, { a: 1 }, 'f.b: Required value'],
    [
      { type: 'object', additionalProperties: false },
      { a: 1 },
      'f: Invalid value: "a": f.a in body is a forbidden property',
    ],
    [{ ...list, uniqueItems: true }, ['a', 'a'], `f: Invalid value: "": f in body shouldn't contain duplicates`],
  ]);
});

describe('sets and keyed lists', () => {
  const set = { type: 'array', items: string, 'x-kubernetes-list-type': 'set' };
  const item = { type: 'object', properties: { port: integer, protocol: string } };
  const keyed = (...keys: string[]) => ({
    type: 'array',
    items: item,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  });
  table([
    [set, ['a', 'b', 'b', 'a', 'a'], 'f[2]: Duplicate value: "b"', 'f[3]: Duplicate value: "a"'],
    [keyed('port'), [{ port: 1 }, { port: 2 }]],
    [keyed('port'), [{ port: 1 }, { port: 1 }], 'f[1]: Duplicate value: {"port":1}'],
    [
      keyed('port', 'protocol'),
      [
        { port: 1, protocol: 'UDP' },
        { protocol: 'UDP', port: 1 },
      ],
      'f[1]: Duplicate value: {"port":1,"protocol":"UDP"}',
    ],
    [keyed('port'), [{}, {}], 'f[1]: Duplicate value: {}'],
    [{ type: 'object', additionalProperties: set }, { p: ['a', 'a'] }, 'f[p][1]: Duplicate value: "a"'],
  ]);
});

describe('combinators', () => {
  const any = { ...string, anyOf: [{ pattern: '^a' }, { maxLength: 1 }] };
  const one = { ...string, oneOf: [{ pattern: '^a' }, { maxLength: 1 }] };
  const all = { ...string, allOf: [{ pattern: '^a' }, { maxLength: 3 }] };
  const notA = `f: Invalid value: "xyz": f in body should match '^a'`;
  table([
    [any, 'abc'],
    [any, 'xyz', '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)', notA],
    [
      one,
      'a',
      '<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [one, 'xyz', '<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found none valid', notA],
    [
      all,
      'abcd',
      'f: Too long: may not be more than 3 bytes',
      '<nil>: Invalid value: "": "f" must validate all the schemas (allOf)',
    ],
    [{ ...string, not: { pattern: '^a' } }, 'a', '<nil>: Invalid value: "": "f" must not validate the schema (not)'],
  ]);

  test('of failed alternatives, the one that came furthest is explained', () => {
    const kind = {
      type: 'object',
      properties: { type: string, size: integer },
      anyOf: [{ properties: { type: { enum: ['x'] } } }, { properties: { size: { minimum: 10 } }, required: ['size'] }],
    };
    expect(check(kind, { type: 'y', size: 1 })[1]).toBe(
      'f.size: Invalid value: 1: f.size in body should be greater than or equal to 10',
    );
    expect(check(kind, { type: 'y' })[1]).toBe('f.type: Unsupported value: "y": supported values: "x"');
  });

  test('what several alternatives say is said once', () => {
    const twice = { ...string, allOf: [{ maxLength: 1 }, { maxLength: 1 }] };
    expect(check(twice, 'ab')).toEqual([
      'f: Too long: may not be more than 1 byte',
      '<nil>: Invalid value: "": "f" must validate all the schemas (allOf). None validated',
    ]);
  });
});

describe('embedded objects', () => {
  const embedded = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  table([
    [embedded, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'A_B' } }],
    [embedded, {}, 'f.apiVersion: Required value', 'f.kind: Required value'],
    [embedded, { apiVersion: 'v1', kind: '' }, 'f.kind: Invalid value: "": must not be empty'],
    [
      embedded,
      { apiVersion: 'a/b/c', kind: 'Pod' },
      'f.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      embedded,
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'a.b' } },
      'f.metadata.namespace: Invalid value: "a.b": must not contain dots',
    ],
  ]);
});

describe('an update', () => {
  const object = { type: 'object', properties: { x: { ...string, maxLength: 2 }, y: string }, required: ['y'] };

  test('does not repeat what was wrong before and has not changed', () => {
    expect(check({ ...string, maxLength: 2 }, 'LONG', 'LONG')).toEqual([]);
    expect(check({ ...string, maxLength: 2 }, 'LONG', 'long')).toHaveLength(1);
    expect(check(object, { x: 'LONG', y: 'new' }, { x: 'LONG' })).toEqual([]);
    expect(check(object, { x: 'other' }, { x: 'LONG' })).toEqual([
      'f.x: Too long: may not be more than 2 bytes',
      'f.y: Required value',
    ]);
  });

  test('knows the items of keyed lists again by their keys, those of other lists only all together', () => {
    const item = { type: 'object', properties: { name: string, v: { ...string, maxLength: 2 } } };
    const atomic = { type: 'array', items: item };
    const keyed = { ...atomic, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const [bad, good] = [
      { name: 'a', v: 'LONG' },
      { name: 'b', v: 'x' },
    ];
    expect(check(keyed, [good, bad], [bad, good])).toEqual([]);
    expect(check(keyed, [{ ...bad, name: 'c' }, good], [bad, good])).toEqual([
      'f[0].v: Too long: may not be more than 2 bytes',
    ]);
    expect(check(atomic, [bad, good], [bad, good])).toEqual([]);
    expect(check(atomic, [bad, { ...good, v: 'y' }], [bad, good])).toEqual([
      'f[0].v: Too long: may not be more than 2 bytes',
    ]);
  });

  test('looks at all of a value by its combinators when any of it has changed', () => {
    const parts = { type: 'object', properties: { a: string, b: string } };
    const short = { properties: { a: { maxLength: 2 } } };
    const changed = (schema: JsonObject) => check(schema, { a: 'LONG', b: 'y' }, { a: 'LONG', b: 'x' });
    const tooLong = 'f.a: Too long: may not be more than 2 bytes';
    const none = '<nil>: Invalid value: "": "f" must validate';
    expect(changed({ ...parts, allOf: [short] })).toEqual([tooLong, `${none} all the schemas (allOf). None validated`]);
    expect(changed({ ...parts, anyOf: [short] })).toEqual([`${none} at least one schema (anyOf)`, tooLong]);
    expect(changed({ ...parts, oneOf: [short] })).toHaveLength(2);
    expect(changed({ ...parts, not: { properties: { a: { minLength: 2 } } } })).toHaveLength(1);
    const kept = { a: 'LONG', b: 'x' };
    expect(check({ ...parts, allOf: [short] }, kept, kept)).toEqual([]);
  });

  test('holds nothing against a map that an alternative forbids, as long as the map is kept', () => {
    const map = { type: 'object', additionalProperties: { type: 'object', additionalProperties: string } };
    const narrow = { ...map, oneOf: [{ properties: { b: { maxProperties: 0 } } }] };
    expect(check(narrow, { b: { a: '' } }, { b: { a: '' } })).toEqual([]);
    expect(check(narrow, { b: { a: '' }, c: {} }, { b: { a: '' } })).toHaveLength(2);
  });

  test('always looks at an object with a field that is not declared', () => {
    const open = { type: 'object', required: ['a'], 'x-kubernetes-preserve-unknown-fields': true };
    expect(check(open, { b: 1 }, { b: 1 })).toEqual(['f.a: Required value']);
    expect(check({ ...open, properties: { b: integer } }, { b: 1 }, { b: 1 })).toEqual([]);
  });

  test('always looks at the items of a keyed list that lack a key, and at such a list', () => {
    const item = { type: 'object', properties: { k: string, v: integer }, required: ['k'] };
    const keyed = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    expect(check(keyed, [{ v: 1 }], [{ v: 1 }])).toEqual(['f[0].k: Required value']);
    expect(check({ ...keyed, maxItems: 0 }, [{ k: 'a' }], [{ k: 'a' }])).toEqual([]);
    expect(check({ ...keyed, maxItems: 0 }, [{ v: 1 }], [{ v: 1 }])).toContain(
      'f: Too many: 1: must have at most 0 items',
    );
  });

  test('may keep duplicates an object has, but not bring in the first ones', () => {
    const set = { type: 'array', items: string, 'x-kubernetes-list-type': 'set' };
    expect(check(set, ['a', 'a', 'b'], ['a', 'a'])).toEqual([]);
    expect(check(set, ['a', 'a'], ['a'])).toEqual(['f[1]: Duplicate value: "a"']);
  });

  test('always looks at what an object is', () => {
    const schema = parseSchema({ type: 'object', properties: { kind: { ...string, enum: ['A'] } } });
    expect(compileSchema(schema).validate({ kind: 'B', x: 1 }, { previous: { kind: 'B', x: 2 } })).toHaveLength(1);
  });
});

test('a path goes before fields, while messages keep to the value', () => {
  const schema = parseSchema({ type: 'object', properties: { state: string } });
  const validate = (value: JsonValue) =>
    compileSchema(schema).validate(value, { path: 'status' }).map(describeFieldError);
  expect(validate('x')).toEqual(['status: Invalid value: "string":  in body must be of type object: "string"']);
  expect(validate({ state: 1 })).toEqual([
    'status.state: Invalid value: "integer": state in body must be of type string: "integer"',
  ]);
});

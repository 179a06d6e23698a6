import { describe, expect, test } from 'vitest';
import { describeFieldError } from '../../errors/index.ts';
import type { JsonObject } from '../../json/index.ts';
import { finish } from '../../rules/steps.ts';
import { surveySchemas } from './survey.ts';
import { validateStructural, validateStructuralInSteps } from './validate-structural.ts';

/** The errors of a whole schema, with `openAPIV3Schema` shortened to `$`. */
const checkRoot = (schema: JsonObject) => validateStructural(schema, '$').map(describeFieldError);

const field = (f: JsonObject): JsonObject => ({ type: 'object', properties: { f } });

/** The errors of a schema whose one property is `f`, with the path to `f` shortened to `f`. */
const checkField = (f: JsonObject) =>
  checkRoot({ type: 'object', properties: { f } }).map((text) => text.replaceAll('$.properties[f]', 'f'));

const list = (more: JsonObject, items: JsonObject = { type: 'string' }) => ({ type: 'array', items, ...more });
const item = (more: JsonObject = {}) => ({ type: 'object', properties: { name: { type: 'string' } }, ...more });
const set = { 'x-kubernetes-list-type': 'set' };
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const resource = { 'x-kubernetes-embedded-resource': true };
const keep = { 'x-kubernetes-preserve-unknown-fields': true };
const intOrString = { 'x-kubernetes-int-or-string': true };

function fields(cases: readonly (readonly [schema: JsonObject, ...errors: string[]])[]): void {
  test.each(cases.map(([schema, ...errors]) => ({ schema, errors })))('$schema', ({ schema, errors }) => {
    expect(checkField(schema)).toEqual(errors);
  });
}

describe('types', () => {
  fields([
    [{ type: 'string' }],
    [keep],
    [{ minLength: 1 }, 'f.type: Required value: must not be empty for specified object fields'],
    [{ type: 'array' }, 'f.items: Required value: must be specified'],
    [list({}, {}), 'f.items.type: Required value: must not be empty for specified array items'],
    [
      { type: 'int' },
      'f.type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
    [
      { ...item(), additionalProperties: { type: 'string' } },
      'f.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [{ ...item(), additionalProperties: true }],
    [
      { type: 'string', pattern: 'a(b' },
      'f.pattern: Invalid value: "a(b": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `a(b`',
    ],
  ]);
});

describe('keywords', () => {
  fields([
    [{ $ref: '#/x' }, 'f.$ref: Forbidden: $ref is not supported'],
    [{ type: 'string', id: 'x' }, 'f.id: Forbidden: id is not supported'],
    [
      { type: 'string', definitions: { d: { id: 'x' } }, dependencies: { e: { id: 'x' } } },
      'f.definitions: Forbidden: definitions is not supported',
      'f.dependencies: Forbidden: dependencies is not supported',
      'f.definitions[d].id: Forbidden: id is not supported',
      'f.dependencies[e].id: Forbidden: id is not supported',
    ],
    [list({ items: [{ type: 'string' }] }), 'f.items: Forbidden: items must be a schema object and not an array'],
    [
      list({ items: [{ type: 'string', id: 'x' }] }),
      'f.items: Forbidden: items must be a schema object and not an array',
      'f.items[0].id: Forbidden: id is not supported',
    ],
    [
      { type: 'string', pattern: 'a\\' },
      'f.pattern: Invalid value: "a\\\\": must be a valid regular expression, but isn\'t: error parsing regexp: trailing backslash at end of expression: ``',
    ],
    [{ 'x-kubernetes-int-or-string': true, default: true }],
    [
      list({ uniqueItems: true }),
      'f.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      'f.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
    [
      { type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] },
      'f.x-kubernetes-validations[0].rule: Required value: rule is not specified',
    ],
  ]);
});

describe('combinators', () => {
  fields([
    [{ type: 'string', anyOf: [{ type: 'string' }] }, 'f.anyOf[0].type: Forbidden: must be empty to be structural'],
    [{ type: 'string', not: { default: 'x' } }, 'f.not.default: Forbidden: must be undefined to be structural'],
    [
      { type: 'string', not: { 'x-kubernetes-map-type': '' } },
      'f.not.x-kubernetes-map-type: Forbidden: must be undefined to be structural',
      'f.not.type: Required value: must be object if x-kubernetes-map-type is specified',
      'f.not.x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"',
    ],
    [{ type: 'object', not: { additionalProperties: false } }],
    [
      { type: 'object', not: { additionalProperties: true } },
      'f.not.additionalProperties: Forbidden: must be undefined to be structural',
    ],
    [{ ...intOrString, anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    [{ ...intOrString, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'x' }] }],
    [
      { ...intOrString, anyOf: [{ type: 'string' }, { type: 'integer' }] },
      'f.anyOf[0].type: Forbidden: must be empty to be structural',
      'f.anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  ]);

  test('what the root speaks of in a combinator must be specified outside', () => {
    const spec = (properties: JsonObject) => ({ spec: { type: 'object', properties } });
    expect(
      checkRoot({
        type: 'object',
        properties: spec({ known: { type: 'string' } }),
        anyOf: [{ properties: { spec: { properties: { known: { minLength: 1 }, unknown: { minLength: 1 } } } } }],
      }),
    ).toEqual([
      '$.properties[spec].properties[unknown]: Required value: because it is defined in $.anyOf[0].properties[spec].properties[unknown]',
    ]);
  });
});

describe('lists', () => {
  fields([
    [list(set)],
    [
      list(set, item()),
      'f.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
    [list(keyed, item({ required: ['name'] }))],
    [
      list(keyed, item()),
      'f.items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      list({ 'x-kubernetes-list-map-keys': ['name'] }, item()),
      'f.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
    [
      list({ 'x-kubernetes-list-type': 'bag' }),
      'f.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
  ]);
});

describe('defaults', () => {
  fields([
    [{ type: 'string', default: null }],
    [{ type: 'string', default: 5 }, 'f.default: Invalid value: "integer":  in body must be of type string: "integer"'],
    [
      item({ default: { name: 'x', b: 1 } }),
      'f.default: Invalid value: {"b":1,"name":"x"}: must not have unknown fields',
    ],
    [item({ required: ['name'], default: {} }), 'f.default.name: Required value'],
    [
      { type: 'string', format: 'foo', default: 5 },
      'f.default: Invalid value: "int64":  in body must be of type foo: "int64"',
    ],
    [{ type: 'string', format: 'foo', default: ['x'] }],
    [
      { type: 'boolean', format: 'int64', default: 5 },
      'f.default: Invalid value: "integer":  in body must be of type boolean: "integer"',
    ],
    [item({ properties: { name: intOrString }, default: { name: true } })],
    [
      item({ properties: { name: { type: 'string', ...intOrString } }, default: { name: 5 } }),
      'f.default.name: Invalid value: "integer": name in body must be of type string: "integer"',
    ],
    [
      { type: 'null', default: {} },
      'f.default: Invalid value: "object":  in body must be of type null: "object"',
      'f.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      'f.type: Forbidden: type cannot be set to null, use nullable as an alternative',
    ],
    [{ type: 'object', ...resource, ...keep, default: { apiVersion: 'v1' } }, 'f.default.kind: Required value'],
  ]);
});

test('the root is an object that leaves metadata to the server', () => {
  const metadata = (properties: JsonObject) => ({
    type: 'object',
    properties: { metadata: { type: 'object', properties } },
  });
  expect(checkRoot({})).toEqual(['$.type: Required value: must not be empty at the root']);
  expect(checkRoot({ type: 'object', nullable: true })).toEqual([
    '$.nullable: Forbidden: nullable cannot be true at the root',
  ]);
  expect(checkRoot(metadata({ name: { type: 'string', maxLength: 5 } }))).toEqual([]);
  expect(checkRoot(metadata({ labels: { type: 'object' } }))).toEqual([
    '$.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
  ]);
  for (const more of [{ maxProperties: 0 }, { example: 1 }, { required: [] }, { additionalProperties: false }]) {
    expect(checkRoot({ type: 'object', properties: { metadata: { type: 'object', ...more } } })).toEqual([
      '$.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  }
  expect(checkRoot(metadata({ name: { type: 'string', default: 'x' } }))).toEqual([
    '$.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
  ]);
});

test('formats that mean nothing for their type are listed once', () => {
  const schema = {
    type: 'object',
    format: 'uuid',
    properties: {
      a: { type: 'string', format: 'colour' },
      b: { type: 'string', format: 'colour' },
      c: { type: 'string', format: 'date' },
    },
  };
  expect([...surveySchemas([schema]).unknownFormats]).toEqual(['uuid', 'colour']);
});

test('validateStructuralInSteps pauses after each pattern', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`p${i}`, { type: 'string', pattern: `^x${i}$` }]),
  );
  const steps = [...validateStructuralInSteps({ type: 'object', properties }, '$')];
  expect(steps.length).toBeGreaterThanOrEqual(50);
});

test('a schema whose keywords are misused is structural all the same', () => {
  const { isStructural, keywordErrors } = finish(
    validateStructuralInSteps(field({ ...list({}), uniqueItems: true }), '$'),
  );
  expect(isStructural).toBe(true);
  expect(keywordErrors.map(({ field: at }) => at)).toEqual(['$.properties[f].uniqueItems']);
  const inner = { type: 'string', allOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] };
  expect(finish(validateStructuralInSteps(field(inner), '$')).isStructural).toBe(false);
});

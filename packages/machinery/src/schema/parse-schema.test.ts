import { expect, test } from 'vitest';
import type { JsonObject } from '../json/index.ts';
import { parseSchema } from './parse-schema.ts';
import { printSchema } from './print-schema.ts';

const definition: JsonObject = {
  type: 'object',
  description: 'A widget.',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', format: 'int64', minimum: 1, maximum: 9007199254740993n, default: 5 },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        tags: { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' },
        labels: { type: 'object', additionalProperties: { type: 'string', not: { enum: ['x'] } } },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        rules: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""', optionalOldSelf: true }] },
        open: { type: 'object', additionalProperties: true, 'x-kubernetes-map-type': 'atomic' },
      },
    },
  },
};

test('what is parsed can be printed again', () => {
  expect(printSchema(parseSchema(definition))).toEqual(definition);
});

test('extensions have names of their own in the model', () => {
  const schema = parseSchema({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-embedded-resource': true,
  });
  expect(schema).toEqual({ type: 'array', listType: 'map', listMapKeys: ['name'], embeddedResource: true });
});

test('what the model cannot hold is left out', () => {
  expect(parseSchema({ type: '', default: null, $ref: '#/x', items: [{}], example: 1, enum: [] })).toEqual({});
});

test('a type that nobody knows is one that no value is of', () => {
  expect(parseSchema({ type: 'int' })).toEqual({ type: 'int' });
});

test('a property may have any name', () => {
  const json = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}');
  const schema = parseSchema(json);
  expect(Object.keys(schema.properties!)).toEqual(['__proto__', 'constructor']);
  expect(JSON.stringify(printSchema(schema))).toBe(JSON.stringify(json));
});

import { expect, test } from 'vitest';
import type { Schema } from './schema.ts';
import { fieldSchema, itemSchema, listMapKeysOf, listTypeOf, mapTypeOf, schemaNodeOf } from './schema-node.ts';

const text: Schema = { type: 'string' };

test('a walker finds fields, map values and items', () => {
  expect(fieldSchema({ properties: { a: text } }, 'a')).toBe(text);
  expect(fieldSchema({ properties: { a: text } }, 'constructor')).toBeUndefined();
  expect(fieldSchema({ additionalProperties: text }, 'constructor')).toBe(text);
  expect(fieldSchema({ additionalProperties: true }, 'a')).toBeUndefined();
  expect(itemSchema({ type: 'array', items: text })).toBe(text);
});

test('lists are atomic and objects granular unless they say otherwise', () => {
  expect([listTypeOf({ type: 'array' }), mapTypeOf({ type: 'object' })]).toEqual(['atomic', 'granular']);
  const keyed: Schema = { type: 'array', listType: 'map', listMapKeys: ['name'] };
  expect([listTypeOf(keyed), listMapKeysOf(keyed)]).toEqual(['map', ['name']]);
});

test('a schema that contains itself gives a node that does', () => {
  const properties: Record<string, Schema> = {};
  const schema: Schema = { type: 'object', properties };
  properties.again = schema;
  expect(schemaNodeOf(schema).properties.get('again')).toBe(schemaNodeOf(schema));
});

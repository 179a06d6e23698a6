import { expect, test } from 'vitest';
import type { JsonObject } from '../json/index.ts';
import { compileSchema } from './compile.ts';
import { parseSchema } from './parse-schema.ts';

const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const schema = parseSchema({
  type: 'object',
  properties: {
    one: embedded,
    list: { type: 'array', items: embedded },
    map: { type: 'object', additionalProperties: embedded },
  },
});
const coerce = (value: JsonObject) => compileSchema(schema).coerce(value, { isResourceRoot: true });

test('metadata is read like that of any object, at the root and in embedded objects', () => {
  const metadata = { name: 'a', zzz: 1, labels: {}, creationTimestamp: null };
  const value = { metadata, one: { metadata }, list: [{ metadata }], map: { k: { metadata } } };
  expect(coerce(value)).toEqual({
    unknown: ['list[0].metadata.zzz', 'map[k].metadata.zzz', 'metadata.zzz', 'one.metadata.zzz'],
  });
  const read = { metadata: { name: 'a' } };
  expect(value).toEqual({ ...read, one: read, list: [read], map: { k: read } });
});

test('what cannot be read is explained in the words of the decoder', () => {
  const type = 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
  expect(coerce({ metadata: { labels: { a: 1 } } }).problem).toBe(type);
  expect(coerce({ one: { metadata: { labels: { a: 1 } } } }).problem).toBe(
    `one.metadata: Invalid value: {"labels":{"a":1}}: ${type}`,
  );
  expect(coerce({ one: { kind: 5 } }).problem).toBe('one.kind: Invalid value: 5: must be a string');
  expect(coerce({ metadata: 'x' }).problem).toBe('json: cannot unmarshal string into Go value of type v1.ObjectMeta');
});

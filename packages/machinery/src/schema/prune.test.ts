import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../json/index.ts';
import { compileSchema } from './compile.ts';
import { parseSchema } from './parse-schema.ts';
import type { PruneOptions } from './prune.ts';

const string = { type: 'string' };
const keep = { 'x-kubernetes-preserve-unknown-fields': true };

function check(schema: JsonObject, value: JsonValue, left: JsonValue, unknown: string[], options?: PruneOptions): void {
  expect(compileSchema(parseSchema(schema)).prune(value, options)).toEqual({ unknown });
  expect(value).toEqual(left);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const map = (values: JsonValue): JsonObject => ({ type: 'object', additionalProperties: values });

test('fields that are not specified go, wherever they are', () => {
  check(object({ a: string }), { a: 'x', zzz: { b: 1 } }, { a: 'x' }, ['zzz']);
  check(object({ l: list(object({ c: string })) }), { l: [{ c: 'x' }, { z: 1 }] }, { l: [{ c: 'x' }, {}] }, ['l[1].z']);
  check(object({ m: map(object({ d: string })) }), { m: { k: { d: 'x', z: 1 } } }, { m: { k: { d: 'x' } } }, ['m.k.z']);
});

test('their paths come sorted', () => {
  check(object({ b: object({}) }), { zz: 1, b: { z: 1 }, a: 1 }, { b: {} }, ['a', 'b.z', 'zz']);
});

test('a map keeps its keys, even when nothing is said of the values', () => {
  check(map(true), { a: 1, b: { c: 1 }, d: [{ e: 1 }] }, { a: 1, b: {}, d: [{}] }, ['b.c', 'd[0].e']);
});

test('a value of the wrong type is pruned like any other', () => {
  check(object({ a: string }), { a: { b: 1 } }, { a: {} }, ['a.b']);
});

test('what preserves unknown fields is still pruned where it specifies some', () => {
  const schema = object({ known: object({ a: string }) }, keep);
  check(schema, { known: { a: 'x', z: 1 }, free: { y: 1 } }, { known: { a: 'x' }, free: { y: 1 } }, ['known.z']);
  const preserved = { ...list(object({ known: object({}) })), ...keep };
  check(preserved, [{ known: { z: 1 }, free: 1 }], [{ known: {}, free: 1 }], ['[0].known.z']);
});

test('metadata stays at the root of an object and in embedded ones', () => {
  const meta = { apiVersion: 'v1', kind: 'Pod', metadata: { any: 1 } };
  const schema = object({ spec: object({}, { 'x-kubernetes-embedded-resource': true }) });
  const value = { ...meta, spec: { ...meta, z: 1 } };
  check(schema, value, { ...meta, spec: meta }, ['spec.z'], { isResourceRoot: true });
});

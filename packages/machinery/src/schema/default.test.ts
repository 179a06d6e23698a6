import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../json/index.ts';
import { compileSchema } from './compile.ts';
import { DefaultsLimitError } from './default.ts';
import { parseSchema } from './parse-schema.ts';

function check(properties: JsonObject, value: JsonValue, expected: JsonValue): void {
  compileSchema(parseSchema({ type: 'object', properties })).default(value);
  expect(value).toEqual(expected);
}

const x = { type: 'string', default: 'x' };

test('what is absent is filled in, what is given stays', () => {
  check({ a: x, b: x, c: { type: 'integer', default: 0 } }, { b: '' }, { a: 'x', b: '', c: 0 });
});

test('a default opens the way to those below it; without one nothing is opened', () => {
  const inner = { type: 'object', properties: { a: x } };
  check({ open: { ...inner, default: {} }, shut: inner }, {}, { open: { a: 'x' } });
  check({ shut: inner }, { shut: {} }, { shut: { a: 'x' } });
});

test('items and map values are completed', () => {
  const item = { type: 'object', properties: { a: x } };
  check({ l: { type: 'array', items: item } }, { l: [{}, { a: 'y' }] }, { l: [{ a: 'x' }, { a: 'y' }] });
  check({ m: { type: 'object', additionalProperties: item } }, { m: { k: {} } }, { m: { k: { a: 'x' } } });
});

test('null gives way to a default, unless it is allowed', () => {
  const values = { type: 'object', additionalProperties: x };
  check(
    { d: x, plain: { type: 'string' }, n: { ...x, nullable: true }, m: values },
    { d: null, plain: null, n: null, m: { k: null } },
    { d: 'x', plain: null, n: null, m: { k: 'x' } },
  );
  check({ l: { type: 'array', items: { type: 'string' } } }, { l: [null] }, { l: [null] });
});

test('null that is not allowed and has no default goes, but not from a list', () => {
  const inner = { type: 'object', properties: { plain: { type: 'string' } } };
  const properties = { d: x, n: { type: 'string', nullable: true }, in: inner, l: { type: 'array', items: inner } };
  const value = { d: null, n: null, in: { plain: null, other: null }, l: [null, { plain: null }] };
  compileSchema(parseSchema({ type: 'object', properties })).dropNulls(value);
  expect(value).toEqual({ d: null, n: null, in: { other: null }, l: [null, {}] });
});

test('null of a field with a type stays on request, for validation to refuse', () => {
  const any = { 'x-kubernetes-preserve-unknown-fields': true };
  const properties = {
    any,
    typed: { ...any, type: 'object' },
    either: { 'x-kubernetes-int-or-string': true },
    in: { type: 'object', properties: { any } },
    l: { type: 'array', items: { type: 'object', properties: { any } } },
  };
  const value = { any: null, typed: null, either: null, in: { any: null }, l: [{ any: null }] };
  compileSchema(parseSchema({ type: 'object', properties })).dropNulls(value, { keepsTyped: true });
  expect(value).toEqual({ typed: null, either: null, in: {}, l: [{}] });
});

test('each object gets defaults of its own', () => {
  const schema = parseSchema({ type: 'object', properties: { l: { type: 'array', default: [1] } } });
  const [first, second]: JsonObject[] = [{}, {}];
  compileSchema(schema).default(first!);
  compileSchema(schema).default(second!);
  expect(first!.l).not.toBe(second!.l);
});

test('defaults add no more than a request may send, and say how much they added', () => {
  const schema = (value: JsonValue) =>
    compileSchema(
      parseSchema({ type: 'object', properties: { l: listOf({ properties: { a: { default: value } } }) } }),
    );
  const items = (count: number): JsonObject[] => Array.from({ length: count }, () => ({}));
  const kilobyte = schema('x'.repeat(1_000));
  // The value in quotes, and its name.
  expect(kilobyte.default({ l: items(3) })).toBe(3 * (1_002 + 3));
  const tooMany = items(20_000);
  expect(() => kilobyte.default({ l: tooMany })).toThrow(DefaultsLimitError);
  expect(tooMany.filter(({ a }) => a !== undefined)).toHaveLength(Math.floor((3 * 1024 * 1024) / 1_005));
  // Whatever JSON makes of it, and however little JSON there is of many values.
  expect(schema('\0'.repeat(100)).default({ l: items(1) })).toBe(602 + 3);
  expect(() => schema(items(1_000)).default({ l: items(1_000) })).toThrow(DefaultsLimitError);
});

function listOf(item: JsonObject): JsonObject {
  return { type: 'array', items: { type: 'object', ...item } };
}

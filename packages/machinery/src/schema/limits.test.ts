import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../json/index.ts';
import { compileSchema } from './compile.ts';
import { parseSchema } from './parse-schema.ts';
import type { Schema } from './schema.ts';
import { validateStructural } from './structural/validate-structural.ts';

function nest(levels: number, wrap: (inner: JsonValue) => JsonValue, leaf: JsonValue): JsonValue {
  let value = leaf;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

/** Everything that can be done with a value, with so much computing that only runaway work exceeds it. */
function survives(schema: Schema, value: JsonValue, previous?: JsonValue): void {
  const computedMs = threadTimer();
  const compiled = compileSchema(schema);
  compiled.validate(value, previous === undefined ? {} : { previous });
  compiled.coerce(value, { isResourceRoot: true });
  compiled.prune(value, { isResourceRoot: true });
  compiled.default(value);
  expect(computedMs()).toBeLessThan(3_000);
}

describe('hostile input', () => {
  test('a schema and a value as deep as documents may be', () => {
    const schema = nest(490, (inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' });
    const value = () => nest(490, (inner) => ({ a: inner }), 5);
    survives(
      parseSchema(schema as JsonObject),
      value(),
      nest(490, (inner) => ({ a: inner }), 6),
    );
    expect(compileSchema(parseSchema(schema as JsonObject)).validate(value())).toHaveLength(1);
    expect(validateStructural(schema as JsonObject, '$')).toEqual([]);
  });

  test('a schema that contains itself', () => {
    const properties: Record<string, Schema> = {};
    const schema: Schema = { type: 'object', properties, default: {} };
    properties.a = schema;
    properties.n = { type: 'integer', default: 1 };
    const deep = nest(1_000, (inner) => ({ a: inner }), { a: { a: { n: 'x' } } });
    expect(() => compileSchema({ ...schema }).validate(deep)).not.toThrow();
    expect(compileSchema(schema).validate(deep)).toHaveLength(1);
  });

  test('deeper than any document can be', () => {
    const items: { items?: Schema; type: 'array' } = { type: 'array' };
    items.items = items;
    const deep = nest(3_000, (inner) => [inner], []);
    expect(compileSchema(items).validate(deep)).toEqual([
      { reason: 'InternalError', field: '<nil>', body: 'Internal error: cannot validate: more than 2000 levels' },
    ]);
  });

  test('combinators inside combinators', () => {
    const combinator = (inner: JsonValue) => ({ anyOf: [inner, inner, inner, inner] });
    const schema = parseSchema(nest(7, combinator, { maxLength: 1 }) as JsonObject);
    survives({ type: 'object', properties: { a: schema } }, { a: 'too long' });
  });

  test('more alternatives and items than a request may cost', () => {
    const anyOf = Array.from({ length: 2_000 }, (_, index) => ({ minLength: index + 10 }));
    const schema = parseSchema({ type: 'array', items: { type: 'string', anyOf } });
    const errors = compileSchema(schema).validate(Array(20_000).fill('x'));
    expect(errors.at(-1)?.body).toBe('Internal error: cannot validate: more than 500000 checks');
  });

  test('a large enum against many values', () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);
    const schema = parseSchema({ type: 'array', items: { type: 'string', enum: values } });
    survives(schema, Array(20_000).fill('other'));
  });

  test('large lists of equal items', () => {
    const schema = parseSchema({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' });
    survives(schema, Array(100_000).fill('same'));
  });

  test('a costly pattern against a long text', () => {
    const schema = parseSchema({ type: 'string', pattern: '(?:(?:a{0,30}){0,30}b)+$' });
    const computedMs = threadTimer();
    compileSchema(schema).validate('a'.repeat(1_000_000));
    expect(computedMs()).toBeLessThan(3_000);
  });
});

test('errors are listed as long as anyone might read them', () => {
  const schema = parseSchema({ type: 'array', items: { type: 'integer' } });
  expect(compileSchema(schema).validate(Array(400).fill('x'))).toHaveLength(400);
  expect(compileSchema(schema).validate(Array(50_000).fill('x'))).toHaveLength(10_000);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepCopy, type JsonValue } from '../json/index.ts';
import { compileSchema } from './compile.ts';
import { parseSchema } from './parse-schema.ts';
import { printSchema } from './print-schema.ts';
import type { Schema } from './schema.ts';
import { anySchema, anyValue, soundSchema } from './testing/arbitraries.ts';
import { defaulted, isValid, pruned } from './testing/naive-interpreter.ts';
import { isUnchanged } from './validate/unchanged.ts';

const runs = { numRuns: 500 };

function holds(check: (schema: Schema, value: JsonValue) => void, schemas = anySchema): void {
  const property = fc.property(schemas, anyValue, (schema, value) => {
    check(schema, value);
  });
  fc.assert(property, runs);
}

function prune(schema: Schema, value: JsonValue) {
  const copy = deepCopy(value);
  return { ...compileSchema(schema).prune(copy), value: copy };
}

function fill(schema: Schema, value: JsonValue): JsonValue {
  const copy = deepCopy(value);
  compileSchema(schema).dropNulls(copy);
  compileSchema(schema).default(copy);
  return copy;
}

describe('a compiled schema', () => {
  test('agrees with a naive reading of the keywords on what is valid', () => {
    holds((schema, value) => {
      expect(compileSchema(schema).validate(value).length === 0).toBe(isValid(value, schema));
    });
  });

  test('agrees with it on what is pruned', () => {
    holds((schema, value) => expect(prune(schema, value).value).toEqual(pruned(value, schema)), prunable);
  });

  test('agrees with it on what is filled in', () => {
    holds((schema, value) => expect(fill(schema, value)).toEqual(defaulted(value, schema)));
  });

  test('finds nothing left to prune after pruning', () => {
    holds((schema, value) => {
      const once = prune(schema, value);
      expect(prune(schema, once.value)).toEqual({ unknown: [], value: once.value });
    });
  });

  test('finds nothing left to fill in after filling in', () => {
    holds((schema, value) => {
      const once = fill(schema, value);
      expect(fill(schema, once)).toEqual(once);
    });
  });

  test('keeps valid what was valid, when its defaults are', () => {
    holds(
      (schema, value) => {
        fc.pre(isValid(value, schema));
        const kept = fill(schema, prune(schema, value).value);
        expect(compileSchema(schema).validate(kept)).toEqual([]);
      },
      soundSchema.filter((schema) => !dropsNulls(schema)),
    );
  });

  test('holds nothing against an object that has not changed and has no field it does not declare', () => {
    holds((schema, value) => {
      fc.pre(isUnchanged(schema, value, value));
      expect(compileSchema(schema).validate(value, { previous: value })).toEqual([]);
    });
  });

  test('survives being printed and parsed', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const parsed = parseSchema(printSchema(schema));
        expect(parseSchema(printSchema(parsed))).toEqual(parsed);
      }),
      runs,
    );
  });

  test('pollutes no prototype', () => {
    holds((schema, value) => {
      compileSchema(schema).validate(fill(schema, prune(schema, value).value));
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  });
});

/** Kubernetes prunes lists inside preserved lists by rules of their own; the naive reading knows only objects. */
const prunable = anySchema.filter((schema) => !some(schema, (inner) => inner.preserveUnknownFields === true));

/** A null that may not stand where it is makes way, and can take a required field with it. */
function dropsNulls(schema: Schema): boolean {
  return some(schema, (inner) => !inner.nullable && inner.type === undefined && !inner.intOrString);
}

function some(schema: Schema, matches: (schema: Schema) => boolean): boolean {
  const { additionalProperties, items, properties, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const inner = [items, not, ...Object.values(properties ?? {}), ...allOf, ...anyOf, ...oneOf];
  if (typeof additionalProperties === 'object') inner.push(additionalProperties);
  return matches(schema) || inner.some((child) => child !== undefined && some(child, matches));
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../json/index.ts';
import { deepCopy, parseJson } from '../json/index.ts';
import { applyMergePatch, createMergePatch } from './index.ts';

const check = (target: JsonValue, patch: JsonValue, expected: JsonValue): void =>
  expect(applyMergePatch(target, patch)).toEqual(expected);

test('a merge patch follows the examples of RFC 7386', () => {
  check({ a: 'b' }, { a: 'c' }, { a: 'c' });
  check({ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' });
  check({ a: 'b' }, { a: null }, {});
  check({ a: ['b'] }, { a: 'c' }, { a: 'c' });
  check({ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } });
  check({ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] });
  check({ a: 'foo' }, null, null);
  check({ e: null }, { a: 1 }, { e: null, a: 1 });
  check([1, 2], { a: 'b', c: null }, { a: 'b' });
  check({}, { a: { bb: { ccc: null } } }, { a: { bb: {} } });
});

test('what is new loses its nulls, also inside lists, unless a list takes the place of an object', () => {
  check({ a: [] }, { a: [null, { b: null, c: 1 }] }, { a: [null, { c: 1 }] });
  check({ a: 1 }, { a: { b: null, c: [{ d: null }] } }, { a: { c: [{}] } });
  check({ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] });
});

test('__proto__ is a name like any other', () => {
  const result = applyMergePatch({}, parseJson('{"__proto__":{"polluted":true}}'));
  expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('the difference of two objects makes one of the other', () => {
  const name = fc.constantFrom('a', 'b', 'c', '__proto__');
  const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(true, 0, 'x'),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(name, tie('value')), { maxLength: 3 })
      .map(
        (entries) =>
          parseJson(`{${entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',')}}`) as JsonObject,
      ),
  }));
  fc.assert(
    fc.property(object, object, (original, modified) => {
      const given = deepCopy([original, modified]);
      const patch = createMergePatch(original, modified);
      expect(applyMergePatch(original, patch)).toEqual(modified);
      expect([original, modified]).toEqual(given);
      expect(createMergePatch(modified, deepCopy(modified))).toEqual({});
    }),
    { numRuns: 500 },
  );
});

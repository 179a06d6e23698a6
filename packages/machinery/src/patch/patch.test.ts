import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../json/index.ts';
import { deepCopy, parseJson } from '../json/index.ts';
import { applyJsonPatch, applyMergePatch, PatchError, readJsonPatch } from './index.ts';

describe('JSON patch', () => {
  const check = (document: JsonValue, patch: JsonValue, expected: JsonValue | PatchError['failure']['code']): void => {
    const apply = (): JsonValue => applyJsonPatch(deepCopy(document), readJsonPatch(patch));
    if (typeof expected === 'string' && /^[A-Z]/.test(expected)) {
      expect(apply).toThrowError(expect.objectContaining({ failure: expect.objectContaining({ code: expected }) }));
    } else expect(apply()).toEqual(expected);
  };

  test('adds to objects and lists', () => {
    check({ a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 });
    check({ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] });
    check({ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] });
    check({ a: [1] }, [{ op: 'add', path: '/a/2', value: 2 }], 'NotApplicable');
    check({ a: [1] }, [{ op: 'add', path: '/a/01', value: 2 }], { a: [1, 2] });
    check({ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] });
    check({ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] });
    check({ a: [1] }, [{ op: 'add', path: '/a/-9', value: 2 }], 'NotApplicable');
    check({}, [{ op: 'add', path: '/a/b', value: 2 }], 'NotApplicable');
  });

  test('replaces and removes', () => {
    check({ a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null });
    check({ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 });
    check({ a: [] }, [{ op: 'replace', path: '/a/0', value: 2 }], 'NotApplicable');
    check({ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] });
    check({ a: 1 }, [{ op: 'remove', path: '/b' }], 'NotApplicable');
    check({ a: 1 }, [{ op: 'replace', path: '', value: [] }], []);
  });

  test('moves, copies and tests', () => {
    check({ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 });
    check({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }], 'NotApplicable');
    check({ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } });
    check({ 'a/b': { '~': 1 } }, [{ op: 'test', path: '/a~1b/~0', value: 1 }], { 'a/b': { '~': 1 } });
    check({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }], 'TestFailed');
  });

  test('bounds operations and copies', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: {} }));
    check({}, many, 'TooManyOperations');
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/${i}` }));
    check({ text: 'x'.repeat(1000) }, doubling, 'TooLarge');
  });

  test('treats __proto__ as a name like any other', () => {
    const patch = readJsonPatch([{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    const result = applyJsonPatch({}, patch);
    expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    check({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: true }], 'NotApplicable');
  });
});

describe('merge patch', () => {
  test('follows the examples of RFC 7386', () => {
    const cases: [JsonValue, JsonValue, JsonValue][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{ a: 'foo' }, null, null],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [target, patch, expected] of cases) expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  test('treats __proto__ as a name like any other', () => {
    const result = applyMergePatch({}, parseJson('{"__proto__":{"polluted":true}}'));
    expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('any patch gives a value or a PatchError, and never pollutes', () => {
  const segment = fc.constantFrom('a', 'b', '0', '1', '-', '__proto__', 'constructor', 'prototype', '');
  const path = fc.array(segment, { maxLength: 4 }).map((parts) => parts.map((part) => `/${part}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path,
    from: path,
    value: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(operation, { maxLength: 8 }), (document, patch) => {
      try {
        applyJsonPatch(deepCopy(document as JsonValue), readJsonPatch(patch));
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepCopy, deepEqual } from './deep.ts';
import { JsonError } from './json-error.ts';
import { parseJson, parseJsonStrict } from './parse.ts';
import { canonicalJson, encodeJson, stringifyJson } from './stringify.ts';
import { arbitraryJson } from './testing/arbitrary-json.ts';

const runs = { numRuns: 500 };

test('What is written is read back the same, digit for digit', () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      const text = stringifyJson(value);
      expect(deepEqual(parseJson(text), value)).toBe(true);
      expect(stringifyJson(parseJson(encodeJson(value)))).toBe(text);
      expect(parseJsonStrict(text).duplicates).toEqual([]);
      expect(deepEqual(parseJson(canonicalJson(value)), value)).toBe(true);
    }),
    runs,
  );
});

test('Both parsers agree with the native one on everything but large integers', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat({ max: 9 }), (text, indent) => {
      const native: unknown = JSON.parse(text);
      const spaced = JSON.stringify(native, null, indent);
      expect(stringifyJson(parseJson(spaced))).toBe(JSON.stringify(native));
      expect(stringifyJson(parseJson(`[${spaced},9007199254740993]`))).toBe(
        `[${JSON.stringify(native)},9007199254740993]`,
      );
    }),
    runs,
  );
});

test('A copy is equal, and a value equals another just when their canonical texts do', () => {
  fc.assert(
    fc.property(arbitraryJson, arbitraryJson, (left, right) => {
      expect(deepEqual(deepCopy(left), left)).toBe(true);
      expect(stringifyJson(deepCopy(left))).toBe(stringifyJson(left));
      expect(deepEqual(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
    }),
    runs,
  );
});

describe('Whatever comes in, a value or a JsonError comes out', () => {
  const check = (document: Uint8Array) => {
    for (const parse of [parseJson, parseJsonStrict]) {
      try {
        parse(document);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonError);
      }
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  };

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), check), runs);
  });

  test('documents with some bytes changed', () => {
    const edit = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), drop: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(arbitraryJson, fc.array(edit, { minLength: 1, maxLength: 4 }), (value, edits) => {
        let bytes = [...encodeJson({ polluted: value, __proto__: 1 })];
        for (const { at, byte, drop } of edits) bytes = bytes.toSpliced(at % bytes.length, drop, byte);
        check(Uint8Array.from(bytes));
      }),
      runs,
    );
  });
});

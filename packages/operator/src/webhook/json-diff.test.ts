import type { JsonValue } from '@pintle/machinery/json';
import { deepCopy } from '@pintle/machinery/json';
import { applyJsonPatch, readJsonPatch } from '@pintle/machinery/patch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonDiff } from './json-diff.ts';

test.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
  [{ a: 1 }, { a: undefined }, [{ op: 'remove', path: '/a' }]],
  [{}, { 'a/b~': { c: [] } }, [{ op: 'add', path: '/a~1b~0', value: { c: [] } }]],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [{ op: 'replace', path: '/a/c', value: 3 }]],
  [
    [1, 2, 3],
    [1],
    [
      { op: 'remove', path: '/2' },
      { op: 'remove', path: '/1' },
    ],
  ],
  [
    [1],
    [2, 3],
    [
      { op: 'replace', path: '/0', value: 2 },
      { op: 'add', path: '/-', value: 3 },
    ],
  ],
  [{ a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
])('what makes %j into %j', (before, after, expected) => {
  expect(jsonDiff(before, after)).toEqual(expected);
});

test('a patch makes the one of the other, whatever they are', () => {
  const value = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(value, value, (before, after) => {
      const normal = JSON.parse(JSON.stringify([before, after])) as [JsonValue, JsonValue];
      const patch = readJsonPatch(JSON.parse(JSON.stringify(jsonDiff(normal[0], normal[1]))));
      expect(applyJsonPatch(deepCopy(normal[0]), patch)).toEqual(normal[1]);
    }),
    { numRuns: 300 },
  );
});

import { expect, test } from 'vitest';
import { isContained } from './is-contained.ts';

test.each<[unknown, unknown, boolean]>([
  [{}, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: 1 }, { b: 2 }, false],
  [{ a: undefined }, {}, true],
  [{ a: null }, {}, false],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
  [{ a: { b: 1 } }, { a: [{ b: 1 }] }, false],
  [{ a: [1, 2] }, { a: [1, 2] }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: [{ name: 'x' }] }, { a: [{ name: 'x', port: 80 }] }, true],
  [{ a: 1 }, { a: 1n }, true],
  [JSON.parse('{"__proto__":{"a":1}}'), {}, false],
  [{ constructor: {} }, {}, false],
  ['a', 'a', true],
  [{}, 'a', false],
])('case %#', (wanted, present, isIn) => {
  expect(isContained(wanted, present)).toBe(isIn);
});

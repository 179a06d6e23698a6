import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileErrorOf, evaluate } from './testing/evaluate.ts';
import { escapeFieldName, unescapeFieldName } from './values/field-name.ts';
import { ArrayList } from './values/list.ts';
import { toInt } from './values/numbers.ts';
import type { Value } from './values/value.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const value = (number: bigint): Value => toInt(number);

describe('integers are those of 64 bits', () => {
  const operations: Record<string, (a: bigint, b: bigint) => bigint> = {
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
  };
  test.each(Object.keys(operations))('%s is exact or overflows', (sign) => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const exact = operations[sign]!(a, b);
        const fits = BigInt.asIntN(64, exact) === exact;
        const result = evaluate(`i ${sign} d`, { i: value(a), d: value(b) });
        expect(result).toBe(fits ? value(exact) : 'error: integer overflow');
      }),
    );
  });

  test('the order of any two numbers is the same whatever their types', () => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const order = a < b ? 'd < i' : a > b ? 'd > i' : 'd == i';
        expect(evaluate(`dyn(d) == d && (${order})`, { d: value(a), i: value(b) })).toBe(true);
      }),
    );
  });
});

describe('strings', () => {
  test('a literal stands for the text it quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const quoted = `'${text.replace(/[\\'\n\r]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
        expect(evaluate(quoted)).toBe(text);
      }),
    );
  });

  test('size counts characters, split and join are inverse, substrings add up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
        const count = [...text].length;
        const at = count === 0 ? 0 : cut % (count + 1);
        expect(evaluate('s.size()', { s: text })).toBe(count);
        expect(evaluate("s.split('').join('') == s", { s: text })).toBe(true);
        expect(evaluate('s.substring(0, i) + s.substring(i) == s', { s: text, i: at })).toBe(true);
      }),
    );
  });
});

describe('lists', () => {
  test('sorting sorts, and agrees with isSorted, min and max', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (items) => {
        const list = new ArrayList(items);
        expect(
          evaluate(
            'list.sort().isSorted() && list.sort()[0] == list.min() && list.sort().last().value() == list.max()',
            { list },
          ),
        ).toBe(true);
        expect(evaluate('sets.equivalent(list, list.distinct()) && list.reverse().reverse() == list', { list })).toBe(
          true,
        );
      }),
    );
  });

  test('quantifiers agree with JavaScript', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 })), fc.integer({ min: -3, max: 3 }), (items, i) => {
        const variables = { list: new ArrayList(items), i };
        expect(evaluate('list.all(x, x > i)', variables)).toBe(items.every((x) => x > i));
        expect(evaluate('list.exists(x, x > i)', variables)).toBe(items.some((x) => x > i));
        expect(evaluate('list.exists_one(x, x == i)', variables)).toBe(items.filter((x) => x === i).length === 1);
        expect(evaluate('list.filter(x, x > i).size()', variables)).toBe(items.filter((x) => x > i).length);
      }),
    );
  });
});

test('nothing that can be typed makes the compiler throw', () => {
  const words = fc.constantFrom(
    ...['s', 'list', 'd', '.', '(', ')', '[', ']', '{', '}', '?', ':', ',', '+', '-', '!', '==', '&&', '||', ' in '],
    ...[
      "'a'",
      "'",
      '1',
      '1u',
      '.5',
      'true',
      'null',
      'has',
      'all',
      'x',
      'Object',
      '.?a',
      '[?',
      '\\',
      '`a`',
      '\n',
      '//',
      'é',
      '😀',
    ],
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 25 }), (parts) => {
      compileErrorOf(parts.join(''));
    }),
    { numRuns: 2_000 },
  );
});

test('names that can be written are written in one way only', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab_-./9') }), (name) => {
      const escaped = escapeFieldName(name);
      if (escaped === undefined) return;
      expect(escaped).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
      expect(unescapeFieldName(escaped)).toBe(name);
    }),
  );
});

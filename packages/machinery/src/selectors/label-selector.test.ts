import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeFieldError } from '../errors/field-error.ts';
import { FieldPath } from '../errors/field-path.ts';
import { ParseError } from '../errors/parse-error.ts';
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
import { CompiledLabelSelector, everyLabelSelector, noLabelSelector } from './label-selector.ts';
import type { LabelSelector } from './label-selector-object.ts';
import {
  compileLabelSelector,
  formatLabelSelector,
  matchLabelsSelector,
  validateLabelSelector,
} from './label-selector-object.ts';
import { parseLabelSelector } from './parse-label-selector.ts';

describe('parseLabelSelector reads a selector and prints it in its usual form', () => {
  const cases: [string, string][] = [
    ['', ''],
    [' ', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    ['a != b', 'a!=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['b,a', 'a,b'],
    ['!a', '!a'],
    ['a in (c,b , b)', 'a in (b,c)'],
    ['a in ()', 'a in ()'],
    ['a in (,)', 'a in ()'],
    ['a in (b,,c)', 'a in (,b,c)'],
    ['a notin (b)', 'a notin (b)'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin', 'notin'],
    ['a>1,b<2', 'a>1,b<2'],
    ['example.com/a=b', 'example.com/a=b'],
    ['a=1,a!=2', 'a=1,a!=2'],
  ];
  test.each(cases)('%j', (text, printed) => expect(parseLabelSelector(text).toString()).toBe(printed));
});

describe('parseLabelSelector says what it found and what it expected', () => {
  const cases: [string, string | RegExp][] = [
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['==', "found '==', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['a-=b', /^unable to parse requirement: <nil>: Invalid value: "a-": name part must consist/],
    ['env=a$', /^unable to parse requirement: values\[0\]\[env\]: Invalid value: "a\$": a valid label must be/],
  ];
  test.each(cases)('%j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(ParseError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test('a text that is too long is not looked at', () => {
    expect(() => parseLabelSelector('a,'.repeat(6_000))).toThrow('selector is longer than 10240 bytes');
  });
});

describe('matches', () => {
  const labels = { app: 'web', tier: 'front', weight: '10' };
  const cases: [string, boolean][] = [
    ['', true],
    ['app=web', true],
    ['app=db', false],
    ['app!=db', true],
    ['none!=x', true],
    ['none=', false],
    ['app in (db,web)', true],
    ['app notin (db,web)', false],
    ['none notin (a)', true],
    ['app', true],
    ['!app', false],
    ['!none', true],
    ['weight>9', true],
    ['weight>10', false],
    ['weight<11', true],
    ['tier<11', false],
    ['none>1', false],
    ['app=web,tier=back', false],
    ['toString', false],
    ['constructor', false],
  ];
  test.each(cases)('%s', (text, expected) => expect(parseLabelSelector(text).matches(labels)).toBe(expected));

  test('an object without labels has none', () => {
    expect(parseLabelSelector('!a').matches(undefined)).toBe(true);
    expect(parseLabelSelector('a').matches(null)).toBe(false);
  });

  test('__proto__ is a name like any other', () => {
    const hostile: Labels = JSON.parse('{"__proto__":"x"}');
    expect(new CompiledLabelSelector([{ key: '__proto__', operator: '=', values: ['x'] }]).matches(hostile)).toBe(true);
    expect(new CompiledLabelSelector([{ key: '__proto__', operator: 'exists', values: [] }]).matches({})).toBe(false);
  });
});

test('exactValue finds the only value a label may have', () => {
  const selector = parseLabelSelector('a=1,b in (2),c in (3,4),d!=5,e');
  expect(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => selector.exactValue(key))).toEqual([
    '1',
    '2',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

describe('compileLabelSelector', () => {
  test('an absent selector means nothing, an empty one everything', () => {
    expect(compileLabelSelector(undefined)).toBe(noLabelSelector);
    expect(compileLabelSelector(null).matches({})).toBe(false);
    expect(noLabelSelector.isEmpty).toBe(false);
    expect(compileLabelSelector({})).toBe(everyLabelSelector);
    expect(everyLabelSelector.matches({ a: 'b' })).toBe(true);
  });

  test('labels and expressions must all hold', () => {
    const selector: LabelSelector = {
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    };
    expect(compileLabelSelector(selector).matches({ app: 'web', tier: 'a' })).toBe(true);
    expect(compileLabelSelector(selector).matches({ app: 'web', tier: 'a', old: '' })).toBe(false);
    expect(formatLabelSelector(selector)).toBe('app=web,!old,tier in (a,b)');
  });

  test('what is wrong is told', () => {
    expect(() => compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Odd' }] })).toThrow(
      '"Odd" is not a valid label selector operator',
    );
    expect(() => compileLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
    expect(formatLabelSelector({ matchLabels: { 'a b': '' } })).toBe('<error>');
    expect(formatLabelSelector({})).toBe('<none>');
  });

  test('matchLabelsSelector takes plain labels', () => {
    expect(matchLabelsSelector({ b: '2', a: '1' }).toString()).toBe('a=1,b=2');
  });
});

test('validateLabelSelector names every fault with its place', () => {
  const selector: LabelSelector = {
    matchLabels: { app: 'bad value!' },
    matchExpressions: [
      { key: 'k', operator: 'Odd' },
      { key: 'k', operator: 'In' },
      { key: 'k', operator: 'Exists', values: ['x'] },
      { key: 'k k', operator: 'NotIn', values: ['x y'] },
    ],
  };
  const path = FieldPath.of('spec', 'selector');

  expect(validateLabelSelector(selector, path).map(describeFieldError)).toEqual([
    expect.stringMatching(/^spec.selector.matchLabels: Invalid value: "bad value!": a valid label must/),
    'spec.selector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator',
    "spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    "spec.selector.matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    expect.stringMatching(/^spec.selector.matchExpressions\[3\].key: Invalid value: "k k": name part must/),
    expect.stringMatching(/^spec.selector.matchExpressions\[3\].values\[0\]: Invalid value: "x y": a valid label must/),
  ]);
  expect(validateLabelSelector(selector, path, { allowInvalidValues: true, allowUnknownOperators: true })).toHaveLength(
    4,
  );
  expect(validateLabelSelector(undefined, path)).toEqual([]);
});

const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,5}[a-z0-9])?$/);
const value = fc.oneof(
  fc.constant(''),
  word,
  fc.integer().map((n) => String(Math.abs(n))),
);
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({
    key: word,
    operator: fc.constantFrom<LabelOperator>('=', '==', '!='),
    values: value.map((item) => [item]),
  }),
  fc.record({
    key: word,
    operator: fc.constantFrom<LabelOperator>('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 12 }).map((values) => values.sort()),
  }),
  fc.record({ key: word, operator: fc.constantFrom<LabelOperator>('exists', '!'), values: fc.constant([]) }),
  fc.record({
    key: word,
    operator: fc.constantFrom<LabelOperator>('gt', 'lt'),
    values: fc.nat().map((n) => [String(n)]),
  }),
);

test('what is printed is read back to the same selector', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 8 }), (requirements) => {
      const selector = new CompiledLabelSelector(requirements);
      expect(parseLabelSelector(selector.toString()).requirements).toEqual(selector.requirements);
    }),
  );
});

test('matching agrees with a plain reading of the rules', () => {
  const labelKeys = fc.constantFrom('a', 'b', 'c');
  const labels = fc.dictionary(labelKeys, fc.constantFrom('', 'x', 'y', '1', '2', '30'));
  const items = fc.array(
    requirement.chain((item) => labelKeys.map((key) => ({ ...item, key }))),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(items, labels, (requirements, present) => {
      const expected = requirements.every((item) => holds(item, new Map(Object.entries(present))));
      expect(new CompiledLabelSelector(requirements).matches(present)).toBe(expected);
    }),
  );
});

function holds({ key, operator, values }: LabelRequirement, labels: ReadonlyMap<string, string>): boolean {
  const actual = labels.get(key);
  const isAmong = actual !== undefined && values.some((candidate) => candidate === actual);
  const isNumber = actual !== undefined && actual !== '' && Number.isInteger(Number(actual));
  if (operator === 'gt') return isNumber && Number(actual) > Number(values[0]);
  if (operator === 'lt') return isNumber && Number(actual) < Number(values[0]);
  if (operator === 'exists') return actual !== undefined;
  if (operator === '!') return actual === undefined;
  return operator === '!=' || operator === 'notin' ? !isAmong : isAmong;
}

test('no text does more than fail to parse', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 200, unit: 'binary' }),
    fc
      .array(fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '!', '=', '==', '>', ' ', '\0', '__proto__'), {
        maxLength: 60,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      try {
        const printed = parseLabelSelector(text).toString();
        expect(parseLabelSelector(printed).toString()).toBe(printed);
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('a selector of many requirements', () => {
  const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
  const text = fc.constantFrom('a', 'b', 'c', 'd');
  const expression = fc.record({
    key: text,
    operator: fc.constantFrom(...operators),
    list: fc.array(text, { minLength: 1 }),
  });

  test('means the same as its requirements one by one', () => {
    const labels = fc.dictionary(text, text, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(expression, { minLength: 9, maxLength: 12 }), labels, (parts, present) => {
        const matchExpressions = parts.map(({ key, operator, list }) =>
          operator === 'In' || operator === 'NotIn' ? { key, operator, values: list } : { key, operator },
        );
        const expected = matchExpressions.every((each) =>
          compileLabelSelector({ matchExpressions: [each] }).matches(present),
        );
        expect(compileLabelSelector({ matchExpressions }).matches(present)).toBe(expected);
      }),
    );
  });

  test.each(operators.filter((operator) => operator.includes('Not')))(
    'costs what an object has labels: %s',
    (operator) => {
      const matchExpressions = Array.from({ length: 10_000 }, (_, index) => ({
        key: `k${index}`,
        operator,
        ...(operator === 'NotIn' && { values: ['x'] }),
      }));
      const selector = compileLabelSelector({ matchExpressions });
      let looks = 0;
      const labels = new Proxy<Labels>(
        { other: 'x' },
        {
          getOwnPropertyDescriptor: (target, key) => {
            looks++;
            return Reflect.getOwnPropertyDescriptor(target, key);
          },
        },
      );
      expect(selector.matches(labels)).toBe(true);
      expect(looks).toBeLessThan(10);
    },
  );
});

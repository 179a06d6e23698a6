import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from '../errors/parse-error.ts';
import { scaledValue } from './int-or-string.ts';
import { isQuantity, parseQuantity } from './parse-quantity.ts';
import { Quantity } from './quantity.ts';

describe('parseQuantity gives back what Kubernetes stores', () => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['00', '0'],
    ['-0', '0'],
    ['0Ki', '0'],
    ['0.0', '0'],
    ['1', '1'],
    ['+1', '+1'],
    ['0001', '0001'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.1', '100m'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['-1.5', '-1500m'],
    ['100', '100'],
    ['1000', '1k'],
    ['1k', '1k'],
    ['1000k', '1M'],
    ['123456789', '123456789'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1.5Ki', '1536'],
    ['0.5Ki', '512'],
    ['1Ki', '1Ki'],
    ['1000Mi', '1000Mi'],
    ['2048Ki', '2Mi'],
    ['3Pi', '3Pi'],
    ['7Ei', '7Ei'],
    ['8Ei', '9223372036854775807'],
    ['100Ei', '9223372036854775807'],
    ['-100Ei', '-9223372036854775807'],
    ['0.001Ki', '1024m'],
    ['0.0001Ki', '102400u'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1e-3', '1e-3'],
    ['1000e3', '1e6'],
    ['1e1', '10'],
    ['1e4', '10e3'],
    ['12e6', '12e6'],
    ['1E', '1E'],
    ['1n', '1n'],
    ['1u', '1u'],
    ['0.1n', '1n'],
    ['1.1n', '2n'],
    ['-1.1n', '-2n'],
    ['0.0000000001', '1n'],
    ['1e-10', '1e-9'],
    ['123456789012345678901', '123456789012345678901'],
    ['9223372036854775808', '9223372036854775808'],
    ['1000E', '1000E'],
    [' 1 ', '1'],
    ['.', '0'],
    ['+', '0'],
    ['m', '0'],
    ['.5', '500m'],
  ];
  test.each(cases)('%s is %s', (text, stored) => expect(parseQuantity(text).toString()).toBe(stored));

  test('numbers out of JSON', () => {
    expect([0.1, 2, 1000, 1e21, 9007199254740993n].map((value) => parseQuantity(value).toString())).toEqual([
      '100m',
      '2',
      '1k',
      '1e21',
      '9007199254740993',
    ]);
  });
});

describe('parseQuantity refuses with the words of Kubernetes', () => {
  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffix = "unable to parse quantity's suffix";
  const cases: [string, string][] = [
    ['', format],
    ['abc', format],
    ['1 Gi', format],
    ['1.2.3', format],
    ['１', format],
    ['1'.repeat(2_000), format],
    ['1K', suffix],
    ['1gi', format],
    ['1mm', suffix],
    ['1e', suffix],
    ['1e1000000', suffix],
    ['1Mi1', suffix],
    ['+-5', suffix],
    ['NaN', format],
    ['Infinity', format],
  ];
  test.each(cases)('%.20s', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(new ParseError('quantity', message));
    expect(isQuantity(text)).toBe(false);
  });
});

test('isQuantity does not overlook white space', () => {
  expect([' 1', '1 ', '1', 1].map(isQuantity)).toEqual([false, false, true, true]);
});

test('arithmetic is exact and keeps the format of the left side', () => {
  const sum = parseQuantity('1Gi').add(parseQuantity('1'));
  expect([sum.toString(), sum.format]).toEqual(['1073741825', 'BinarySI']);
  expect(parseQuantity('1.5Gi').add(parseQuantity('512Mi')).toString()).toBe('2Gi');
  expect(parseQuantity('1').subtract(parseQuantity('1n')).toString()).toBe('999999999n');
  expect(parseQuantity('0').add(parseQuantity('1Gi')).toString()).toBe('1Gi');
  expect(parseQuantity('1Gi').subtract(parseQuantity('1Gi')).toString()).toBe('0');
  expect(parseQuantity('250m').multiply(4n).toString()).toBe('1');
  expect(parseQuantity('1Ki').negate().toString()).toBe('-1Ki');
});

test('comparison sees amounts, not texts', () => {
  expect(parseQuantity('1').equals(parseQuantity('1000m'))).toBe(true);
  expect(parseQuantity('1Gi').compare(parseQuantity('1G'))).toBe(1);
  expect(parseQuantity('-1').compare(parseQuantity('0'))).toBe(-1);
  expect(parseQuantity('1e1000').compare(parseQuantity('1'))).toBe(1);
});

test('toInteger rounds away from zero', () => {
  expect(parseQuantity('1500m').toInteger()).toBe(2n);
  expect(parseQuantity('-1500m').toInteger()).toBe(-2n);
  expect(parseQuantity('0.1').toInteger(-3)).toBe(100n);
  expect(parseQuantity('2Gi').toInteger()).toBe(2147483648n);
  expect(parseQuantity('1.5').toNumber()).toBe(1.5);
  expect(JSON.stringify({ cpu: parseQuantity('0.5') })).toBe('{"cpu":"500m"}');
});

test('asInt64 knows what Kubernetes holds as a whole number', () => {
  const texts = ['5', '1k', '2Gi', '9223372036854775807', '1000m', '1.5Gi', '9223372036854775808', '1e19', '1e900'];
  expect(texts.map((text) => parseQuantity(text).asInt64())).toEqual([
    5n,
    1_000n,
    2_147_483_648n,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

const amounts = fc.tuple(
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
  fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'e3', 'e-3', 'E6'),
);

test('the canonical form is read back to the same amount and is its own canonical form', () => {
  fc.assert(
    fc.property(amounts, ([number, suffix]) => {
      const quantity = parseQuantity(`${number}${suffix}`);
      const again = parseQuantity(quantity.toCanonicalString());
      expect(again.equals(quantity)).toBe(true);
      expect(again.toCanonicalString()).toBe(quantity.toCanonicalString());
      expect(parseQuantity(quantity.toString()).equals(quantity)).toBe(true);
    }),
  );
});

test('sums and comparisons agree with a count in billionths', () => {
  const nanos = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  fc.assert(
    fc.property(nanos, nanos, (a, b) => {
      const [left, right] = [new Quantity(a, -9), new Quantity(b, -9)].map((item) => parseQuantity(item.toString()));
      expect(left!.add(right!).toInteger(-9)).toBe(a + b);
      expect(left!.subtract(right!).toInteger(-9)).toBe(a - b);
      expect(left!.compare(right!)).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test('no text does more than fail to parse', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 50, unit: 'binary' }),
    fc
      .array(
        fc.constantFrom('1', '0', '.', '-', '+', 'e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P', '9'),
        { maxLength: 40 },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      try {
        const quantity = parseQuantity(text);
        expect(quantity.add(parseQuantity('1n')).compare(quantity)).toBe(1);
        quantity.toString();
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('scaledValue', () => {
  test('takes numbers as they are and percentages of the total', () => {
    expect(scaledValue(3, 10, { roundUp: true })).toBe(3);
    expect(scaledValue('25%', 10, { roundUp: true })).toBe(3);
    expect(scaledValue('25%', 10, { roundUp: false })).toBe(2);
    expect(scaledValue('-10%', 10, { roundUp: false })).toBe(-1);
  });

  const cases: [string | undefined, string][] = [
    [undefined, 'nil value for IntOrString'],
    ['5', 'invalid value for IntOrString: invalid type: string is not a percentage'],
    ['x%', 'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax'],
    [
      '99999999999999999999%',
      'invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
  ];
  test.each(cases)('%s', (value, message) => {
    expect(() => scaledValue(value, 10, { roundUp: true })).toThrow(new ParseError('IntOrString', message));
  });
});

test.each([`${'0'.repeat(1_000)}x`, `${'1'.repeat(1_000)}x`, `0.${'0'.repeat(1_000)}x`, `1e${'0'.repeat(1_000)}x`])(
  'a long text that is no quantity is read once, case %#',
  (text) => {
    for (let time = 0; time < 20_000; time++) {
      if (isQuantity(text)) throw new Error(`${text} is no quantity`);
    }
  },
);

import fc from 'fast-check';
import type { JsonValue } from '../value.ts';

const MAX_INT64 = 2n ** 63n - 1n;

/** Numbers as a parsed document holds them: integers that a double cannot carry are `bigint`. */
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isWrittenAsDouble),
  fc.bigInt({ min: BigInt(Number.MAX_SAFE_INTEGER) + 1n, max: MAX_INT64 }),
  fc.bigInt({ min: -MAX_INT64 - 1n, max: -BigInt(Number.MAX_SAFE_INTEGER) - 1n }),
  fc.constantFrom(9007199254740993n, MAX_INT64, -MAX_INT64 - 1n, 0, 1e21, 5e-324, Number.MAX_VALUE),
);

const string = fc.string({
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...'aA0"\\/\n\t\u0000\u2028é€<&:-# ') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
});

const key = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', '10', '2', 'y', ''),
  },
  { weight: 4, arbitrary: string },
);

/** Any value of the model, with names and numbers that codecs often get wrong. */
export const arbitraryJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(string, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** A double between 2^53 and 2^63 without a fraction is written as digits, and digits are read as an integer. */
function isWrittenAsDouble(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) > 2 ** 63;
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Length of the longest decimal form of a 64-bit integer, with its sign. */
const MAX_INT64_LENGTH = 20;

/**
 * Returns the value of a JSON number, as Go chooses: an integer while 64 bits hold it, else a double; `undefined` when
 * it is beyond a double too. `integral`: the literal has neither fraction nor exponent.
 */
export function parseNumber(literal: string, integral: boolean): number | bigint | undefined {
  const double = Number(literal);
  if (integral && !Number.isSafeInteger(double) && literal.length <= MAX_INT64_LENGTH) {
    const integer = BigInt(literal);
    if (isInt64(integer)) return integer;
  }
  if (!Number.isFinite(double)) return undefined;
  return integral && double === 0 ? 0 : double;
}

export function isInt64(integer: bigint): boolean {
  return integer >= MIN_INT64 && integer <= MAX_INT64;
}

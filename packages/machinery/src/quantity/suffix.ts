/** The unit after the number: a power of ten or of two. */
export interface Suffix {
  readonly base: 10 | 2;
  readonly exponent: number;
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

const decimal = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binary = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const decimalByExponent = new Map(Array.from(decimal, ([suffix, exponent]) => [exponent, suffix]));
const binaryByExponent = new Map(Array.from(binary, ([suffix, exponent]) => [exponent, suffix]));

/** Largest exponent: no real amount needs more, and arithmetic with larger ones would take too long. */
const exponentMax = 1_000;

/** Reads `Mi`, `m` or `e3`. `undefined` for an unknown suffix. */
export function parseSuffix(text: string): Suffix | undefined {
  const decimalExponent = decimal.get(text);
  if (decimalExponent !== undefined) return { base: 10, exponent: decimalExponent, format: 'DecimalSI' };
  const binaryExponent = binary.get(text);
  if (binaryExponent !== undefined) return { base: 2, exponent: binaryExponent, format: 'BinarySI' };
  const match = /^[eE]([+-]?[0-9]+)$/.exec(text);
  if (match === null) return undefined;
  const exponent = Number(match[1]);
  return Math.abs(exponent) <= exponentMax ? { base: 10, exponent, format: 'DecimalExponent' } : undefined;
}

/** Returns the suffix of a power of two, a multiple of ten up to 60; empty for zero. */
export function binarySuffixOf(exponent: number): string {
  return binaryByExponent.get(exponent) ?? '';
}

/** Returns the suffix of a power of ten, a multiple of three from -9 to 18, or of any power when written as exponent. */
export function decimalSuffixOf(exponent: number, format: Suffix['format']): string {
  if (format !== 'DecimalExponent') return decimalByExponent.get(exponent) ?? '';
  return exponent === 0 ? '' : `e${exponent}`;
}

import { CelError, Double, Uint, type Value } from './value.ts';

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

const integerOverflow: CelError = new CelError('integer overflow');
export const unsignedOverflow: CelError = new CelError('unsigned integer overflow');

export type Int = number | bigint;

export function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isNumeric(value: Value): value is Int | Double | Uint {
  return isInt(value) || value instanceof Double || value instanceof Uint;
}

/** Returns an integer as a number where that is exact, else as a bigint. */
export function toInt(value: bigint): Int | CelError {
  if (value > maxInt || value < minInt) return integerOverflow;
  return value <= 9007199254740991n && value >= -9007199254740991n ? Number(value) : value;
}

export function toUint(value: bigint): Uint | CelError {
  return value > maxUint || value < 0n ? unsignedOverflow : new Uint(value);
}

/** Uses plain numbers when the result is exact. */
export function addInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toInt(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return toInt(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Integers have no negative zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return toInt(BigInt(a) * BigInt(b));
}

export function divideInts(a: Int, b: Int): Int | CelError {
  if (b === 0) return new CelError('division by zero');
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return toInt(BigInt(a) / BigInt(b));
}

export function remainderInts(a: Int, b: Int): Int | CelError {
  if (b === 0) return new CelError('modulus by zero');
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (b === -1 && BigInt(a) === minInt) return integerOverflow;
  return toInt(BigInt(a) % BigInt(b));
}

export function negateInt(a: Int): Int | CelError {
  return typeof a === 'number' ? 0 - a : toInt(-a);
}

/**
 * Returns a number below, at or above zero; `undefined` for NaN. Compared with a double, an integer is rounded to the
 * nearest double.
 */
export function compareNumbers(a: Int | Double | Uint, b: Int | Double | Uint): number | undefined {
  const isInexact = a instanceof Double || b instanceof Double;
  const left = isInexact ? Number(plain(a)) : plain(a);
  const right = isInexact ? Number(plain(b)) : plain(b);
  if (left < right) return -1;
  if (left > right) return 1;
  return left <= right ? 0 : undefined;
}

function plain(value: Int | Double | Uint): Int {
  return value instanceof Double || value instanceof Uint ? value.value : value;
}

/** Formats a double like Go's `%g`: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const scientific = value.toExponential();
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return value.toString();
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Converts a double for `int(double)`; an error beyond 64 bits. */
export function doubleToInt(value: number): Int | CelError {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return integerOverflow;
  const whole = Math.trunc(value) + 0;
  return Number.isSafeInteger(whole) ? whole : toInt(BigInt(whole));
}

export function doubleToUint(value: number): Uint | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return unsignedOverflow;
  return toUint(BigInt(Math.trunc(value)));
}

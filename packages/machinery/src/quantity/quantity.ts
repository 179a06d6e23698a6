import type { Suffix } from './suffix.ts';
import { binarySuffixOf, decimalSuffixOf } from './suffix.ts';

/**
 * The notation of a quantity, in which it is also printed:
 * - `DecimalSI`: 12M, 500m
 * - `BinarySI`: 12Mi
 * - `DecimalExponent`: 12e6
 */
export type QuantityFormat = Suffix['format'];

/**
 * An exact amount, such as of memory or CPU. Immutable; all arithmetic is exact and keeps the format of the left
 * operand, unless that is zero.
 *
 *     parseQuantity('1.5Gi').add(parseQuantity('512Mi')).toString()   // '2Gi'
 */
export class Quantity {
  readonly format: QuantityFormat;
  /** The amount is `#unscaled` times ten to the power of `#scale`. */
  readonly #unscaled: bigint;
  readonly #scale: number;
  /** The text it was read from, where Kubernetes prints that instead of the canonical form. */
  readonly #text: string | undefined;

  /** `unscaled * 10^scale`. Use `parseQuantity` to read text. */
  constructor(unscaled: bigint, scale = 0, format: QuantityFormat = 'DecimalSI', text?: string) {
    this.#unscaled = unscaled;
    this.#scale = scale;
    this.format = format;
    this.#text = text;
  }

  add(other: Quantity): Quantity {
    return this.#combine(other, (left, right) => left + right);
  }

  subtract(other: Quantity): Quantity {
    return this.#combine(other, (left, right) => left - right);
  }

  multiply(factor: bigint): Quantity {
    return new Quantity(this.#unscaled * factor, this.#scale, this.format);
  }

  negate(): Quantity {
    return this.multiply(-1n);
  }

  /** Negative when this is less than `other`, zero when the amounts are equal, in whatever format. */
  compare(other: Quantity): number {
    const scale = Math.min(this.#scale, other.#scale);
    const difference = this.#at(scale) - other.#at(scale);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.#unscaled < 0n ? -1 : this.#unscaled > 0n ? 1 : 0;
  }

  get isZero(): boolean {
    return this.#unscaled === 0n;
  }

  /** Returns the nearest double. */
  toNumber(): number {
    return Number(`${this.#unscaled}e${this.#scale}`);
  }

  /**
   * Returns the amount as an integer of 64 bits, if Kubernetes holds it as one: `1k` is, but `1000m` and `1.5Gi` are
   * not, because they are held as fractions.
   */
  asInt64(): bigint | undefined {
    if (this.#scale < 0 || this.#scale > 18) return undefined;
    const value = this.#at(0);
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }

  /** Returns the amount in units of `10^scale`, rounded away from zero: `toInteger(-3)` counts thousandths. */
  toInteger(scale = 0): bigint {
    if (this.#scale >= scale) return this.#at(scale);
    const unit = 10n ** BigInt(scale - this.#scale);
    const whole = this.#unscaled / unit;
    return whole * unit === this.#unscaled ? whole : whole + BigInt(this.sign);
  }

  /** Returns the text that Kubernetes stores and shows: as it was written where that is kept, else the canonical form. */
  toString(): string {
    return this.#text ?? this.toCanonicalString();
  }

  /** Returns the text without a fraction, with the largest suffix that allows that: `1000m` is `1`, `1.5Gi` is `1536Mi`. */
  toCanonicalString(): string {
    if (this.isZero) return '0';
    return this.format === 'BinarySI' && this.#isBinaryPrintable() ? this.#formatBinary() : this.#formatDecimal();
  }

  toJSON(): string {
    return this.toString();
  }

  #combine(other: Quantity, operation: (left: bigint, right: bigint) => bigint): Quantity {
    const scale = Math.min(this.#scale, other.#scale);
    const format = this.isZero ? other.format : this.format;
    return new Quantity(operation(this.#at(scale), other.#at(scale)), scale, format);
  }

  /** Returns the amount in units of `10^scale`, where `scale` is at most the quantity's own. */
  #at(scale: number): bigint {
    return this.#unscaled * 10n ** BigInt(this.#scale - scale);
  }

  /** Amounts below 1Ki and amounts with a fraction have no binary form. */
  #isBinaryPrintable(): boolean {
    const whole = this.toInteger();
    return (whole >= 1024n || whole <= -1024n) && this.compare(new Quantity(whole)) === 0;
  }

  #formatBinary(): string {
    const { amount, factors } = removeFactors(this.toInteger(), 1024n, 6);
    return `${amount}${binarySuffixOf(factors * 10)}`;
  }

  #formatDecimal(): string {
    const { amount, factors } = removeFactors(this.#unscaled, 10n, Number.POSITIVE_INFINITY);
    const exponent = factors + this.#scale;
    const shown = this.format === 'DecimalExponent' ? floorToThree(exponent) : Math.min(floorToThree(exponent), 18);
    return `${amount * 10n ** BigInt(exponent - shown)}${decimalSuffixOf(shown, this.format)}`;
  }
}

function removeFactors(value: bigint, factor: bigint, limit: number): { amount: bigint; factors: number } {
  let amount = value;
  let factors = 0;
  while (factors < limit && amount % factor === 0n) {
    amount /= factor;
    factors++;
  }
  return { amount, factors };
}

function floorToThree(exponent: number): number {
  return Math.floor(exponent / 3) * 3;
}

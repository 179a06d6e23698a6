import { ParseError } from '../errors/parse-error.ts';
import { Quantity } from './quantity.ts';
import type { Suffix } from './suffix.ts';
import { parseSuffix } from './suffix.ts';

/** Most characters of a quantity. */
const textMaxLength = 1_024;

/**
 * Reads `100m`, `1.5Gi`, `1e3` or a number from JSON, ignoring white space around it. Rounds up, away from zero, beyond
 * a billionth. Throws `ParseError` with Kubernetes' message.
 */
export function parseQuantity(value: string | number | bigint): Quantity {
  const read = readQuantity(value);
  if (typeof read === 'string') throw new ParseError('quantity', read);
  return read;
}

/** Kubernetes' message for a text that does not look like a quantity. */
export const malformed = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** As `parseQuantity`, but returns the message instead of throwing: making an error takes longer than reading. */
export function readQuantity(value: string | number | bigint): Quantity | string {
  if (typeof value !== 'string' || value.length > rememberedLength) return readAnew(value);
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const read = readAnew(value);
  if (typeof read === 'string') return read;
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(value, read);
  return read;
}

/** Cache of recent quantities: objects repeat the same few amounts, and one is read many times. Cleared when full. */
const remembered = new Map<string, Quantity>();
const maxRemembered = 1_024;
const rememberedLength = 16;

function readAnew(value: string | number | bigint): Quantity | string {
  const text = typeof value === 'string' ? value.trim() : String(value).replace('e+', 'e');
  const parts = splitQuantity(text);
  if (parts === undefined) return malformed;
  const suffix = parseSuffix(parts.suffix);
  if (suffix === undefined) return "unable to parse quantity's suffix";
  return isSmall(parts, suffix) ? smallQuantity(text, parts, suffix) : largeQuantity(parts, suffix);
}

/** True when a text is a quantity without white space around it. */
export function isQuantity(value: string | number | bigint): boolean {
  return typeof readQuantity(value) !== 'string' && (typeof value !== 'string' || value === value.trim());
}

interface QuantityParts {
  readonly isNegative: boolean;
  /** Without leading zeros, but `0` rather than empty. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

/** A quantity may have no digits: `m` and even `+` are zero, as in Kubernetes. */
function splitQuantity(text: string): QuantityParts | undefined {
  if (text === '' || text.length > textMaxLength) return undefined;
  const isNegative = text.startsWith('-');
  let start = isNegative || text.startsWith('+') ? 1 : 0;
  while (text[start] === '0') start++;
  const wholeEnd = endOfDigits(text, start);
  const hasPoint = text[wholeEnd] === '.';
  const fractionEnd = hasPoint ? endOfDigits(text, wholeEnd + 1) : wholeEnd;
  const suffix = text.slice(fractionEnd);
  if (suffix !== '' && !/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) return undefined;
  const fraction = hasPoint ? text.slice(wholeEnd + 1, fractionEnd) : '';
  return { isNegative, whole: text.slice(start, wholeEnd) || '0', fraction, suffix };
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at]! >= '0' && text[at]! <= '9') at++;
  return at;
}

/** True for amounts that Kubernetes holds as an int64; for some of these it keeps the text. */
function isSmall({ whole, fraction }: QuantityParts, { base, exponent }: Suffix): boolean {
  if (base === 2) return fraction === '' && whole.length + Math.trunc(exponent * 0.3) <= 14;
  return whole.length + fraction.length <= 18 && exponent - fraction.length >= nanoScale;
}

const nanoScale = -9;

function smallQuantity(text: string, parts: QuantityParts, { base, exponent, format }: Suffix): Quantity {
  const digits = parts.whole + parts.fraction;
  const number = BigInt(digits);
  const signed = parts.isNegative ? -number : number;
  if (base === 2) {
    const keptText = number % 8n !== 0n ? text : undefined;
    return new Quantity(signed * 2n ** BigInt(exponent), 0, format, keptText);
  }
  const scale = exponent - parts.fraction.length;
  const isCanonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return new Quantity(signed, scale, format, isCanonical || text === '0' ? text : undefined);
}

const binaryMax = 2n ** 63n - 1n;

function largeQuantity({ isNegative, whole, fraction }: QuantityParts, { base, exponent, format }: Suffix): Quantity {
  const unscaled = BigInt(whole + fraction) * (base === 2 ? 2n ** BigInt(exponent) : 1n);
  const scale = (base === 10 ? exponent : 0) - fraction.length;
  const nanos = new Quantity(unscaled, scale).toInteger(nanoScale);
  const amount = format === 'BinarySI' ? capBinary(nanos) : nanos;
  const isFraction = amount > 0n && amount < 10n ** 9n;
  const shownFormat = format === 'BinarySI' && isFraction ? 'DecimalSI' : format;
  return new Quantity(isNegative ? -amount : amount, nanoScale, shownFormat);
}

function capBinary(nanos: bigint): bigint {
  const max = binaryMax * 10n ** 9n;
  return nanos > max ? max : nanos;
}

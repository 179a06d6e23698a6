import { table } from '@pintle/machinery/table';

/** A quantity as Go stores it: in 64 bits where it surely fits, else as a decimal of any length. */
interface GoQuantity {
  readonly value?: bigint;
  readonly scale?: number;
  /** Value in billionths. */
  readonly decimal?: bigint;
  /** Cached text; empty when it would have to be formatted again. */
  readonly text?: string;
  readonly format: string;
}

/** Prints a canonical quantity as Go prints its struct. */
export function printQuantity(text: string): string {
  const { value = 0n, scale = 0, decimal, text: cached = '', format } = goQuantityOf(text);
  const small = `(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  const large = `(resource.infDecAmount){Dec:(*inf.Dec)${decimal === undefined ? '<nil>' : printDecimal(decimal)}}`;
  return `{i:${small} d:${large} s:(string)${cached} Format:(resource.Format)${format}}`;
}

const decimalExponents: Readonly<Record<string, number>> = table({
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
});
const binaryExponents: Readonly<Record<string, number>> = table({ Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 });

/** Number of digits that surely fit into 64 bits; fewer with a binary suffix. */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 14;
const NANO = -9;
const LARGEST = 2n ** 63n - 1n;

function goQuantityOf(text: string): GoQuantity {
  if (text === '0') return { text, format: 'DecimalSI' };
  const [, sign = '', digits = '0', suffix = ''] = /^([+-]?)0*([1-9]\d*|0)(\D.*)?$/.exec(text) ?? [];
  const power = binaryExponents[suffix];
  const signed = (amount: bigint): bigint => (sign === '-' ? -amount : amount);
  return power === undefined
    ? decimalQuantity(text, digits, suffix, signed)
    : binaryQuantity(text, digits, power, signed);
}

function decimalQuantity(text: string, digits: string, suffix: string, signed: (amount: bigint) => bigint): GoQuantity {
  const exponent = decimalExponents[suffix] ?? Number(suffix.slice(1));
  const format = decimalExponents[suffix] === undefined ? 'DecimalExponent' : 'DecimalSI';
  const amount = BigInt(digits);
  if (digits.length > DECIMAL_DIGITS || exponent < NANO)
    return { decimal: signed(amount * 10n ** BigInt(Math.max(0, exponent - NANO))), format };
  const isCanonical = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return { value: signed(amount), scale: exponent, format, ...(isCanonical && { text }) };
}

function binaryQuantity(text: string, digits: string, power: number, signed: (amount: bigint) => bigint): GoQuantity {
  const number = BigInt(digits);
  const amount = number << BigInt(power);
  const fits = digits.length + Math.trunc((power * 3) / 10) <= BINARY_DIGITS;
  if (!fits) return { decimal: signed((amount > LARGEST ? LARGEST : amount) * 10n ** 9n), format: 'BinarySI' };
  return { value: signed(amount), format: 'BinarySI', ...((number & 7n) !== 0n && { text }) };
}

function printDecimal(unscaled: bigint): string {
  const absolute = unscaled < 0n ? -unscaled : unscaled;
  const words = wordsOf(absolute);
  const abs = words.length === 0 ? '<nil>' : `[${words.join(' ')}]`;
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)${abs}} scale:(inf.Scale)9}`;
}

const WORD_BITS = 64n;

/** Least significant first. */
function wordsOf(number: bigint): bigint[] {
  const words: bigint[] = [];
  for (let rest = number; rest > 0n; rest >>= WORD_BITS) words.push(BigInt.asUintN(64, rest));
  return words;
}

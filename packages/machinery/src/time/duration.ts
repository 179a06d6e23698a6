import { ParseError } from '../errors/parse-error.ts';
import { quoteBytes } from './go-quote.ts';

const unitNanoseconds = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const max = 2n ** 63n - 1n;

/**
 * Reads a Go duration, such as `1h30m`, `1.5s` or `-2ms`, to nanoseconds. Throws `ParseError` with Go's message;
 * refuses durations beyond some 292 years.
 */
export function parseDuration(text: string): bigint {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const body = text.slice(sign.length);
  if (body === '0') return 0n;
  if (body === '' || text.length > 1_000) throw invalidDuration(text);
  let total = 0n;
  for (let rest = body; rest !== ''; ) {
    const part = nextPart(rest, text);
    total += part.nanoseconds;
    rest = rest.slice(part.length);
  }
  if (total > (sign === '-' ? max + 1n : max)) throw invalidDuration(text);
  return sign === '-' ? -total : total;
}

/** As `parseDuration`, in milliseconds with a fraction, for timers. */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text)) / 1_000_000;
}

/** Formats as Go does: `1h30m0s`, `1.5s`, `100µs`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? '-' : ''}${size < 1_000_000_000n ? formatBelowSecond(size) : formatFromSecond(size)}`;
}

/** Reads one number with its unit, at the start of `rest`. */
function nextPart(rest: string, text: string): { readonly nanoseconds: bigint; readonly length: number } {
  const match = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest)!;
  const [number, whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') throw invalidDuration(text);
  const unit = /^[^0-9.]*/.exec(rest.slice(number.length))![0];
  if (unit === '') throw fail(`missing unit in duration ${quoteBytes(text)}`);
  const size = unitNanoseconds.get(unit);
  if (size === undefined) throw fail(`unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}`);
  const nanoseconds = BigInt(whole || '0') * size + fractionOf(fraction, size);
  return { nanoseconds, length: number.length + unit.length };
}

/** Truncates below a nanosecond. */
function fractionOf(digits: string, size: bigint): bigint {
  return digits === '' ? 0n : (BigInt(digits) * size) / 10n ** BigInt(digits.length);
}

function formatBelowSecond(size: bigint): string {
  if (size < 1_000n) return `${size}ns`;
  return size < 1_000_000n ? `${decimal(size, 3)}µs` : `${decimal(size, 6)}ms`;
}

function formatFromSecond(size: bigint): string {
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Formats `value` with its last `places` digits as a fraction, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

function invalidDuration(text: string): ParseError {
  return fail(`invalid duration ${quoteBytes(text)}`);
}

function fail(message: string): ParseError {
  return new ParseError('duration', `time: ${message}`);
}

import { CelError } from './value.ts';

const nanosPerSecond = 1_000_000_000n;
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
/** First and last second of the years 1 to 9999. */
const minSeconds = -62135596800n;
const maxSeconds = 253402300799n;

const durationOverflow: CelError = new CelError('integer overflow');
const timestampOverflow: CelError = new CelError('timestamp overflow');

/** A duration in nanoseconds, of 64 bits. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  static of(nanos: bigint): Duration | CelError {
    return nanos > maxInt64 || nanos < minInt64 ? durationOverflow : new Duration(nanos);
  }

  /** Formats the duration in seconds, as CEL does: `5400s`, `1.5s`. */
  toString(): string {
    const negative = this.nanos < 0n;
    const nanos = negative ? -this.nanos : this.nanos;
    return `${negative ? '-' : ''}${nanos / nanosPerSecond}${fraction(nanos % nanosPerSecond)}s`;
  }
}

/** A time in nanoseconds since 1970, and the zone of its text, which is used for formatting only. */
export class Timestamp {
  readonly nanos: bigint;
  readonly #offsetMinutes: number;

  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.#offsetMinutes = offsetMinutes;
  }

  static of(nanos: bigint, offsetMinutes = 0): Timestamp | CelError {
    const seconds = floorDivide(nanos, nanosPerSecond);
    return seconds < minSeconds || seconds > maxSeconds ? timestampOverflow : new Timestamp(nanos, offsetMinutes);
  }

  plus(nanos: bigint): Timestamp | CelError {
    return Timestamp.of(this.nanos + nanos, this.#offsetMinutes);
  }

  get seconds(): bigint {
    return floorDivide(this.nanos, nanosPerSecond);
  }

  /** Milliseconds since 1970, rounded down. */
  get ms(): number {
    return Number(floorDivide(this.nanos, 1_000_000n));
  }

  /** Formats the time as RFC 3339 in its zone, with the fraction that it has. */
  toString(): string {
    const local = Number(this.seconds) * 1_000 + this.#offsetMinutes * 60_000;
    const date = new Date(local).toISOString().slice(0, 19);
    return `${date}${fraction(this.nanos - this.seconds * nanosPerSecond)}${zone(this.#offsetMinutes)}`;
  }
}

function fraction(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

function zone(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const minutes = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return quotient * b > a ? quotient - 1n : quotient;
}

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', nanosPerSecond],
  ['m', 60n * nanosPerSecond],
  ['h', 3_600n * nanosPerSecond],
]);

/** Parses a duration like Go: `1h30m`, `-1.5s`, `0`. */
export function parseGoDuration(text: string): Duration | undefined {
  if (text.length > 200) return undefined;
  const match = /^([-+]?)(.*)$/s.exec(text)!;
  const rest = match[2]!;
  if (rest === '0') return new Duration(0n);
  if (rest === '') return undefined;
  let total = 0n;
  let end = 0;
  for (const part of rest.matchAll(/(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(ns|us|µs|μs|ms|s|m|h)/gy)) {
    const [whole, integer = '0', decimals, leading] = part;
    const digits = (decimals ?? leading ?? '').slice(0, 30);
    const unit = unitNanos.get(part[4]!)!;
    total += BigInt(integer) * unit + (BigInt(digits === '' ? '0' : digits) * unit) / 10n ** BigInt(digits.length);
    end += whole.length;
  }
  if (end !== rest.length) return undefined;
  const duration = Duration.of(match[1] === '-' ? -total : total);
  return duration instanceof Duration ? duration : undefined;
}

/** Parses RFC 3339 like Go, with a capital `T`, a zone, and fractions to the nanosecond. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  if (text.length > 100) return undefined;
  const match =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:(Z)|([+-])([0-9]{2}):([0-9]{2}))$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as number[] & { length: 6 };
  const nanos = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const offset =
    match[9] === undefined ? 0 : (match[9] === '-' ? -1 : 1) * (Number(match[10]) * 60 + Number(match[11]));
  if (!isDay(year!, month!, day!) || hour! > 23 || minute! > 59 || second! > 59) return undefined;
  if (Number(match[10] ?? 0) > 23 || Number(match[11] ?? 0) > 59) return undefined;
  const ms = new Date(0).setUTCFullYear(year!, month! - 1, day!) + (hour! * 60 + minute! - offset) * 60_000;
  return Timestamp.of(BigInt(ms) * 1_000_000n + BigInt(second!) * nanosPerSecond + nanos, offset);
}

export function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  return month >= 1 && month <= 12 && date.getUTCDate() === day && date.getUTCMonth() === month - 1;
}

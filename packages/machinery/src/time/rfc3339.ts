import { ParseError } from '../errors/parse-error.ts';
import { quoteBytes } from './go-quote.ts';

/**
 * Reads an RFC 3339 time, such as `2026-01-02T03:04:05Z` or with an offset or a fraction, to milliseconds since 1970.
 * Truncates below a millisecond. Throws `ParseError` with the message of Go's parser.
 */
export function parseTime(text: string): number {
  return Math.floor(new TimeReader(text, timeLayout).read() / 1_000);
}

/** Formats `meta/v1 Time` as it is stored: whole seconds, in UTC. */
export function formatTime(ms: number): string {
  return `${formatSeconds(ms)}Z`;
}

/** Reads a `meta/v1 MicroTime`, which must have six digits of fraction, to microseconds since 1970. */
export function parseMicroTime(text: string): number {
  return new TimeReader(text, microTimeLayout).read();
}

/** Formats `meta/v1 MicroTime` as it is stored: six digits of fraction, in UTC. */
export function formatMicroTime(microseconds: number): string {
  const fraction = microseconds - Math.floor(microseconds / 1_000_000) * 1_000_000;
  return `${formatSeconds(Math.floor(microseconds / 1_000))}.${String(fraction).padStart(6, '0')}Z`;
}

/** Returns the message of Go's parser for a text that is not a date such as `2026-01-02`; `undefined` when it is. */
export function dateProblem(text: string): string | undefined {
  return problemOf(() => new TimeReader(text, dateLayout).readDate());
}

/** Returns the message of Go's parser for a text that is not a time without a zone; `undefined` when it is. */
export function localTimeProblem(text: string): string | undefined {
  return problemOf(() => new TimeReader(text, localTimeLayout).readLocalTime());
}

function problemOf(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return error.message;
  }
}

const dateLayout = '2006-01-02';
const localTimeLayout = '2006-01-02T15:04:05';
const timeLayout = '2006-01-02T15:04:05Z07:00';
const microTimeLayout = '2006-01-02T15:04:05.000000Z07:00';

/** The last second that was formatted: most times are written within the same second. */
let last = { second: Number.NaN, text: '' };

function formatSeconds(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== last.second) last = { second, text: formatDate(new Date(ms)) };
  return last.text;
}

function formatDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return `${day}T${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

/** Reads the text along the layout; errors name the element at which they differ. */
class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  /** Returns microseconds since 1970. */
  read(): number {
    const date = this.#date();
    const seconds = this.#clock();
    const fraction = this.#layout === microTimeLayout ? this.#sixDigits() : this.#anyFraction();
    const offsetMinutes = this.#offset();
    const ms = this.#end(date) + (seconds - offsetMinutes * 60) * 1_000;
    return ms * 1_000 + fraction;
  }

  readDate(): void {
    this.#end(this.#date());
  }

  readLocalTime(): void {
    const date = this.#date();
    this.#clock();
    this.#anyFraction();
    this.#end(date);
  }

  #date(): readonly [year: number, month: number, day: number] {
    const year = this.#digits('2006', 4);
    const month = this.#literal('-').#number('01', 1, 12, 'month');
    return [year, month, this.#literal('-').#digits('02', 2)];
  }

  /** Returns seconds since midnight. */
  #clock(): number {
    const hour = this.#literal('T').#number('15', 0, 23, 'hour');
    const minute = this.#literal(':').#number('04', 0, 59, 'minute');
    return (hour * 60 + minute) * 60 + this.#literal(':').#number('05', 0, 59, 'second');
  }

  /** Returns the milliseconds from 1970 to a day, if the text ends here and the day exists. */
  #end([year, month, day]: readonly [number, number, number]): number {
    if (this.#rest !== '') throw this.#failWith(`: extra text: ${quoteBytes(this.#rest)}`);
    if (day < 1 || day > daysIn(year, month)) throw this.#failWith(': day out of range');
    return utc(year, month, day);
  }

  #literal(expected: string): this {
    if (!this.#rest.startsWith(expected)) throw this.#failAt(expected);
    this.#rest = this.#rest.slice(expected.length);
    return this;
  }

  #number(element: string, min: number, max: number, name: string): number {
    // Go accepts a single digit for the hour and requires two for all others.
    const count = element === '15' && !/^[0-9]{2}/.test(this.#rest) ? 1 : 2;
    const value = this.#digits(element, count);
    if (value < min || value > max) throw this.#failWith(`: ${name} out of range`);
    return value;
  }

  #digits(element: string, count: number): number {
    const digits = this.#rest.slice(0, count);
    if (digits.length < count || !/^[0-9]+$/.test(digits)) throw this.#failAt(element);
    this.#rest = this.#rest.slice(count);
    return Number(digits);
  }

  #sixDigits(): number {
    const match = /^[.,]([0-9]{6})/.exec(this.#rest);
    if (match === null) throw this.#failAt('.000000');
    this.#rest = this.#rest.slice(match[0].length);
    return Number(match[1]);
  }

  #anyFraction(): number {
    const match = /^[.,]([0-9]+)/.exec(this.#rest);
    if (match === null) return 0;
    this.#rest = this.#rest.slice(match[0].length);
    return Number(match[1]!.slice(0, 6).padEnd(6, '0'));
  }

  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.#rest);
    if (match === null) throw this.#failAt('Z07:00');
    const [whole, sign, hours, minutes] = match;
    if (Number(hours) > 24) throw this.#failWith(': time zone offset hour out of range');
    if (Number(minutes) > 60) throw this.#failWith(': time zone offset minute out of range');
    this.#rest = this.#rest.slice(whole.length);
    const offset = Number(hours) * 60 + Number(minutes);
    return sign === '-' ? -offset : offset;
  }

  #failAt(element: string): ParseError {
    const found = quoteBytes(this.#rest);
    return this.#failWith(` as ${quoteBytes(this.#layout)}: cannot parse ${found} as ${quoteBytes(element)}`);
  }

  #failWith(message: string): ParseError {
    return new ParseError('time', `parsing time ${quoteBytes(this.#text)}${message}`);
  }
}

function daysIn(year: number, month: number): number {
  return new Date(utc(year, month + 1, 1) - 1).getUTCDate();
}

/** `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

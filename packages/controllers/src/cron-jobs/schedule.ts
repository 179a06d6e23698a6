import { table } from '@pintle/machinery/table';
import { parseDuration } from '@pintle/machinery/time';
import { ZonedTime } from './zoned-time.ts';

/** When something is to happen. */
export interface Schedule {
  /** The first time after this one, on a whole second; `undefined` when there is none within five years. */
  next(afterMs: number): number | undefined;
}

const WORDS: Readonly<Record<string, string>> = table({
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
});
const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * Reads minute, hour, day of month, month and day of week (`30 9-17/2 * * mon-fri`), a word for them (`@daily`), or
 * `@every 90s`. `TZ=Europe/Berlin ` before them names a zone, which comes before the one given; without any, it is UTC.
 * Throws with words when it makes no sense.
 */
export function parseSchedule(text: string, zoneName = 'UTC'): Schedule {
  const prefixed = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(text.trim());
  const zone = zoneOf(prefixed?.[1] ?? zoneName);
  const words = (prefixed?.[2] ?? text).trim();
  if (words.startsWith('@every ')) return new Interval(words.slice('@every '.length));
  if (words.startsWith('@') && !Object.hasOwn(WORDS, words)) throw new TypeError(`unrecognized descriptor: ${words}`);
  const fields = (WORDS[words] ?? words).split(/\s+/);
  if (fields.length !== 5)
    throw new TypeError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  return new Calendar(fields, zone);
}

function zoneOf(name: string): ZonedTime {
  try {
    return name === '' || name === 'UTC' ? ZonedTime.utc : new ZonedTime(name);
  } catch {
    throw new TypeError(`provided bad location ${name}: unknown time zone ${name}`);
  }
}

/** So long after the last time, whatever the calendar says. */
class Interval implements Schedule {
  readonly #seconds: number;

  constructor(duration: string) {
    this.#seconds = Math.max(1, Number(parseDuration(duration) / 1_000_000_000n));
  }

  next(afterMs: number): number {
    return (Math.floor(afterMs / 1_000) + this.#seconds) * 1_000;
  }
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const YEARS = 5;

/**
 * Times by the calendar of a zone. Where clocks go forward, times they skip do not happen; where they go back, times
 * that are shown twice happen twice.
 */
class Calendar implements Schedule {
  readonly #minutes: Field;
  readonly #hours: Field;
  readonly #days: Field;
  readonly #months: Field;
  readonly #weekdays: Field;
  readonly #zone: ZonedTime;

  constructor([minutes = '', hours = '', days = '', months = '', weekdays = '']: readonly string[], zone: ZonedTime) {
    this.#minutes = new Field(minutes, 0, 59);
    this.#hours = new Field(hours, 0, 23);
    this.#days = new Field(days, 1, 31);
    this.#months = new Field(months, 1, 12, MONTHS);
    this.#weekdays = new Field(weekdays, 0, 6, DAYS);
    this.#zone = zone;
  }

  next(afterMs: number): number | undefined {
    const fromMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
    const start = this.#zone.wallTime(fromMs);
    for (let { year, month, day } = start; year <= start.year + YEARS; ) {
      if (this.#months.has(month) && this.#hasDay(year, month, day)) {
        const found = this.#nextWithin({ year, month, day }, fromMs);
        if (found !== undefined) return found;
      }
      const skipsMonth = !this.#months.has(month);
      const next = new Date(Date.UTC(year, skipsMonth ? month : month - 1, skipsMonth ? 1 : day + 1));
      [year, month, day] = [next.getUTCFullYear(), next.getUTCMonth() + 1, next.getUTCDate()];
    }
    return undefined;
  }

  /** When both kinds of day are named, either will do. */
  #hasDay(year: number, month: number, day: number): boolean {
    const isDay = this.#days.has(day);
    const isWeekday = this.#weekdays.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
    return this.#days.isStar || this.#weekdays.isStar ? isDay && isWeekday : isDay || isWeekday;
  }

  #nextWithin(
    { year, month, day }: { readonly year: number; readonly month: number; readonly day: number },
    fromMs: number,
  ): number | undefined {
    let ms = Math.max(fromMs, this.#zone.startOfDay(year, month, day));
    for (;;) {
      const wall = this.#zone.wallTime(ms);
      if (wall.day !== day || wall.month !== month) return undefined;
      const minute = this.#hours.has(wall.hour) ? this.#minutes.nextFrom(wall.minute) : undefined;
      if (minute === wall.minute) return ms;
      ms = this.#forward(ms, (minute ?? HOUR_MINUTES) - wall.minute);
    }
  }

  /** So many minutes on, unless the clocks change on the way: then to where they do. */
  #forward(ms: number, minutes: number): number {
    const offset = this.#zone.offsetMs(ms);
    const targetMs = ms + minutes * MINUTE_MS;
    if (this.#zone.offsetMs(targetMs) === offset) return targetMs;
    let changeMs = ms + MINUTE_MS;
    while (this.#zone.offsetMs(changeMs) === offset) changeMs += MINUTE_MS;
    return changeMs;
  }
}

/** The numbers one part of a schedule names: `*`, `5`, `1-5`, any of them with a step, any number of these. */
class Field {
  /** Says nothing about its part of the time. */
  readonly isStar: boolean;
  readonly #has: readonly boolean[];

  constructor(text: string, min: number, max: number, names: readonly string[] = []) {
    const has: boolean[] = Array.from({ length: max + 1 }, () => false);
    let isStar = false;
    for (const part of text.split(',').filter((each) => each !== '')) {
      const { first, last, step, isAny } = readRange(part, min, max, names);
      isStar ||= isAny && step === 1;
      for (let number = first; number <= last; number += step) has[number] = true;
    }
    this.#has = has;
    this.isStar = isStar;
  }

  has(number: number): boolean {
    return this.#has[number] === true;
  }

  /** The first number from this one on. */
  nextFrom(number: number): number | undefined {
    const found = this.#has.indexOf(true, number);
    return found === -1 ? undefined : found;
  }
}

function readRange(text: string, min: number, max: number, names: readonly string[]) {
  const [range = '', stepText] = text.split('/');
  const [low = '', high] = range.split('-');
  const isAny = low === '*' || low === '?';
  const first = isAny ? min : readNumber(low, names);
  const single = stepText === undefined ? first : max;
  const last = isAny ? max : high === undefined ? single : readNumber(high, names);
  const step = stepText === undefined ? 1 : readNumber(stepText, []);
  if (first < min || last > max || first > last || step < 1)
    throw new TypeError(`cannot read ${JSON.stringify(text)}: it is not within ${min} and ${max}`);
  return { first, last, step, isAny };
}

function readNumber(text: string, names: readonly string[]): number {
  const position = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (position >= 0) return position;
  if (!/^\+?\d{1,9}$/.test(text)) throw new TypeError(`failed to parse int from ${text}`);
  return Number(text);
}

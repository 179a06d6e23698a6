import { quote } from '../errors/quote.ts';
import { table } from '../table/index.ts';
import { parseDuration } from './duration.ts';
import { isTimeZone } from './zoned-time.ts';

/** A parsed schedule. `zone` is the one in its text; an empty name is UTC. */
type CronExpression = { readonly zone?: string } & (
  | { readonly everySeconds: number }
  | { readonly fields: CalendarFields }
);

/** Minute, hour, day of month, month and day of week. */
export type CalendarFields = readonly [NumberField, NumberField, NumberField, NumberField, NumberField];

/** Throws TypeError, in the words of Kubernetes' parser, for an invalid schedule. */
export function readCronExpression(text: string): CronExpression {
  if (!/^(?:CRON_)?TZ=/.test(text)) return readZoneless(text);
  const space = text.indexOf(' ');
  if (space === -1) throw new TypeError('invalid schedule format: runtime error: slice bounds out of range');
  const zone = text.slice(text.indexOf('=') + 1, space);
  if (zone !== '' && !isTimeZone(zone)) {
    throw new TypeError(`provided bad location ${zone}: unknown time zone ${zone}`);
  }
  return { zone, ...readZoneless(text.slice(space).trim()) };
}

const DESCRIPTORS: Readonly<Record<string, string>> = table({
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
});

function readZoneless(text: string): CronExpression {
  if (text.startsWith('@every ')) return { everySeconds: readSeconds(text) };
  const words = text.startsWith('@') ? DESCRIPTORS[text] : text;
  if (words === undefined) throw new TypeError(`unrecognized descriptor: ${text}`);
  const parts = words.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== BOUNDS.length) {
    throw new TypeError(`expected exactly ${BOUNDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`);
  }
  const [minutes, hours, days, months, weekdays] = BOUNDS.map(
    (bounds, index) => new NumberField(parts[index]!, bounds),
  );
  return { fields: [minutes!, hours!, days!, months!, weekdays!] };
}

function readSeconds(descriptor: string): number {
  try {
    return Number(parseDuration(descriptor.slice('@every '.length)) / 1_000_000_000n);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new TypeError(`failed to parse duration ${descriptor}: ${message}`, { cause: error });
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of the numbers from `min` on. */
  readonly names?: readonly string[];
}

const BOUNDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/** The numbers of one part of a schedule: `*`, `5`, `1-5`, each perhaps with a step, or a list of these. */
export class NumberField {
  /** Leaves its part of the time open. */
  readonly isStar: boolean;
  readonly #has: readonly boolean[];

  constructor(text: string, bounds: Bounds) {
    const ranges = text.split(',').filter((each) => each !== '');
    const has: boolean[] = Array.from({ length: bounds.max + 1 }, () => false);
    let isStar = false;
    for (const range of ranges) {
      const { first, last, step, isAny } = readRange(range, bounds);
      isStar ||= isAny && step === 1;
      for (let number = first; number <= last; number += step) has[number] = true;
    }
    this.#has = has;
    this.isStar = isStar;
  }

  has(number: number): boolean {
    return this.#has[number] === true;
  }

  /** Returns the first number from this one on. */
  nextFrom(number: number): number | undefined {
    const found = this.#has.indexOf(true, number);
    return found === -1 ? undefined : found;
  }
}

interface NumberRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** Reads `5`, `1-5` or a star, each perhaps with a step, such as `0-30/15`; `5/15` continues to the end. */
function readRange(text: string, { min, max, names = [] }: Bounds): NumberRange {
  const [range = '', stepText, ...slashes] = text.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const isAny = low === '*' || low === '?';
  const numberOf = (word: string): bigint => readNamed(word, names, min) ?? readNumber(word);
  const first = isAny ? BigInt(min) : numberOf(low);
  if (!isAny && hyphens.length > 0) throw new TypeError(`too many hyphens: ${text}`);
  const named = isAny ? BigInt(max) : high === undefined ? first : numberOf(high);
  if (slashes.length > 0) throw new TypeError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1n : readNumber(stepText);
  const last = stepText !== undefined && high === undefined ? BigInt(max) : named;
  if (first < min) throw new TypeError(`beginning of range (${first}) below minimum (${min}): ${text}`);
  if (last > max) throw new TypeError(`end of range (${last}) above maximum (${max}): ${text}`);
  if (first > last) throw new TypeError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  if (step === 0n) throw new TypeError(`step of range should be a positive number: ${text}`);
  return { first: Number(first), last: Number(last), step: Number(step), isAny };
}

function readNamed(text: string, names: readonly string[], min: number): bigint | undefined {
  const position = names.indexOf(text.toLowerCase());
  return position === -1 ? undefined : BigInt(position + min);
}

const MAX_INT64 = 2n ** 63n - 1n;

function readNumber(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(text, 'invalid syntax');
  const number = BigInt(text.replace('+', ''));
  if (number > MAX_INT64) throw unreadable(text, 'value out of range');
  if (number < 0n) throw new TypeError(`negative number (${number}) not allowed: ${text}`);
  return number;
}

function unreadable(text: string, why: string): TypeError {
  return new TypeError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${why}`);
}

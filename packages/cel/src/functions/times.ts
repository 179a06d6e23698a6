import { DURATION, INT, STRING, TIMESTAMP } from '../types/type.ts';
import type { Duration, Timestamp } from '../values/time.ts';
import { CelError } from '../values/value.ts';
import { type FunctionDeclaration, func, member } from './declare.ts';

/** A local time. */
interface WallTime {
  /** Milliseconds since 1970, as if the local time were UTC. */
  readonly ms: number;
}

const parts: readonly (readonly [name: string, id: string, read: (date: Date) => number])[] = [
  ['getFullYear', 'year', (date) => date.getUTCFullYear()],
  ['getMonth', 'month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'day_of_year', dayOfYear],
  ['getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'hours', (date) => date.getUTCHours()],
  ['getMinutes', 'minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'seconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds()],
];

const durationUnits: ReadonlyMap<string, bigint> = new Map([
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n],
]);

/** Accessors of timestamps, in UTC or a named zone, and of durations, converted to whole units. */
export const times: readonly FunctionDeclaration[] = parts.map(([name, id, read]) => {
  const unit = durationUnits.get(name);
  return func(
    name,
    member(`timestamp_to_${id}`, [TIMESTAMP], INT, (at: Timestamp) => read(new Date(at.ms))),
    member(`timestamp_to_${id}_with_tz`, [TIMESTAMP, STRING], INT, (at: Timestamp, zone: string) => {
      const wall = wallTimeIn(at, zone);
      return wall instanceof CelError ? wall : read(new Date(wall.ms));
    }),
    ...(unit === undefined
      ? []
      : [member(`duration_to_${id}`, [DURATION], INT, ({ nanos }: Duration) => Number(nanos / unit))]),
  );
});

function dayOfYear(date: Date): number {
  const start = new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start) / 86_400_000);
}

function wallTimeIn(at: Timestamp, zone: string): WallTime | CelError {
  const offset = /^([+-]?)([0-9]{1,2}):([0-9]{2})$/.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return { ms: at.ms + (offset[1] === '-' ? -minutes : minutes) * 60_000 };
  }
  const clock = clockOf(zone);
  return clock instanceof CelError ? clock : { ms: clock(at.ms) };
}

type Clock = (ms: number) => number;

const clocks = new Map<string, Clock | CelError>();
const maxClocks = 1_000;

function clockOf(zone: string): Clock | CelError {
  if (zone === '' || zone === 'UTC') return (ms) => ms;
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = makeClock(zone);
  if (clocks.size >= maxClocks) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

function makeClock(timeZone: string): Clock | CelError {
  const format = wallFormat(timeZone);
  if (format === undefined) return new CelError(`unknown time zone ${timeZone}`);
  return (ms) => {
    const fields = new Map<string, number>(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const get = (name: string) => fields.get(name) ?? 0;
    const day = new Date(0).setUTCFullYear(get('year'), get('month') - 1, get('day'));
    const milliseconds = ((ms % 1_000) + 1_000) % 1_000;
    return day + ((get('hour') * 60 + get('minute')) * 60 + get('second')) * 1_000 + milliseconds;
  };
}

function wallFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  if (timeZone.length > 100) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
}

import type { CalendarFields, NumberField } from './cron-expression.ts';
import { readCronExpression } from './cron-expression.ts';
import { ZonedTime } from './zoned-time.ts';

/** Times at which something recurs. */
export interface Schedule {
  /** Returns the first time after this one, on a whole second; `undefined` when the next five years have none. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads minute, hour, day of month, month and day of week (`30 9-17/2 * * mon-fri`), a descriptor (`@daily`), or
 * `@every 90s`. A prefix `TZ=Europe/Berlin ` sets the zone and takes precedence over `zoneName`. Default: UTC. Throws
 * TypeError with Kubernetes' message for an invalid schedule.
 */
export function parseSchedule(text: string, zoneName = 'UTC'): Schedule {
  const expression = readCronExpression(text);
  const zone = zoneOf(expression.zone ?? zoneName);
  return 'everySeconds' in expression ? new Interval(expression.everySeconds) : new Calendar(expression.fields, zone);
}

/** Returns Kubernetes' message for an invalid schedule; `undefined` when it is valid. */
export function scheduleProblem(text: string): string | undefined {
  try {
    readCronExpression(text);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

function zoneOf(name: string): ZonedTime {
  try {
    return name === '' || name === 'UTC' ? ZonedTime.utc : new ZonedTime(name);
  } catch {
    throw new TypeError(`provided bad location ${name}: unknown time zone ${name}`);
  }
}

/** Recurs a fixed time after the last one, whatever the calendar. */
class Interval implements Schedule {
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = Math.max(1, seconds);
  }

  next(afterMs: number): number {
    return (Math.floor(afterMs / 1_000) + this.#seconds) * 1_000;
  }
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const YEARS = 5;

/**
 * Recurs by the calendar of a zone. Where clocks go forward, the skipped times do not happen; where they go back,
 * repeated times happen twice.
 */
class Calendar implements Schedule {
  readonly #minutes: NumberField;
  readonly #hours: NumberField;
  readonly #days: NumberField;
  readonly #months: NumberField;
  readonly #weekdays: NumberField;
  readonly #zone: ZonedTime;

  constructor([minutes, hours, days, months, weekdays]: CalendarFields, zone: ZonedTime) {
    this.#minutes = minutes;
    this.#hours = hours;
    this.#days = days;
    this.#months = months;
    this.#weekdays = weekdays;
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

  /** When both kinds of day are restricted, one match is enough. */
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

  /** Advances by that many minutes, or to the change of the clocks if there is one on the way. */
  #forward(ms: number, minutes: number): number {
    const offset = this.#zone.offsetMs(ms);
    const targetMs = ms + minutes * MINUTE_MS;
    if (this.#zone.offsetMs(targetMs) === offset) return targetMs;
    let changeMs = ms + MINUTE_MS;
    while (this.#zone.offsetMs(changeMs) === offset) changeMs += MINUTE_MS;
    return changeMs;
  }
}

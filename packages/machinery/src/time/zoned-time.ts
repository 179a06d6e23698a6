const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The date and time that a clock in a zone shows. */
export interface WallTime {
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** Converts between moments and the times that clocks in a zone show. */
export class ZonedTime {
  static readonly utc = new ZonedTime('UTC');
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Offsets by hour: asking the engine is slow, schedules ask often, and a zone's offset changes at most twice a year. */
  readonly #offsets = new Map<number, number>();

  /** Throws a RangeError for an unknown zone. */
  constructor(zone: string) {
    if (zone !== 'UTC' && zone !== '')
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
      } as Intl.DateTimeFormatOptions);
  }

  wallTime(ms: number): WallTime {
    const date = new Date(ms + this.offsetMs(ms));
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
    };
  }

  /** Returns how far the zone is ahead of UTC. */
  offsetMs(ms: number): number {
    if (this.#format === undefined) return 0;
    // Offsets change only at quarters of an hour.
    const quarter = Math.floor(ms / (15 * MINUTE_MS));
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      offset = this.#askOffset(this.#format, quarter * 15 * MINUTE_MS);
      if (this.#offsets.size >= 1_024) this.#offsets.clear();
      this.#offsets.set(quarter, offset);
    }
    return offset;
  }

  /** Returns the first moment of a day. Days may overflow: January 32 is February 1. */
  startOfDay(year: number, month: number, day: number): number {
    const midnight = Date.UTC(year, month - 1, day);
    const before = midnight - this.offsetMs(midnight - DAY_MS);
    const after = midnight - this.offsetMs(midnight + DAY_MS);
    const exact = [before, after].filter((ms) => ms + this.offsetMs(ms) === midnight);
    // Where clocks skip midnight, the day begins at the end of the gap.
    return exact.length > 0 ? Math.min(...exact) : before;
  }

  /** `2026-03-29T03:30:00+02:00`. */
  format(ms: number): string {
    const offset = this.offsetMs(ms);
    const wall = new Date(ms + offset).toISOString().slice(0, 19);
    if (offset === 0) return `${wall}Z`;
    const size = Math.abs(offset);
    const two = (count: number): string => `${Math.floor(count)}`.padStart(2, '0');
    return `${wall}${offset < 0 ? '-' : '+'}${two(size / HOUR_MS)}:${two((size % HOUR_MS) / MINUTE_MS)}`;
  }

  #askOffset(format: Intl.DateTimeFormat, ms: number): number {
    const shown: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(ms)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
  }
}

/** True for a name as the time zone database spells it; the engine alone would accept any case. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;
    return resolved === zone || resolved.toLowerCase() !== zone.toLowerCase();
  } catch {
    return false;
  }
}

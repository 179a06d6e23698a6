import { parseTime } from './rfc3339.ts';

const secondsPerMinute = 60;
const secondsPerHour = 3_600;
const secondsPerDay = 86_400;
const secondsPerYear = 365 * secondsPerDay;

/** Formats a duration in two or three digits, as kubectl prints ages: `45s`, `5m10s`, `3h`, `2d4h`, `3y12d`. */
export function humanDuration(ms: number): string {
  const seconds = wholeSeconds(ms);
  if (seconds < -1) return '<invalid>';
  // Clocks of two machines differ slightly: the last second of the future counts as now.
  if (seconds < 2 * secondsPerMinute) return `${Math.max(0, seconds)}s`;
  if (seconds < 10 * secondsPerMinute) return two(seconds, secondsPerMinute, 'm', 1, 's');
  if (seconds < 3 * secondsPerHour) return one(seconds, secondsPerMinute, 'm');
  if (seconds < 8 * secondsPerHour) return two(seconds, secondsPerHour, 'h', secondsPerMinute, 'm');
  if (seconds < 2 * secondsPerDay) return one(seconds, secondsPerHour, 'h');
  if (seconds < 8 * secondsPerDay) return two(seconds, secondsPerDay, 'd', secondsPerHour, 'h');
  if (seconds < 2 * secondsPerYear) return one(seconds, secondsPerDay, 'd');
  if (seconds < 8 * secondsPerYear) return two(seconds, secondsPerYear, 'y', secondsPerDay, 'd');
  return one(seconds, secondsPerYear, 'y');
}

/** Formats a duration in its largest unit alone: `45s`, `5m`, `3h`, `2d`, `3y`. */
export function shortHumanDuration(ms: number): string {
  const seconds = wholeSeconds(ms);
  if (seconds < -1) return '<invalid>';
  if (seconds < secondsPerMinute) return `${Math.max(0, seconds)}s`;
  if (seconds < secondsPerHour) return one(seconds, secondsPerMinute, 'm');
  if (seconds < secondsPerDay) return one(seconds, secondsPerHour, 'h');
  return seconds < secondsPerYear ? one(seconds, secondsPerDay, 'd') : one(seconds, secondsPerYear, 'y');
}

/** Formats the time since `timestamp` for the AGE column; `<unknown>` when it is absent or cannot be read. */
export function formatAge(timestamp: string | null | undefined, nowMs: number): string {
  if (!timestamp) return '<unknown>';
  try {
    return humanDuration(nowMs - parseTime(timestamp));
  } catch {
    return '<unknown>';
  }
}

/** Go's longest duration, 2^63 - 1 ns or 292 years. Longer ones are capped. */
const longestSeconds = 9_223_372_036;

function wholeSeconds(ms: number): number {
  return Math.min(Math.trunc(ms / 1_000), longestSeconds);
}

function one(seconds: number, size: number, unit: string): string {
  return `${Math.floor(seconds / size)}${unit}`;
}

/** Formats two units; omits the smaller when it is zero. */
function two(seconds: number, size: number, unit: string, smallSize: number, smallUnit: string): string {
  const small = Math.floor((seconds % size) / smallSize);
  return small === 0 ? one(seconds, size, unit) : `${one(seconds, size, unit)}${small}${smallUnit}`;
}

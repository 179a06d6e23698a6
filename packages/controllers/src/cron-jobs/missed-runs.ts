import type { CronJob } from '@pintle/kinds/batch/v1';
import type { Schedule } from '@pintle/machinery/time';

/** Scheduled times since a CronJob last ran or was created. */
export interface MissedRuns {
  readonly sinceMs: number;
  /** The most recent scheduled time; `undefined` when none has passed. */
  readonly atMs: number | undefined;
  readonly count: 'none' | 'few' | 'many';
}

/** More missed times than a delay explains: a clock is wrong, or the controller was down for long. */
const MANY = 100;
/** Margin for early timers and differing clocks. */
const PADDING_MS = 100;

/**
 * Returns the scheduled times that were missed. Throws when the schedule does not advance. With `startsLate`, times
 * before the starting deadline count too.
 */
export function missedRuns(
  { metadata, spec, status }: CronJob,
  schedule: Schedule,
  nowMs: number,
  { startsLate }: { readonly startsLate: boolean },
): MissedRuns {
  const lastMs = timeOf(status?.lastScheduleTime) ?? timeOf(metadata.creationTimestamp) ?? 0;
  const { startingDeadlineSeconds: deadline } = spec;
  const sinceMs = startsLate || deadline === undefined ? lastMs : Math.max(lastMs, nowMs - Number(deadline) * 1_000);
  const firstMs = schedule.next(sinceMs);
  if (firstMs === undefined) throw new TypeError('time difference between two schedules is less than 1 second');
  if (nowMs < firstMs) return { sinceMs, atMs: undefined, count: 'none' };
  const secondMs = schedule.next(firstMs) ?? Number.POSITIVE_INFINITY;
  if (nowMs < secondMs) return { sinceMs, atMs: firstMs, count: 'none' };
  // Jumps close to now by multiples of the first interval, instead of visiting every time between.
  const everyMs = secondMs - firstMs;
  const count = Math.floor((nowMs - firstMs) / everyMs) + 1;
  const atMs = newestUpTo(schedule, firstMs + (count - 2) * everyMs, nowMs);
  return { sinceMs, atMs, count: count > MANY ? 'many' : 'few' };
}

/** Returns the time until the scheduled time after the most recent one. */
export function untilNextRunMs(cronJob: CronJob, schedule: Schedule, nowMs: number): number | undefined {
  const nextMs = schedule.next(mostRecentScheduleTime(cronJob, schedule, nowMs));
  return nextMs === undefined ? undefined : Math.max(0, nextMs + PADDING_MS - nowMs);
}

function mostRecentScheduleTime(cronJob: CronJob, schedule: Schedule, nowMs: number): number {
  try {
    const { sinceMs, atMs, count } = missedRuns(cronJob, schedule, nowMs, { startsLate: true });
    return atMs ?? (count === 'none' ? sinceMs : nowMs);
  } catch {
    return nowMs;
  }
}

/** Parses a time. The API shows Go's zero time, January 1 of year 1, as `null`. */
function timeOf(text: string | null | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text ?? '0001-01-01T00:00:00Z');
}

function newestUpTo(schedule: Schedule, fromMs: number, nowMs: number): number | undefined {
  let newest: number | undefined;
  for (let ms = schedule.next(fromMs); ms !== undefined && ms <= nowMs; ms = schedule.next(ms)) newest = ms;
  return newest;
}

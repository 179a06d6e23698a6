import type { CronJob } from '@pintle/kinds/batch/v1';
import { parseSchedule } from '@pintle/machinery/time';
import { expect, test } from 'vitest';
import { missedRuns, untilNextRunMs } from './missed-runs.ts';

/** What a cron job of midnight missed by a time of the same month, and how long it is to the next. */
function check(now: string, schedule: string, spec: object = {}, status: object = {}): string {
  const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
  const cronJob = { metadata, spec, status } as unknown as CronJob;
  const nowMs = Date.parse(`2026-01-${now}Z`);
  const parsed = parseSchedule(schedule);
  const { atMs, count } = missedRuns(cronJob, parsed, nowMs, { startsLate: false });
  const time = atMs === undefined ? '-' : new Date(atMs).toISOString().slice(8, 19);
  return `${time} ${count} ${untilNextRunMs(cronJob, parsed, nowMs)! / 1_000}`;
}

test.each([
  ['01T00:30:00', '@hourly', {}, '- none 1800.1'],
  ['01T01:00:00', '@hourly', {}, '01T01:00:00 none 3600.1'],
  ['01T05:30:00', '@hourly', {}, '01T05:00:00 few 1800.1'],
  ['09T05:30:00', '@hourly', {}, '09T05:00:00 many 1800.1'],
  ['01T05:30:00', '@hourly', { startingDeadlineSeconds: 60 }, '- none 1800.1'],
  ['01T00:01:40', '@every 30s', {}, '01T00:01:30 few 20.1'],
  ['05T12:00:00', '30 6-16/4 * * 1-5', {}, '05T10:30:00 few 9000.1'],
])('by %s, %s %o has missed %s', (now, schedule, spec, expected) => expect(check(now, schedule, spec)).toBe(expected));

test('a last time that is written as none is the year 1, not the time the cron job was made', () => {
  expect(check('01T00:30:00', '@yearly', {}, { lastScheduleTime: null })).toMatch(/^01T00:00:00 many /);
  expect(check('01T00:30:00', '@yearly')).toMatch(/^- none /);
});

import { describe, expect, test } from 'vitest';
import { parseSchedule, scheduleProblem } from './schedule.ts';

/** The times that follow, in UTC. */
function after(time: string, schedule: string, count: number, zone?: string): string[] {
  const parsed = parseSchedule(schedule, zone);
  const times: string[] = [];
  for (let ms: number | undefined = Date.parse(time); times.length < count; ) {
    ms = parsed.next(ms);
    if (ms === undefined) return [...times, 'never'];
    times.push(new Date(ms).toISOString().replace(':00.000Z', ''));
  }
  return times;
}

describe('a schedule', () => {
  const start = '2026-01-01T00:00:30Z';
  test.each([
    ['* * * * *', ['2026-01-01T00:01', '2026-01-01T00:02']],
    ['*/20 * * * *', ['2026-01-01T00:20', '2026-01-01T00:40', '2026-01-01T01:00']],
    ['5/25 3 * * *', ['2026-01-01T03:05', '2026-01-01T03:30', '2026-01-01T03:55', '2026-01-02T03:05']],
    ['30 9-17/4 * * mon-fri', ['2026-01-01T09:30', '2026-01-01T13:30', '2026-01-01T17:30', '2026-01-02T09:30']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 13 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
    ['0 0 */10 * 1', ['2026-01-05T00:00', '2026-01-11T00:00', '2026-01-12T00:00']],
    ['0 0 31 2 *', ['never']],
    ['0 12 1 JAN,jul ?', ['2026-01-01T12:00', '2026-07-01T12:00', '2027-01-01T12:00']],
    ['@yearly', ['2027-01-01T00:00']],
    ['@monthly', ['2026-02-01T00:00', '2026-03-01T00:00']],
    ['@weekly', ['2026-01-04T00:00']],
    ['@daily', ['2026-01-02T00:00']],
    ['@hourly', ['2026-01-01T01:00']],
    ['TZ=Asia/Kolkata 0 6 * * *', ['2026-01-01T00:30', '2026-01-02T00:30']],
  ])('%s', (schedule, times) => expect(after(start, schedule, times.length)).toEqual(times));

  test('@every counts from the last time, in whole seconds', () => {
    expect(parseSchedule('@every 1h30m').next(Date.parse('2026-01-01T00:00:10.500Z'))).toBe(
      Date.parse('2026-01-01T01:30:10Z'),
    );
    expect(parseSchedule('@every 10ms').next(0)).toBe(1_000);
  });

  test('skips what the clocks skip', () => {
    expect(after('2026-03-27T12:00:00Z', '30 2 * * *', 3, 'Europe/Berlin')).toEqual([
      '2026-03-28T01:30',
      '2026-03-30T00:30',
      '2026-03-31T00:30',
    ]);
  });

  test('happens twice when clocks show the time twice', () => {
    expect(after('2026-10-24T12:00:00Z', '30 2 * * *', 3, 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-26T01:30',
    ]);
  });

  test('begins days where clocks skip midnight', () => {
    expect(after('2026-09-05T12:00:00Z', '0 * * * *', 24, 'America/Santiago').at(15)).toBe('2026-09-06T04:00');
    expect(after('2026-09-05T12:00:00Z', '0 0 * * *', 1, 'America/Santiago')).toEqual(['2026-09-07T03:00']);
  });

  test('keeps up with half an hour of summer', () => {
    expect(after('2026-04-04T14:00:00Z', '45 1 * * *', 2, 'Australia/Lord_Howe')).toEqual([
      '2026-04-04T14:45',
      '2026-04-04T15:15',
    ]);
  });

  test.each(['', '* * * *', '60 * * * *', '* * * * 7', '*/0 * * * *', '@often', '@every x', 'TZ=Nowhere/At * * * * *'])(
    '%s is refused',
    (schedule) => expect(() => parseSchedule(schedule)).toThrow(),
  );
});

describe('what is wrong with a schedule', () => {
  test.each([
    '@daily',
    '0/9999999999 * * * *',
    '@every 1h',
    '0 0 1 jan mon-fri',
    '59 23 31 12 *',
    '*/15 0-6/2 * * 1,3,5',
    '?  * * * *',
  ])('is nothing: %s', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
    expect(parseSchedule(schedule).next(0)).toBeGreaterThan(0);
  });

  test.each([
    ['nope', 'expected exactly 5 fields, found 1: [nope]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@weekdays', 'unrecognized descriptor: @weekdays'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range'],
    ['TZ=Nowhere 0 0 * * *', 'provided bad location Nowhere: unknown time zone Nowhere'],
  ])('%s is refused', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
    expect(() => parseSchedule(schedule)).toThrow(problem);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ParseError } from '../errors/parse-error.ts';
import { formatDuration, parseDuration, parseDurationMs } from './duration.ts';
import { formatAge, humanDuration, shortHumanDuration } from './human-duration.ts';
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from './rfc3339.ts';

describe('parseTime reads any RFC 3339 time; formatTime writes UTC with whole seconds', () => {
  const cases: [string, string][] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05Z'],
    ['2026-01-02T03:04:05-11:30', '2026-01-02T14:34:05Z'],
    ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05,5Z', '2026-01-02T03:04:05Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
    ['2026-01-02T3:04:05Z', '2026-01-02T03:04:05Z'],
  ];
  test.each(cases)('%s', (text, written) => expect(formatTime(parseTime(text))).toBe(written));
});

describe('parseTime names the element at which it stopped', () => {
  const as = (rest: string, element: string) =>
    ` as "2006-01-02T15:04:05Z07:00": cannot parse "${rest}" as "${element}"`;
  const cases: [string, string][] = [
    ['yesterday', as('yesterday', '2006')],
    ['', as('', '2006')],
    ['2026', as('', '-')],
    ['2026-1-02T03:04:05Z', as('1-02T03:04:05Z', '01')],
    ['2026-01-02 03:04:05Z', as(' 03:04:05Z', 'T')],
    ['2026-01-02T03:04:05', as('', 'Z07:00')],
    ['2026-01-02T03:04:05+0200', as('+0200', 'Z07:00')],
    ['2026-13-02T03:04:05Z', ': month out of range'],
    ['2026-02-30T03:04:05Z', ': day out of range'],
    ['2026-01-02T24:04:05Z', ': hour out of range'],
    ['2026-01-02T03:60:05Z', ': minute out of range'],
    ['2026-01-02T03:04:60Z', ': second out of range'],
    ['2026-01-02T03:04:05+25:00', ': time zone offset hour out of range'],
    ['2026-01-02T03:04:05Zx', ': extra text: "x"'],
  ];
  test.each(cases)('%s', (text, message) => {
    expect(() => parseTime(text)).toThrow(new ParseError('time', `parsing time "${text}"${message}`));
  });

  test('quotes bytes as Go does', () => {
    expect(() => parseTime('ü"')).toThrow('parsing time "\\xc3\\xbc\\"" as');
  });
});

test('MicroTime has exactly six digits', () => {
  expect(formatMicroTime(parseMicroTime('2026-01-02T03:04:05.000007+01:00'))).toBe('2026-01-02T02:04:05.000007Z');
  expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z');
  expect(formatMicroTime(-1)).toBe('1969-12-31T23:59:59.999999Z');
  expect(() => parseMicroTime('2026-01-02T03:04:05Z')).toThrow('cannot parse "Z" as ".000000"');
  expect(() => parseMicroTime('2026-01-02T03:04:05.123Z')).toThrow('cannot parse ".123Z" as ".000000"');
});

test('times are read back as they were written', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
      expect(parseTime(formatTime(seconds * 1_000))).toBe(seconds * 1_000);
    }),
  );
});

describe('durations as Go reads and prints them', () => {
  const cases: [string, string][] = [
    ['0', '0s'],
    ['1h2m3s', '1h2m3s'],
    ['90s', '1m30s'],
    ['1.5h', '1h30m0s'],
    ['-1.5s', '-1.5s'],
    ['+5m', '5m0s'],
    ['100us', '100µs'],
    ['100μs', '100µs'],
    ['1.5ms', '1.5ms'],
    ['10ns', '10ns'],
    ['.5s', '500ms'],
    ['1.s', '1s'],
    ['1h1h', '2h0m0s'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
    ['-2562047h47m16.854775808s', '-2562047h47m16.854775808s'],
  ];
  test.each(cases)('%s', (text, printed) => expect(formatDuration(parseDuration(text))).toBe(printed));

  const refused: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1', 'time: missing unit in duration "1"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1 s', 'time: unknown unit " s" in duration "1 s"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
  ];
  test.each(refused)('%j is refused', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new ParseError('duration', message));
  });

  test('parseDurationMs is for timers', () => expect(parseDurationMs('1.5s')).toBe(1_500));

  test('what is printed is read back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds);
      }),
    );
  });
});

describe('humanDuration prints ages as kubectl does', () => {
  const second = 1_000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  const year = 365 * day;
  const cases: [number, string, string][] = [
    [-2 * second, '<invalid>', '<invalid>'],
    [-1 * second, '0s', '0s'],
    [0, '0s', '0s'],
    [5 * second + 999, '5s', '5s'],
    [119 * second, '119s', '1m'],
    [2 * minute, '2m', '2m'],
    [2 * minute + 3 * second, '2m3s', '2m'],
    [10 * minute + 5 * second, '10m', '10m'],
    [179 * minute, '179m', '2h'],
    [3 * hour + 5 * minute, '3h5m', '3h'],
    [8 * hour + 5 * minute, '8h', '8h'],
    [47 * hour, '47h', '1d'],
    [2 * day + 3 * hour, '2d3h', '2d'],
    [7 * day, '7d', '7d'],
    [8 * day + hour, '8d', '8d'],
    [2 * year - hour, '729d', '1y'],
    [5 * year + 23 * day, '5y23d', '5y'],
    [8 * year + 23 * day, '8y', '8y'],
  ];
  test.each(cases)('%d ms is %s', (ms, text, short) => {
    expect(humanDuration(ms)).toBe(text);
    expect(shortHumanDuration(ms)).toBe(short);
  });

  test('formatAge counts from a timestamp', () => {
    expect(formatAge('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1, 0, 5))).toBe('5m');
    expect(formatAge('1600-01-01T00:00:00Z', Date.UTC(2026, 0, 1))).toBe('292y');
    expect(formatAge(null, 0)).toBe('<unknown>');
    expect(formatAge('odd', 0)).toBe('<unknown>');
  });
});

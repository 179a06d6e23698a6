import { ProtobufError } from './protobuf-error.ts';

/** Go's zero time, which Kubernetes writes as an empty message and as `null`. */
const ZERO_SECONDS = Date.parse('0001-01-01T00:00:00Z') / 1000;
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000;
const DAY_SECONDS = 86_400;

/** Formats RFC 3339 in UTC, with six digits of fraction or none; `null` for Go's zero time. */
export function formatTime(seconds: number | bigint, nanos: number, hasFraction: boolean): string | null {
  const second = Number(seconds) + Math.floor(nanos / 1e9);
  const micros = Math.trunc((nanos - Math.floor(nanos / 1e9) * 1e9) / 1000);
  if (second === ZERO_SECONDS && micros === 0) return null;
  if (!(second >= FIRST_SECOND && second <= LAST_SECOND)) throw badTime('its year is not between 0 and 9999');
  const text = formatSecond(second);
  return hasFraction ? `${text}.${String(micros).padStart(6, '0')}Z` : `${text}Z`;
}

/** The text of the last day: the times of an object mostly fall on one day. */
let lastDay = Number.NaN;
let lastDayText = '';
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

function formatSecond(second: number): string {
  const day = Math.floor(second / DAY_SECONDS);
  if (day !== lastDay) {
    lastDayText = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 11);
    lastDay = day;
  }
  const rest = second - day * DAY_SECONDS;
  const hours = twoDigits[Math.floor(rest / 3600)]!;
  return `${lastDayText}${hours}:${twoDigits[Math.floor(rest / 60) % 60]!}:${twoDigits[rest % 60]!}`;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9})\d*)?(?:Z|[+-]\d\d:\d\d)$/;

/** The last text: the times of an object are often equal. */
let lastText: string | undefined;
let lastTime: { readonly seconds: number; readonly nanos: number } | undefined;

/** Reads RFC 3339; `undefined` for Go's zero time. The fraction keeps microseconds. */
export function parseTime(text: string): { readonly seconds: number; readonly nanos: number } | undefined {
  if (text === lastText) return lastTime;
  const match = timePattern.exec(text);
  const fraction = match?.[1] ?? '';
  const milliseconds = match ? Date.parse(fraction === '' ? text : text.replace(/\.\d+/, '')) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw badTime('it is not in the format of RFC 3339');
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000;
  lastTime = seconds === ZERO_SECONDS && nanos === 0 ? undefined : { seconds, nanos };
  lastText = text;
  return lastTime;
}

function badTime(reason: string): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field: 'time', reason });
}

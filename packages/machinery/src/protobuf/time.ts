import { ProtobufError } from './protobuf-error.ts';

/** Go's zero time, which Kubernetes writes as an empty message and as `null`. */
const ZERO_SECONDS = Date.parse('0001-01-01T00:00:00Z') / 1000;
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000;

/** RFC 3339 in UTC, with six digits of fraction or none; `null` for Go's zero time. */
export function formatTime(seconds: number | bigint, nanos: number, hasFraction: boolean): string | null {
  const second = Number(seconds) + Math.floor(nanos / 1e9);
  const micros = Math.trunc((nanos - Math.floor(nanos / 1e9) * 1e9) / 1000);
  if (second === ZERO_SECONDS && micros === 0) return null;
  if (!(second >= FIRST_SECOND && second <= LAST_SECOND)) throw badTime('its year is not between 0 and 9999');
  const text = new Date(second * 1000).toISOString().slice(0, 19);
  return hasFraction ? `${text}.${String(micros).padStart(6, '0')}Z` : `${text}Z`;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9})\d*)?(?:Z|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339; `undefined` for Go's zero time. The fraction keeps microseconds. */
export function parseTime(text: string): { readonly seconds: number; readonly nanos: number } | undefined {
  const match = timePattern.exec(text);
  const fraction = match?.[1] ?? '';
  const milliseconds = match ? Date.parse(fraction === '' ? text : text.replace(/\.\d+/, '')) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw badTime('it is not in the format of RFC 3339');
  const seconds = Math.floor(milliseconds / 1000);
  const nanos = Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000;
  return seconds === ZERO_SECONDS && nanos === 0 ? undefined : { seconds, nanos };
}

function badTime(reason: string): ProtobufError {
  return new ProtobufError({ code: 'BadValue', field: 'time', reason });
}

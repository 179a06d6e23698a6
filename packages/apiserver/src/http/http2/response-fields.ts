import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, isFieldValue, trimFieldValue } from '@pintle/http2';
import type { ResponseHeaders } from './server-stream.ts';

/** What an answer begins with. Names are in lower case. */
export function responseFieldsOf(status: number, headers: ResponseHeaders, nowMs: number): Field[] {
  const fields: Field[] = [[':status', String(status)]];
  for (const name in headers) {
    if (CONNECTION_FIELDS.has(name)) continue;
    const value = headers[name]!;
    if (typeof value === 'object') for (const item of value) fields.push([name, checked(name, item)]);
    else fields.push([name, checked(name, String(value))]);
  }
  if (headers.date === undefined) fields.push(['date', dateOf(nowMs)]);
  return fields;
}

function checked(name: string, value: string): string {
  if (isFieldValue(value)) return value;
  const trimmed = trimFieldValue(value);
  if (isFieldValue(trimmed)) return trimmed;
  throw new Error(`Cannot send the header ${name}: it has characters that no header may have`);
}

let dateSecond = Number.NaN;
let date = '';

/** Made once a second. */
function dateOf(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1_000).toUTCString();
  }
  return date;
}

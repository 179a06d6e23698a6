import type { Field } from '@pintle/machinery/http2';
import type { ResponseHeaders } from './server-stream.ts';

/** HTTP/2 knows no headers about the connection. */
const ABOUT_CONNECTIONS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What an answer begins with. Names are in lower case. */
export function responseFieldsOf(status: number, headers: ResponseHeaders, nowMs: number): Field[] {
  const fields: Field[] = [[':status', String(status)]];
  for (const name in headers) {
    if (ABOUT_CONNECTIONS.has(name)) continue;
    const value = headers[name]!;
    if (typeof value === 'object') for (const item of value) fields.push([name, checked(name, item)]);
    else fields.push([name, checked(name, String(value))]);
  }
  if (headers.date === undefined) fields.push(['date', dateOf(nowMs)]);
  return fields;
}

function checked(name: string, value: string): string {
  if (VALUE.test(value)) return value;
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

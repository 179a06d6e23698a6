import { HEADER_LIMITS } from '@pintle/http2';
import type { ApiRequest } from '../request/exchange.ts';

/** A request has at most this many header fields, over any protocol: one with more is refused with 431. */
export const MAX_HEADER_FIELDS: number = HEADER_LIMITS.maxFields;

/** The headers of a request while they are read. Has no prototype: clients choose the names. */
export type RequestHeaders = Record<string, string | string[]>;

/** Of these the first value counts, as Go's `Header.Get` has it; the others are lists when sent several times. */
const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'from',
  'host',
  'if-modified-since',
  'if-none-match',
  'if-unmodified-since',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'user-agent',
]);

export function emptyHeaders(): RequestHeaders {
  return Object.create(null);
}

/**
 * Adds a field to the headers of a request. Both protocols read their fields with this, in the order they came, so that
 * a request means the same over either. `name` is in lower case, `value` without white space around it.
 */
export function addHeader(headers: RequestHeaders, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (typeof known !== 'string') known.push(value);
  else if (name === 'cookie') headers[name] = `${known}; ${value}`;
  else if (!SINGLE.has(name)) headers[name] = [known, value];
}

/** The headers of a request of HTTP/1.1, from names and values in turn, which is all that Node does not change. */
export function readRawHeaders(rawHeaders: readonly string[]): ApiRequest['headers'] {
  const headers = emptyHeaders();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    addHeader(headers, rawHeaders[i]!.toLowerCase(), rawHeaders[i + 1]!);
  return headers;
}

/** Accepts the same texts as Go's `httpguts.ValidHostHeader`. */
export function isHost(text: string): boolean {
  return /^[-!$%&'()*+,.:;=@[\]_~0-9A-Za-z]*$/.test(text);
}

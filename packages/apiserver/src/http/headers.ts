import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, HEADER_LIMITS, isFieldName, isFieldValue, trimFieldValue } from '@pintle/http2';
import type { ApiRequest } from '../request/exchange.ts';

/** Header fields of a request, over any protocol. More are refused with 431. */
export const MAX_HEADER_FIELDS: number = HEADER_LIMITS.maxFields;

/** Headers of a request while they are read. Has no prototype, because clients choose the names. */
export type RequestHeaders = Record<string, string | string[]>;

/** Headers of which the first value counts, as in Go's `Header.Get`. Others become lists when sent several times. */
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

/** Reads the headers of an HTTP/1.1 request from alternating names and values, the only form that Node.js does not change. */
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

export interface RequestHead {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  /** Headers without pseudo-headers. `host` is the authority. */
  readonly headers: Readonly<RequestHeaders>;
  /** Content-length of the body. */
  readonly length: number | undefined;
}

const LENGTH = /^\d{1,15}$/;

/** Reads the headers of a request; `undefined` when they are malformed by RFC 9113, section 8. */
export function requestHeadOf(fields: readonly Field[]): RequestHead | undefined {
  const pseudo: Pseudo = { ':method': '', ':scheme': '', ':authority': '', ':path': '' };
  const headers = emptyHeaders();
  let isPseudoOver = false;
  let lengths = 0;
  for (const [name, value] of fields) {
    if (name.startsWith(':')) {
      if (isPseudoOver || !isPseudo(name) || pseudo[name] !== '' || !isFieldValue(value)) return undefined;
      pseudo[name] = value;
    } else {
      isPseudoOver = true;
      if (!isPlain(name, value)) return undefined;
      if (name === 'content-length') lengths++;
      addHeader(headers, name, value);
    }
  }
  const { ':method': method, ':scheme': scheme, ':authority': authority, ':path': target } = pseudo;
  if (!method || !scheme || !target || method === 'CONNECT' || !isFieldName(method.toLowerCase())) return undefined;
  if (!target.startsWith('/') && !(target === '*' && method === 'OPTIONS')) return undefined;
  if (authority !== '') headers.host = authority;
  if (!isHost(String(headers.host ?? ''))) return undefined;
  const length = headers['content-length'];
  if (length !== undefined && (lengths > 1 || !LENGTH.test(String(length)))) return undefined;
  return { method, target, headers, length: length === undefined ? undefined : Number(length) };
}

/** An empty value counts as absent. */
type Pseudo = Record<':method' | ':scheme' | ':authority' | ':path', string>;

function isPseudo(name: string): name is keyof Pseudo {
  return name === ':method' || name === ':scheme' || name === ':authority' || name === ':path';
}

/** True for well-formed trailers, which are ignored otherwise. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => isPlain(name, value));
}

function isPlain(name: string, value: string): boolean {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) return false;
  return isFieldValue(value) && (name !== 'te' || value === 'trailers');
}

export type ResponseHeaders = Readonly<Record<string, number | string | readonly string[]>>;

/** Returns the header fields of a response. Names are in lower case. */
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
  throw new Error(`Cannot send the header ${name}: its value has invalid characters`);
}

let dateSecond = Number.NaN;
let date = '';

/** Formats the date, once a second. */
function dateOf(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1_000).toUTCString();
  }
  return date;
}

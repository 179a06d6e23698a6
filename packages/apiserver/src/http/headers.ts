import type { Field } from '@pintle/http2';
import { CONNECTION_FIELDS, HEADER_LIMITS, isFieldName, isFieldValue, trimFieldValue } from '@pintle/http2';
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

export interface RequestHead {
  readonly method: string;
  /** As the client wrote it, with its query. */
  readonly target: string;
  /** Those that begin with a colon are left out: `host` is the authority. */
  readonly headers: Readonly<RequestHeaders>;
  /** What the client says of the body. */
  readonly length: number | undefined;
}

const LENGTH = /^\d{1,15}$/;

/** What a request begins with; undefined where RFC 9113 (section 8) calls it malformed. */
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

/** An empty one counts as left out. */
type Pseudo = Record<':method' | ':scheme' | ':authority' | ':path', string>;

function isPseudo(name: string): name is keyof Pseudo {
  return name === ':method' || name === ':scheme' || name === ':authority' || name === ':path';
}

/** What follows a body has no meaning here, but has to be well formed. */
export function areTrailers(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => isPlain(name, value));
}

function isPlain(name: string, value: string): boolean {
  if (!isFieldName(name) || CONNECTION_FIELDS.has(name)) return false;
  return isFieldValue(value) && (name !== 'te' || value === 'trailers');
}

export type ResponseHeaders = Readonly<Record<string, number | string | readonly string[]>>;

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

import { ClientError } from '../errors.ts';
import type { TransportResponse } from './transport.ts';

export type Headers = TransportResponse['headers'];

/** Bound of interim (1xx) responses before the final one. */
export const MAX_INTERIMS = 32;

/** True for a token of RFC 9110: names of headers, methods. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** True for a request target: encoded path and query. */
export function isTarget(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** Returns the error for text that would change the meaning of a request. */
export function notAllowed(text: string): ClientError {
  return new ClientError({ code: 'Unsupported', what: `${JSON.stringify(text)} in a request` });
}

const MAX_QUOTED = 64;

/** Quotes text of a response in an error: at most 64 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED));
}

/** Headers that may occur several times and contain commas. */
const LISTED = new Set(['set-cookie', 'warning']);

/** Adds a header of a response. Throws an `Error` when it contradicts another. */
export function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = headers[name];
  if (LISTED.has(name)) headers[name] = [...(known ?? []), value];
  else if (known === undefined) headers[name] = value;
  else if (name !== 'content-length') headers[name] = `${known}, ${value}`;
  else if (known !== value)
    throw new Error(`the response has content-length ${quoted(`${known}`)} and ${quoted(value)}`);
}

import { ClientError } from '../errors.ts';
import type { TransportResponse } from './transport.ts';

export type Headers = TransportResponse['headers'];

/** Responses that say that another will follow: a server that never comes to that one is given up. */
export const MAX_INTERIMS = 32;

/** What names of headers and methods are made of. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** What a request may be for: a path and a query, encoded. */
export function isTarget(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** For what would be read as something else. */
export function unfit(text: string): ClientError {
  return new ClientError({ code: 'Unsupported', what: `what no request can say, ${JSON.stringify(text)}` });
}

/** May be said several times, and have commas in them. */
const LISTED = new Set(['set-cookie', 'warning']);

/** One more header of a response. Throws an `Error` when it contradicts another. */
export function addHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = headers[name];
  if (LISTED.has(name)) headers[name] = [...(known ?? []), value];
  else if (known === undefined) headers[name] = value;
  else if (name !== 'content-length') headers[name] = `${known}, ${value}`;
  else if (known !== value) throw new Error('the response has two lengths');
}

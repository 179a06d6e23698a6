import type { ApiRequest } from '@pintle/apiserver';
import { decodePercentBytes } from '@pintle/apiserver/request';

/**
 * Returns the request target for the backend: the path and query that were authorized, parsed and formatted again, so
 * that both servers read the same. Formats like Go: parameters are sorted by name, unreadable ones dropped.
 */
export function forwardedTarget({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parameters = query === '' ? '' : writeQuery(query);
  return parameters === '' ? writePath(path) : `${writePath(path)}?${parameters}`;
}

/** Characters that are escaped in a path. */
const ESCAPED_IN_PATHS = /[^A-Za-z0-9\-_.~$&+,/:;=@]/g;
const ESCAPED_IN_QUERIES = /[^A-Za-z0-9\-_.~]/g;

/** Keeps a path that is not valid percent-encoding, for which nothing was authorized. */
function writePath(path: string): string {
  return escapeBytes(decodePercentBytes(path) ?? path, ESCAPED_IN_PATHS);
}

function writeQuery(query: string): string {
  const pairs = query.split('&').flatMap((part) => readPair(part) ?? []);
  return pairs
    .map(([name, value], index) => ({ name, value, index }))
    .sort((a, b) => compareBytes(a.name, b.name) || a.index - b.index)
    .map(({ name, value }) => `${escapeParameter(name)}=${escapeParameter(value)}`)
    .join('&');
}

/** Returns the bytes of a parameter as one character each, so that those that are not UTF-8 are forwarded too. */
function readPair(part: string): [[string, string]] | undefined {
  if (part === '' || part.includes(';')) return undefined;
  const at = part.indexOf('=');
  const name = unescapeParameter(at === -1 ? part : part.slice(0, at));
  const value = unescapeParameter(at === -1 ? '' : part.slice(at + 1));
  return name === undefined || value === undefined ? undefined : [[name, value]];
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function unescapeParameter(text: string): string | undefined {
  return decodePercentBytes(text.replaceAll('+', ' '));
}

function escapeParameter(bytes: string): string {
  return escapeBytes(bytes, ESCAPED_IN_QUERIES).replaceAll('%20', '+');
}

function escapeBytes(bytes: string, escaped: RegExp): string {
  return bytes.replace(escaped, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

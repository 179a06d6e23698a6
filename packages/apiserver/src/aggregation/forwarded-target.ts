import type { ApiRequest } from '../http/exchange.ts';

/**
 * What another server is asked for: what was authorized, read and written anew, so that the two servers cannot read it
 * differently. As Go writes URLs: parameters in the order of their names, those that cannot be read left out.
 */
export function forwardedTarget({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parameters = query === '' ? '' : writeQuery(query);
  return parameters === '' ? writePath(path) : `${writePath(path)}?${parameters}`;
}

const KEPT_IN_PATHS = /%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g;

function writePath(path: string): string {
  return percentEncode(decodeURIComponent(path)).replace(KEPT_IN_PATHS, decodeURIComponent);
}

function writeQuery(query: string): string {
  const pairs = query.split('&').flatMap((part) => readPair(part) ?? []);
  return pairs
    .map(([name, value], index) => ({ name, value, index }))
    .sort((a, b) => compareNames(a.name, b.name) || a.index - b.index)
    .map(({ name, value }) => `${escapeParameter(name)}=${escapeParameter(value)}`)
    .join('&');
}

function readPair(part: string): [[string, string]] | undefined {
  if (part === '' || part.includes(';')) return undefined;
  const at = part.indexOf('=');
  const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
  try {
    return [[unescapeParameter(name), unescapeParameter(value)]];
  } catch {
    return undefined;
  }
}

function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function unescapeParameter(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function escapeParameter(text: string): string {
  return percentEncode(text).replaceAll('%20', '+');
}

/** Letters, digits and `-_.~` are themselves. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

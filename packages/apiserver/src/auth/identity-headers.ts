import { decodePercent } from '../request/percent-encoding.ts';

/** The values of a header that may be sent several times, each apart. */
export function valuesOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}

/** Keys in names of headers are percent-encoded, for they may hold what such a name may not. */
export function unescapeKey(text: string): string {
  return decodePercent(text) ?? text;
}

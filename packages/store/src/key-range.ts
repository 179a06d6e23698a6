/** Keys from `start` (included) to `end` (excluded), in byte order of their UTF-8 form. */
export interface KeyRange {
  readonly start: string;
  /** Absent: to the last key. */
  readonly end?: string;
}

/** All keys that begin with `prefix`. Prefixes end in ASCII, such as `/`, so that the next prefix is one character up. */
export function prefixRange(prefix: string): KeyRange {
  if (prefix === '') return { start: '' };
  const last = prefix.charCodeAt(prefix.length - 1);
  if (last >= 0x7f)
    throw new RangeError(`Cannot make a range of prefix ${JSON.stringify(prefix)}: its last character is not ASCII`);
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) };
}

/** The smallest key after `key`: where a list that ended with `key` goes on. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

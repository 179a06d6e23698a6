/** Keys from `start` (included) to `end` (excluded), in byte order of their UTF-8 form. */
export interface KeyRange {
  readonly start: string;
  /** Absent: up to the last key. */
  readonly end?: string;
}

/**
 * Returns all keys that begin with `prefix`. Prefixes end in ASCII, such as `/`, so that the next prefix is one
 * character up.
 */
export function prefixRange(prefix: string): KeyRange {
  if (prefix === '') return { start: '' };
  const last = prefix.charCodeAt(prefix.length - 1);
  if (last >= 0x7f)
    throw new RangeError(`Cannot make a range of prefix ${JSON.stringify(prefix)}: its last character is not ASCII`);
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) };
}

/** Returns the smallest key after `key`: where a list that ended with `key` continues. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

/**
 * JavaScript compares strings by UTF-16 code unit, the store orders keys by UTF-8 byte. The two differ only where a
 * surrogate meets a character from U+E000 on: UTF-16 puts the surrogate first, UTF-8 last. `toSortKey` moves the
 * surrogates behind those characters, so that `<` on sort keys is byte order on keys.
 *
 * Nearly every key has no such character and is its own sort key.
 */
export function toSortKey(key: string): string {
  return HIGH_UNITS.test(key) ? key.replace(EACH_HIGH_UNIT, moveUnit) : key;
}

/** Returns the key of a sort key. */
export function fromSortKey(sortKey: string): string {
  return HIGH_UNITS.test(sortKey) ? sortKey.replace(EACH_HIGH_UNIT, moveUnitBack) : sortKey;
}

const HIGH_UNITS = /[\ud800-\uffff]/;
const EACH_HIGH_UNIT = /[\ud800-\uffff]/g;

function moveUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}

function moveUnitBack(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xf800 ? code + 0x800 : code - 0x2000);
}

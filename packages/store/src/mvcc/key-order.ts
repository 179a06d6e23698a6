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

/** The key of a sort key. */
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

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

const HIGH_UNITS = /[\ud800-\uffff]/;
const EACH_HIGH_UNIT = /[\ud800-\uffff]/g;

function moveUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}

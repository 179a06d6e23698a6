/** A byte as Go quotes it in an error message: `'x'`, `'\''`, `'\n'`, `'\x00'`, `'ï'`, `'\u0081'`. */
export function quoteByte(byte: number): string {
  const named = namedEscapes.get(byte);
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if (isUnprintableLatin1(byte)) return `'\\u00${byte.toString(16)}'`;
  return `'${String.fromCharCode(byte)}'`;
}

const namedEscapes = new Map<number, string>([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x27, "\\'"],
  [0x5c, '\\\\'],
]);

/** The C1 controls, the no-break space and the soft hyphen. */
function isUnprintableLatin1(byte: number): boolean {
  return (byte >= 0x80 && byte <= 0xa0) || byte === 0xad;
}

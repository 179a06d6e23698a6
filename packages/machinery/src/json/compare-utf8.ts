/**
 * Orders strings by their UTF-8 bytes, as Go does. JavaScript compares UTF-16 units, which differs where a surrogate
 * pair meets a character from U+E000 to U+FFFF: the pair stands for the larger one.
 */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Moves surrogates behind everything else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

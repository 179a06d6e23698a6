const SLOTS = 2048;
const MAX_LENGTH = 40;

/**
 * Turns bytes into strings. API objects repeat themselves (label keys, phases, node names), so short plain strings are
 * looked up among those seen lately: comparing is faster than a call into native code, and equal strings share memory.
 */
export class StringCache {
  readonly #strings: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > MAX_LENGTH) return bytes.toString('utf8', start, end);
    let hash = length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80) return bytes.toString('utf8', start, end);
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
    const known = this.#strings[slot];
    if (known !== undefined && isAt(bytes, start, length, known)) return known;
    const fresh = bytes.toString('latin1', start, end);
    this.#strings[slot] = fresh;
    return fresh;
  }
}

function isAt(bytes: Buffer, start: number, length: number, text: string): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

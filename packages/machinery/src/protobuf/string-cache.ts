import { isUtf8 } from 'node:buffer';
import { ProtobufError } from './protobuf-error.ts';

const SLOTS = 2048;
const MAX_LENGTH = 40;

/**
 * Decodes strings. API objects repeat strings (label keys, phases, node names), so short ASCII strings are looked up
 * among recent ones: comparing is faster than a call into native code, and equal strings share memory. Refuses invalid
 * UTF-8: replacement characters would make different names equal.
 */
export class StringCache {
  readonly #strings: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  read(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > MAX_LENGTH) return decode(bytes, start, end);
    let hash = length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80) return decode(bytes, start, end);
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

/** The replacement for invalid bytes, which valid text may contain too. */
const REPLACEMENT = '\ufffd';

function decode(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) {
    throw new ProtobufError({ code: 'BadText', offset: start });
  }
  return text;
}

function isAt(bytes: Buffer, start: number, length: number, text: string): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Encoding to decode the bytes with; `undefined` when `JSON.parse` might not return what the server meant. */
type TextEncoding = 'latin1' | 'utf8' | undefined;

/**
 * Checks that the bytes are one JSON value that `JSON.parse` reads as Kubernetes does, which holds for most. The exact parser
 * reads malformed or unusual values (spaces, integers that a double might round, exponents, lone surrogates), and reports
 * what is wrong.
 */
export function encodingOfJson(bytes: Buffer, start: number, end: number): TextEncoding {
  isAscii = true;
  if (skipValue(bytes, start) !== end) return undefined;
  return isAscii ? 'latin1' : 'utf8';
}

/** Depth of nesting. The exact parser, which has the real limit, reads deeper values. */
const MAX_DEPTH = 256;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
export const COLON = 0x3a;
export const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
/** Digits that always fit a double. */
const EXACT_DIGITS = 15;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

/** True while all scanned bytes are ASCII. Shared: scans do not overlap. */
let isAscii = true;

const stack = new Uint8Array(MAX_DEPTH);

/** Skips one value. Returns the offset after it, or -1 when it is unusual. */
export function skipValue(bytes: Buffer, start: number): number {
  let at = start;
  let depth = 0;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = skipText(bytes, at + 1);
    else if (byte === BRACE || byte === BRACKET) {
      const end = byte + 2;
      if (bytes[++at] !== end) {
        if (depth === MAX_DEPTH) return -1;
        stack[depth++] = end;
        if (byte === BRACE) at = skipKey(bytes, at);
        if (at < 0) return -1;
        continue;
      }
      at++;
    } else at = skipScalar(bytes, at, byte);
    if (at < 0) return -1;
    for (;;) {
      if (depth === 0) return at;
      const next = bytes[at++];
      const end = stack[depth - 1];
      if (next === COMMA) {
        if (end === BRACE_END) at = skipKey(bytes, at);
        if (at < 0) return -1;
        break;
      }
      if (next !== end) return -1;
      depth--;
    }
  }
}

/** Skips the name of a member and its colon. */
export function skipKey(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  const at = skipText(bytes, start + 1);
  return at > 0 && bytes[at] === COLON ? at + 1 : -1;
}

/** Returns the offset of the closing quote of a non-empty ASCII string without escapes, as names are; otherwise -1. */
export function skipName(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  let at = start + 1;
  while (CLASS[bytes[at]!] === PLAIN) at++;
  return bytes[at] === QUOTE && at > start + 1 ? at : -1;
}

/** Classes of bytes in strings. */
const PLAIN = 0;
const SPECIAL = 1;
const BEYOND_ASCII = 2;
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return SPECIAL;
  return byte < 0x80 ? PLAIN : BEYOND_ASCII;
});

/** Skips the rest of a string after its opening quote. */
function skipText(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    while (CLASS[bytes[at]!] === PLAIN) at++;
    const byte = bytes[at++]!;
    if (byte === QUOTE) return at;
    if (byte >= 0x80) isAscii = false;
    else if (byte !== BACKSLASH) return -1;
    else at = skipEscape(bytes, at);
    if (at < 0) return -1;
  }
}

/** Skips an escape. Returns -1 for an invalid one, and for surrogates, which only the exact parser reads as Go does. */
function skipEscape(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      return isCharacterCode(bytes.toString('latin1', at + 1, at + 5)) ? at + 5 : -1;
    default:
      return -1;
  }
}

function isCharacterCode(hex: string): boolean {
  return /^[0-9a-f]{4}$/i.test(hex) && !/^d[89a-f]/i.test(hex);
}

function skipScalar(bytes: Buffer, start: number, byte: number): number {
  if (byte === TRUE[0]) return skipWord(bytes, start, TRUE);
  if (byte === FALSE[0]) return skipWord(bytes, start, FALSE);
  if (byte === NULL[0]) return skipWord(bytes, start, NULL);
  const first = byte === MINUS ? start + 1 : start;
  let at = skipDigits(bytes, first);
  let digits = at - first;
  if (digits === 0 || (bytes[first] === DIGIT_0 && digits > 1)) return -1;
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction);
    if (at === fraction) return -1;
    digits += at - fraction;
  }
  const hasExponent = (bytes[at]! | 0x20) === 0x65;
  return hasExponent || digits > EXACT_DIGITS ? -1 : at;
}

function skipWord(bytes: Buffer, start: number, word: Buffer): number {
  return isAt(bytes, start, word) ? start + word.length : -1;
}

function skipDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_9) at++;
  return at;
}

export function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

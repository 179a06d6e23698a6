import { JsonError } from './json-error.ts';
import type { JsonLimits } from './limits.ts';

/** Facts that one pass over the bytes of a document finds, whether or not it is well-formed. */
export interface Scan {
  /** Number of brackets, braces and commas, and twice that of colons: `maxTokens` bounds it. */
  readonly tokens: number;
  /** Members of objects, counted by their colons. */
  readonly members: number;
  /** Every byte inside a string is ASCII. */
  readonly ascii: boolean;
  /** The document has something that the native parser reads differently than Go: see `scan`. */
  readonly needsExactParser: boolean;
  /** A number is written with a fraction or an exponent. */
  readonly hasFloats: boolean;
}

/**
 * Enforces the limits before anything is allocated, and decides whether the native parser may be used. It may not where
 * there is a run of 16 digits (an integer that a double might round), an exponent (it might overflow) or an escaped
 * surrogate (it might be alone). False alarms cost time only.
 *
 * Validates nothing: malformed input only ends the scan, and the parser after it reports the error.
 */
export function scan(bytes: Uint8Array, limits: JsonLimits): Scan {
  const end = bytes.length;
  if (end > limits.maxBytes) throw new JsonError({ code: 'TooLarge', bytes: end, limit: limits.maxBytes });
  const { maxDepth, maxTokens } = limits;
  let depth = 0;
  let tokens = 0;
  let members = 0;
  let inStrings = 0;
  let needsExactParser = false;
  let hasFloats = false;
  let at = 0;
  while (at < end) {
    const byte = bytes[at++]!;
    switch (kindOf[byte]!) {
      case PLAIN:
        break;
      case QUOTE:
        for (;;) {
          if (at >= end) break;
          const inside = bytes[at++]!;
          if (inside === 0x22) break;
          inStrings |= inside;
          if (inside === 0x5c) {
            if (bytes[at] === 0x75 && isSurrogateEscape(bytes, at + 1)) needsExactParser = true;
            at++;
          }
        }
        break;
      case DIGIT: {
        const start = at - 1;
        while (kindOf[bytes[at]!] === DIGIT) at++;
        const next = bytes[at]! | 0x20;
        if (at - start >= 16 || next === 0x65) needsExactParser = true;
        if (next === 0x2e || next === 0x65) hasFloats = true;
        break;
      }
      case COLON:
        members++;
        tokens += 2;
        break;
      case OPEN:
        tokens++;
        if (++depth > maxDepth) throw new JsonError({ code: 'TooDeep', limit: maxDepth, byte });
        if (tokens > maxTokens) throw new JsonError({ code: 'TooManyTokens', limit: maxTokens });
        break;
      case CLOSE:
        tokens++;
        depth--;
        break;
      case COMMA:
        tokens++;
        if (tokens > maxTokens) throw new JsonError({ code: 'TooManyTokens', limit: maxTokens });
        break;
    }
  }
  return { tokens, members, ascii: inStrings < 0x80, needsExactParser, hasFloats };
}

const PLAIN = 0;
const QUOTE = 1;
const DIGIT = 2;
const COLON = 3;
const OPEN = 4;
const CLOSE = 5;
const COMMA = 6;

const kindOf = new Uint8Array(256);
kindOf[0x22] = QUOTE;
kindOf.fill(DIGIT, 0x30, 0x3a);
kindOf[0x3a] = COLON;
kindOf[0x7b] = OPEN;
kindOf[0x5b] = OPEN;
kindOf[0x7d] = CLOSE;
kindOf[0x5d] = CLOSE;
kindOf[0x2c] = COMMA;

/** True when four hexadecimal digits of a surrogate begin here: D8 to DF. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! | 0x20) === 0x64 && bytes[at + 1]! >= 0x38;
}

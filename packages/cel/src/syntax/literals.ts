import type { LiteralValue } from './ast.ts';
import type { Token } from './tokens.ts';

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

/** Returns the value of a literal, or why it is invalid. */
export function readLiteral(token: Token, isNegative: boolean): LiteralValue | { readonly problem: string } {
  switch (token.kind) {
    case 'int':
      return readInt(token.text, isNegative);
    case 'uint':
      return readUint(token.text.slice(0, -1));
    case 'double':
      return { type: 'double', value: isNegative ? -Number(token.text) : Number(token.text) };
    case 'string':
      return { type: 'string', value: decodeString(token.text) };
    default:
      return namesCharacters.test(token.text) && !/^[bB][rR]/.test(token.text)
        ? { problem: 'unable to unescape string' }
        : { type: 'bytes', value: decodeBytes(token.text) };
  }
}

function readInt(text: string, isNegative: boolean): LiteralValue | { readonly problem: string } {
  const digits = BigInt(text.slice(0, 100));
  const value = isNegative ? -digits : digits;
  if (text.length > 100 || value > maxInt || value < minInt) return { problem: 'invalid int literal' };
  const isSafe = value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  return { type: 'int', value: isSafe ? Number(value) + 0 : value };
}

function readUint(text: string): LiteralValue | { readonly problem: string } {
  const value = BigInt(text.slice(0, 100));
  return text.length > 100 || value > maxUint ? { problem: 'invalid uint literal' } : { type: 'uint', value };
}

function decodeString(text: string): string {
  const { isRaw, body } = unwrap(text);
  if (isRaw || !body.includes('\\')) return body;
  return body.replace(escapes, (_match, escaped: string) => {
    const code = codeOf(escaped);
    // Go replaces a single surrogate with the replacement character.
    return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
  });
}

/** Bytes cannot have escapes of code points. */
const namesCharacters = /(?:^|[^\\])(?:\\\\)*\\[uU]/;

/** Escapes in bytes are bytes; other characters are UTF-8. */
function decodeBytes(text: string): Uint8Array {
  const { isRaw, body } = unwrap(text);
  if (isRaw || !body.includes('\\')) return new TextEncoder().encode(body);
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const match of body.matchAll(escapes)) {
    parts.push(new TextEncoder().encode(body.slice(end, match.index)), Uint8Array.of(codeOf(match[1]!)));
    end = match.index + match[0].length;
  }
  parts.push(new TextEncoder().encode(body.slice(end)));
  return joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const escapes = /\\([abfnrtv"'`\\?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/g;

const named: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

function codeOf(escaped: string): number {
  const code = named.get(escaped);
  if (code !== undefined) return code;
  if (/^[xXuU]/.test(escaped)) return Math.min(Number.parseInt(escaped.slice(1), 16), 0x10ffff);
  return escaped.length === 3 ? Number.parseInt(escaped, 8) : escaped.charCodeAt(0);
}

function unwrap(text: string): { readonly isRaw: boolean; readonly body: string } {
  const prefix = /^[bBrR]*/.exec(text)![0];
  const quoted = text.slice(prefix.length);
  const width = /^(?:'''|""")/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  return { isRaw: /[rR]/.test(prefix), body: quoted.slice(width, -width) };
}

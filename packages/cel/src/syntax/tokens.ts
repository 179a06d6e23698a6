import type { Issue } from './issues.ts';

type TokenKind = 'ident' | 'quoted' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'sign' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly at: number;
  readonly text: string;
}

const maxIssues = 100;

/** Longest first. */
const signs = ['==', '!=', '<=', '>=', '&&', '||', ...'+-*/%<>!.,:?()[]{}'];

const space = /[\t\n\f\r ]+/y;
const comment = /\/\/[^\n]*/y;
const ident = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdent = /`[A-Za-z0-9_.\-/ ]+`/y;
const double = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]?/y;
const stringStart = /[bB]?[rR]?('''|"""|'|")/y;
const escapeSequence = /\\(?:[abfnrtv"'`\\?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

/**
 * Splits an expression into tokens. Reports and skips invalid characters, as Kubernetes' lexer does, so that one of
 * them does not hide other errors. The last token is always `end`.
 */
export function tokenize(source: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  // Stops after so many issues.
  while (at < source.length && issues.length < maxIssues) {
    const skipped = lengthOf(space, source, at) || lengthOf(comment, source, at);
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const token = readToken(source, at);
    if (token === undefined) {
      const length = unreadable(source, at);
      issues.push({ at, message: `Syntax error: token recognition error at: '${shown(source, at, length)}'` });
      at += length;
    } else {
      tokens.push(token);
      at += token.text.length;
    }
  }
  tokens.push({ kind: 'end', at: source.length, text: '<EOF>' });
  return tokens;
}

function readToken(source: string, at: number): Token | undefined {
  const character = source[at]!;
  if (stringBeginnings.includes(character)) {
    const length = stringLength(source, at);
    if (length > 0) {
      const text = source.slice(at, at + length);
      return { kind: character === 'b' || character === 'B' ? 'bytes' : 'string', at, text };
    }
  }
  return readName(source, at) ?? readNumber(source, at) ?? readSign(source, at);
}

const stringBeginnings = '\'"bBrR';

function readName(source: string, at: number): Token | undefined {
  const length = lengthOf(ident, source, at);
  if (length > 0) return { kind: 'ident', at, text: source.slice(at, at + length) };
  const quoted = source[at] === '`' ? lengthOf(quotedIdent, source, at) : 0;
  return quoted === 0 ? undefined : { kind: 'quoted', at, text: source.slice(at, at + quoted) };
}

function readNumber(source: string, at: number): Token | undefined {
  const fractional = lengthOf(double, source, at);
  if (fractional > 0) return { kind: 'double', at, text: source.slice(at, at + fractional) };
  const length = lengthOf(integer, source, at);
  if (length === 0) return undefined;
  const text = source.slice(at, at + length);
  return { kind: /[uU]$/.test(text) ? 'uint' : 'int', at, text };
}

function readSign(source: string, at: number): Token | undefined {
  const text = signs.find((sign) => source.startsWith(sign, at));
  return text === undefined ? undefined : { kind: 'sign', at, text };
}

function lengthOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}

/**
 * Returns the length of the string literal at this position; 0 when none starts here, or when it is unterminated or
 * malformed.
 */
function stringLength(source: string, at: number): number {
  stringStart.lastIndex = at;
  const opening = stringStart.exec(source);
  if (opening === null) return 0;
  const quote = opening[1]!;
  const isRaw = /[rR]/.test(opening[0]);
  let end = at + opening[0].length;
  while (end < source.length) {
    if (source.startsWith(quote, end)) return end + quote.length - at;
    const character = source[end]!;
    if (quote.length === 1 && (character === '\n' || character === '\r')) return 0;
    if (character === '\\' && !isRaw) {
      const length = lengthOf(escapeSequence, source, end);
      if (length === 0) return 0;
      end += length;
    } else end++;
  }
  // Three quotes that are never closed are an empty string and the start of another.
  return quote.length === 3 ? opening[0].length - 1 : 0;
}

/** Returns the length of an invalid string, up to the character that makes it invalid. */
function unreadable(source: string, at: number): number {
  stringStart.lastIndex = at;
  const opening = stringStart.exec(source);
  if (opening === null)
    return '=&|'.includes(source[at]!) ? Math.min(2, source.length - at) : source.codePointAt(at)! > 0xffff ? 2 : 1;
  let end = at + opening[0].length;
  while (end < source.length) {
    const character = source[end]!;
    if (character === '\n' || character === '\r') break;
    if (character === '\\') {
      const length = lengthOf(escapeSequence, source, end);
      if (length === 0) return Math.min(end + brokenEscapeLength(source, end), source.length) - at;
      end += length;
    } else end++;
  }
  return end - at;
}

/** Returns the length up to the character that makes an escape sequence invalid. */
function brokenEscapeLength(source: string, at: number): number {
  return 1 + (lengthOf(escapeBeginning, source, at) || 1);
}

const escapeBeginning = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)/y;

/** Shows the invalid text in one line, as Go's lexer does. */
function shown(source: string, at: number, length: number): string {
  return source
    .slice(at, at + Math.min(length, 1_000))
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r');
}

/**
 * Quotes a string as Go's `%q` does, which Kubernetes uses for names and values in messages: printable characters of
 * any script stay, all others are escaped. Truncates very long texts.
 */
export function quote(text: string): string {
  return quoteWhole(shorten(text));
}

/** As `quote`, without truncating. */
export function quoteWhole(text: string): string {
  return `"${text.replace(special, escapeCharacter)}"`;
}

/** Characters that may need escaping: all but printable ASCII without quote and backslash. Nearly all texts have none. */
const special = /[^ !#-[\]-~]/gu;

/** Go's escapes with a letter. */
export const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** Accepts what Go's `unicode.IsPrint` accepts: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(character: string): boolean {
  return character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}

function escapeCharacter(character: string): string {
  const named = namedEscapes.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0)!;
  // A lone surrogate has no UTF-8 form; Go would have received the replacement character.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (isPrintable(character)) return character;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Most characters of a client's text that an error quotes. */
export const MAX_SHOWN = 64 * 1024;

/** Returns the text, or its beginning and an ellipsis where it is longer than `maxLength`. */
export function shorten(text: string, maxLength: number = MAX_SHOWN): string {
  if (text.length <= maxLength) return text;
  const isHalf = (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? maxLength - 1 : maxLength)}…`;
}

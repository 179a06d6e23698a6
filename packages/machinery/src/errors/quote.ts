/**
 * A string in double quotes as Go prints it with `%q`, which is how names and values stand in Kubernetes' messages:
 * printable characters of any script stay, everything else becomes an escape. A very long one is cut short.
 */
export function quote(text: string): string {
  return quoteWhole(shorten(text));
}

/** As `quote`, however long the text is. */
export function quoteWhole(text: string): string {
  return `"${text.replace(special, escapeCharacter)}"`;
}

/** All but printable ASCII without quote and backslash, which is nearly everything, and has nothing to escape. */
const special = /[^ !#-[\]-~]/gu;

/** Go's escapes that have a name. */
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

/** What Go's `unicode.IsPrint` accepts: letters, marks, numbers, punctuation, symbols and the ASCII space. */
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

/** Refusals show at most this many characters of one text that a client wrote. */
export const MAX_SHOWN = 64 * 1024;

/** The text, or its beginning and an ellipsis where nobody would read all of it. */
export function shorten(text: string, maxLength: number = MAX_SHOWN): string {
  if (text.length <= maxLength) return text;
  const isHalf = (text.charCodeAt(maxLength - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, isHalf ? maxLength - 1 : maxLength)}…`;
}

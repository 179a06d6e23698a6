/** What a backslash may stand before with the same meaning in Go's dialect and in JavaScript's. */
const SHARED_ESCAPES = new Set([...'dDwWsSbBnrtfv.-+*?()[]{}|^$\\/']);

/**
 * A pattern of a definition as a literal of JavaScript whose source is that pattern; `undefined` where there is none that
 * means the same.
 */
export function patternLiteral(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    const next = pattern[at + 1] ?? '';
    if (/[\p{Cc}\u2028\u2029]/u.test(char)) return undefined;
    if (char === '\\') {
      if (!SHARED_ESCAPES.has(next) || (isInClass && 'bB'.includes(next))) return undefined;
      at++;
    } else if (isInClass) {
      if (char === '[' && next === ':') return undefined;
      isInClass = char !== ']';
    } else if (char === '[') {
      const inside = next === '^' ? (pattern[at + 2] ?? '') : next;
      if (inside === ']' || inside === '') return undefined;
      isInClass = true;
    } else if (char === '/') return undefined;
    else if (char === '(' && next === '?' && pattern[at + 2] !== ':') return undefined;
  }
  return isInClass ? undefined : `/${pattern}/`;
}

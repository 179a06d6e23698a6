/** A field's name in expressions, and in the object. */
export interface FieldName {
  readonly escaped: string;
  /** `undefined` when the escaped name is invalid. */
  readonly raw: string | undefined;
}

const keywords: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

export function isKeyword(name: string): boolean {
  return keywords.has(name);
}

/**
 * Escapes a field name for expressions, which allow letters, digits and underscores: `a-b` is `a__dash__b`. Returns
 * `undefined` when it cannot be escaped.
 */
export function escapeFieldName(name: string): string | undefined {
  if (keywords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (special) => `__${words.get(special)}__`);
}

/** Returns the field's name for an escaped name. */
export function unescapeFieldName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let isWellFormed = true;
  const raw = escaped.replace(/__([^_]+)__/g, (whole, word: string) => {
    const special = specials.get(word);
    if (special !== undefined) return special;
    isWellFormed &&= keywords.has(word) && whole.length === escaped.length;
    return word;
  });
  return isWellFormed ? raw : undefined;
}

export function fieldName(escaped: string): FieldName {
  return { escaped, raw: unescapeFieldName(escaped) };
}

const words: ReadonlyMap<string, string> = new Map([
  ['__', 'underscores'],
  ['.', 'dot'],
  ['-', 'dash'],
  ['/', 'slash'],
]);
const specials: ReadonlyMap<string, string> = new Map([...words].map(([special, word]) => [word, special]));

import type { JsonValue } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';

const WIDTH = 110;
const INDENT = '  ';

/** An expression inside of a value that becomes code. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value as TypeScript code: single quotes, and names without quotes where possible. */
export function literal(value: unknown, depth = 0): string {
  const flat = flatLiteral(value);
  if (flat.length + depth * INDENT.length <= WIDTH || !isComposite(value)) return flat;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, depth + 1))
    : entriesOf(value).map(([key, item]) => `${propertyKey(key)}: ${literal(item, depth + 1)}`);
  return Array.isArray(value) ? block('[', parts, ']', depth) : block('{', parts, '}', depth);
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Code);
}

/** Returns the parts on separate, indented lines. */
export function block(open: string, parts: readonly string[], close: string, depth: number): string {
  if (parts.length === 0) return open + close;
  const lines = parts.map((part) => `${INDENT.repeat(depth + 1)}${part},\n`);
  return `${open}\n${lines.join('')}${INDENT.repeat(depth)}${close}`;
}

/** Returns the name of a field for an object literal or an interface. */
export function propertyKey(key: string): string {
  // As a plain key it would set the prototype.
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}

const ESCAPES: Readonly<Record<string, string>> = table({
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
  "'": "\\'",
});

export function quoted(text: string): string {
  if (text.includes("'") && !/["\\\p{Cc}\u2028\u2029]/u.test(text)) return `"${text}"`;
  const escaped = text.replace(/[\\'\p{Cc}\u2028\u2029]/gu, (char) => ESCAPES[char] ?? codeUnit(char));
  return `'${escaped}'`;
}

function codeUnit(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function flatLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(flatLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = entriesOf(value).map(([key, item]) => `${propertyKey(key)}: ${flatLiteral(item)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function entriesOf(value: object): [string, JsonValue][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

/** Escaped characters with the same meaning in regular expressions of Go and JavaScript. */
const SHARED_ESCAPES = new Set([...'dDwWsSbBnrtfv.-+*?()[]{}|^$\\/']);

/**
 * Returns a pattern of a CRD as a regular expression literal with the same source; `undefined` when JavaScript would read it
 * differently.
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

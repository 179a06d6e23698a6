import type { Json } from '../api/objects.ts';

/** A line of YAML, and which field it shows. */
export interface YamlLine {
  /** Spaces before it, and `- ` where it begins an item. */
  readonly indent: string;
  readonly key: string | undefined;
  /** The value as YAML writes it; empty where lines below hold it. */
  readonly value: string;
  readonly type: 'string' | 'number' | 'word' | 'none';
  /** Field names, and indexes of lists. */
  readonly path: readonly (string | number)[];
}

/** Writes a value as kubectl does: fields in order, two spaces, text quoted only where it must be. */
export function yamlLines(value: Json): YamlLine[] {
  const lines: YamlLine[] = [];
  write(value, 0, '', [], lines);
  return lines;
}

export function textOfLine({ indent, key, value }: YamlLine): string {
  if (key === undefined) return `${indent}${value}`;
  return value === '' ? `${indent}${key}:` : `${indent}${key}: ${value}`;
}

export function yamlText(value: Json): string {
  return `${yamlLines(value).map(textOfLine).join('\n')}\n`;
}

type Path = readonly (string | number)[];

/** `lead` is what the first line begins with instead of its indentation: the dash of a list's item. */
function write(value: Json, depth: number, lead: string, path: Path, lines: YamlLine[]): void {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      const start = index === 0 && lead !== '' ? lead : pad;
      writeItem(item, depth, `${start}- `, [...path, index], lines);
    });
    return;
  }
  if (typeof value !== 'object' || value === null || (path.length === 0 && isEmpty(value))) {
    writeScalar(lead, undefined, value, depth, path, lines);
    return;
  }
  let start = lead;
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    writeField(start === '' ? pad : start, key, each, depth, [...path, key], lines);
    start = '';
  }
}

function writeItem(item: Json, depth: number, lead: string, path: Path, lines: YamlLine[]): void {
  if (isEmpty(item) || typeof item !== 'object' || item === null)
    writeScalar(lead, undefined, item, depth + 1, path, lines);
  else write(item, depth + 1, lead, path, lines);
}

function writeField(indent: string, key: string, value: Json, depth: number, path: Path, lines: YamlLine[]): void {
  const name = quoted(key);
  if (typeof value !== 'object' || value === null || isEmpty(value)) {
    writeScalar(indent, name, value, depth + 1, path, lines);
    return;
  }
  lines.push({ indent, key: name, value: '', type: 'none', path });
  write(value, Array.isArray(value) ? depth : depth + 1, '', path, lines);
}

function writeScalar(
  indent: string,
  key: string | undefined,
  value: Json,
  depth: number,
  path: Path,
  lines: YamlLine[],
): void {
  const push = (text: string, type: YamlLine['type']): void =>
    void lines.push({ indent, key, value: text, type, path });
  if (typeof value === 'string' && isBlock(value)) {
    const parts = value.split('\n');
    const isEnded = value.endsWith('\n');
    push(isEnded ? '|' : '|-', 'none');
    const pad = '  '.repeat(depth);
    for (const part of isEnded ? parts.slice(0, -1) : parts) {
      lines.push({ indent: part === '' ? '' : pad, key: undefined, value: part, type: 'string', path });
    }
  } else if (typeof value === 'string') push(quoted(value), 'string');
  else if (typeof value === 'number' || typeof value === 'bigint') push(String(value), 'number');
  else if (typeof value === 'object' && value !== null) push(Array.isArray(value) ? '[]' : '{}', 'word');
  else push(String(value), 'word');
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Text of several lines that a block holds as it is. */
function isBlock(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what YAML's blocks cannot hold.
  return /[^\n]\n/.test(text) && !/^[\s]|[ \t]\n|\n\n$|[\x00-\x08\x0b-\x1f\x7f\u0085\u2028\u2029\ufeff]/.test(text);
}

const PLAIN = /^[A-Za-z0-9_./$(<=][\w ./$()<>=+@,;:~^%!*?&|'"`\\[\]{}#-]*$/;
const MEANS_OTHER =
  /^(?:true|false|yes|no|on|off|y|n|null|~|\.inf|\.nan|[-+]?[\d._]+(?:e[-+]?\d+)?|0[xo][\da-f]+|[\d:]+|\d{4}-\d\d?-\d\d?.*|=|<<)$/i;

/** The text as a plain word where YAML reads it so, else in quotes. */
function quoted(text: string): string {
  const isPlain = PLAIN.test(text) && !MEANS_OTHER.test(text) && !/: |:$| #|\s$/.test(text);
  return isPlain ? text : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeOne);
}

function escapeOne(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

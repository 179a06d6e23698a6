import { resolvePlain } from './resolve-plain.ts';

/** The position at which a string is written. */
interface StringPosition {
  /** Column of its further lines. */
  readonly indent: number;
  /** Column of its first line. */
  readonly column: number;
  /** Keys stay on one line. */
  readonly isKey: boolean;
}

/** Text is wrapped at the first space behind this column. */
const WRAP_COLUMN = 80;

/** Writes a string in the first of these styles that reads back the same: literal block, plain, quotes. */
export function writeString(value: string, position: StringPosition): string {
  if (special.test(value) || /[ \t]\n/.test(value)) return doubleQuoted(value);
  if (value.includes('\n'))
    return position.isKey || /[ \t]$/.test(value) ? doubleQuoted(value) : literal(value, position);
  if (resolvePlain(value).tag !== '!!str' || readOtherwise.test(value)) return doubleQuoted(value);
  return isPlain(value) ? wrap(value, position) : wrap(`'${value.replaceAll("'", "''")}'`, position);
}

/** Line breaks other than `\n`, and characters that are not printable. */
const special = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** Merge keys, numbers in base 60, dates and times: some readers of YAML 1.1 do not read them as strings. */
const readOtherwise =
  /^(?:<<|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|\d{4}-\d\d?-\d\d?(?:[Tt ]\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?)$/;

function isPlain(value: string): boolean {
  return !/^(?:[#,[\]{}&*!|>'"%@` ]|[-?:](?: |$)|---|\.\.\.)|: |:$| #| $/.test(value);
}

/** Adds an indentation indicator where the first line would otherwise decide the indentation. */
function literal(value: string, { indent }: StringPosition): string {
  const hint = /^[ \n]/.test(value) ? '2' : '';
  const margin = ' '.repeat(Math.max(indent, 2));
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : margin + line));
  return `|${hint}${chomping(value)}\n${lines.join('\n')}`;
}

function chomping(value: string): string {
  if (!value.endsWith('\n')) return '-';
  return value === '\n' || value.endsWith('\n\n') ? '+' : '';
}

function doubleQuoted(value: string): string {
  const escaped = value.replace(/["\\]/g, '\\$&').replace(escapedCharacters, (character) => {
    const named = escapeNames.get(character);
    if (named !== undefined) return named;
    const code = character.codePointAt(0)!;
    const hex = code.toString(16).toUpperCase();
    if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}

const escapedCharacters = /[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const escapeNames = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['\x85', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

/** A line break between two words reads back as the space it replaces. */
function wrap(text: string, { indent, column, isKey }: StringPosition): string {
  if (isKey || column + text.length <= WRAP_COLUMN) return text;
  let wrapped = '';
  let lineStart = 0;
  let lineColumn = column;
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    const isSingle = text[at - 1] !== ' ' && text[at + 1] !== ' ' && at > 1 && at < text.length - 2;
    if (!isSingle || lineColumn + at - lineStart <= WRAP_COLUMN) continue;
    wrapped += `${text.slice(lineStart, at)}\n${' '.repeat(Math.max(indent, 2))}`;
    lineStart = at + 1;
    lineColumn = indent;
  }
  return wrapped + text.slice(lineStart);
}

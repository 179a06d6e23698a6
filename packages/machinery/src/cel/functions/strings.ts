import { DYN, INT, listType, STRING } from '../types/type.ts';
import { typeNameOf } from '../values/describe.ts';
import { ArrayList, type ListValue } from '../values/list.ts';
import type { Int } from '../values/numbers.ts';
import { CelError, isError, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';
import { formatText } from './format-text.ts';
import { maxText, tooLarge } from './limits.ts';

/** Positions count characters, not UTF-16 units. Where there is nothing but ASCII and its like, they are the same. */
function characters(text: string): readonly string[] | string {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}

function sliceOf(text: readonly string[] | string, start: number, end?: number): string {
  return typeof text === 'string' ? text.slice(start, end) : text.slice(start, end).join('');
}

function outOfRange(position: Int): CelError {
  return new CelError(`index out of range: ${position}`);
}

function charAt(text: string, position: Int): Value {
  const found = characters(text);
  if (position < 0 || position > found.length) return outOfRange(position);
  return found[Number(position)] ?? '';
}

function indexOf(text: string, part: string, offset: Int = 0): Value {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const whole = characters(text);
  if (offset >= whole.length) return -1;
  if (typeof whole === 'string') return whole.indexOf(part, Number(offset));
  const rest = sliceOf(whole, Number(offset));
  const at = rest.indexOf(part);
  return at < 0 ? -1 : Number(offset) + [...rest.slice(0, at)].length;
}

function lastIndexOf(text: string, part: string, offset?: Int): Value {
  const whole = characters(text);
  if (part === '') return offset ?? whole.length;
  const from = offset ?? whole.length - 1;
  if (from < 0) return offset === undefined ? -1 : outOfRange(from);
  if (from >= whole.length) return -1;
  if (typeof whole === 'string') return whole.lastIndexOf(part, Number(from));
  const at = text.lastIndexOf(part, sliceOf(whole, 0, Number(from)).length);
  return at < 0 ? -1 : [...text.slice(0, at)].length;
}

/** As Go replaces: the first `limit` places, all if it is negative; nothing stands between all characters. */
function replace(text: string, from: string, to: string, limit: Int = -1): Value {
  const pieces = from === '' ? [...text] : text.split(from);
  const places = from === '' ? pieces.length + 1 : pieces.length - 1;
  const count = limit < 0 ? places : Math.min(Number(limit), places);
  if (text.length + count * to.length > maxText) return tooLarge;
  if (from === '')
    return (
      pieces.map((piece, index) => (index < count ? to + piece : piece)).join('') + (count > pieces.length ? to : '')
    );
  return (
    pieces.slice(0, count + 1).join(to) +
    pieces
      .slice(count + 1)
      .map((piece) => from + piece)
      .join('')
  );
}

function split(text: string, separator: string, limit: Int = -1): Value {
  if (limit === 0) return new ArrayList([]);
  const pieces = separator === '' ? [...text] : text.split(separator);
  if (limit < 0 || pieces.length <= limit) return new ArrayList(pieces);
  const kept = pieces.slice(0, Number(limit) - 1);
  return new ArrayList([...kept, pieces.slice(Number(limit) - 1).join(separator)]);
}

function join(list: ListValue, separator = ''): Value {
  const parts: string[] = [];
  let length = 0;
  for (const item of list.items()) {
    if (isError(item)) return item;
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${typeNameOf(item)}`);
    length += item.length + separator.length;
    if (length > maxText) return tooLarge;
    parts.push(item);
  }
  return parts.join(separator);
}

function substring(text: string, start: Int, end?: Int): Value {
  const whole = characters(text);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > whole.length) return outOfRange(start);
  if (end !== undefined && (end < 0 || end > whole.length)) return outOfRange(end);
  return sliceOf(whole, Number(start), end === undefined ? undefined : Number(end));
}

const quoted: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

function quote(text: string): string {
  let result = '"';
  for (const character of text) result += quoted.get(character) ?? character;
  return `${result}"`;
}

/** What Go's `unicode.IsSpace` takes for space. */
const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text[start]!)) start++;
  while (end > start && space.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

const strings = listType(STRING);

/** Strings, version 2 of the extension: `reverse` came later. */
export const stringsLibrary: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    func('charAt', member('string_char_at_int', [STRING, INT], STRING, charAt)),
    func(
      'indexOf',
      member('string_index_of_string', [STRING, STRING], INT, (text: string, part: string) => indexOf(text, part)),
      member('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ),
    func(
      'lastIndexOf',
      member('string_last_index_of_string', [STRING, STRING], INT, (text: string, part: string) =>
        lastIndexOf(text, part),
      ),
      member('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
    ),
    func('lowerAscii', member('string_lower_ascii', [STRING], STRING, lower)),
    func('upperAscii', member('string_upper_ascii', [STRING], STRING, upper)),
    func(
      'replace',
      member(
        'string_replace_string_string',
        [STRING, STRING, STRING],
        STRING,
        (text: string, from: string, to: string) => replace(text, from, to),
      ),
      member('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ),
    func(
      'split',
      member('string_split_string', [STRING, STRING], strings, (text: string, separator: string) =>
        split(text, separator),
      ),
      member('string_split_string_int', [STRING, STRING, INT], strings, split),
    ),
    func(
      'substring',
      member('string_substring_int', [STRING, INT], STRING, (text: string, start: Int) => substring(text, start)),
      member('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ),
    func('trim', member('string_trim', [STRING], STRING, trim)),
    func('format', member('string_format', [STRING, listType(DYN)], STRING, formatText)),
    func('strings.quote', global('strings_quote', [STRING], STRING, quote)),
    func(
      'join',
      member('list_join', [strings], STRING, (list: ListValue) => join(list)),
      member('list_join_string', [strings, STRING], STRING, join),
    ),
  ],
};

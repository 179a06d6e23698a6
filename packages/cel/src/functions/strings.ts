import { namedEscapes } from '@pintle/machinery/errors';
import { DYN, INT, listType, STRING } from '../types/type.ts';
import { characterCount, offsetOf, typeNameOf } from '../values/describe.ts';
import { ArrayList, type ListValue } from '../values/list.ts';
import type { Int } from '../values/numbers.ts';
import { CelError, isError, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';
import { formatText } from './format-text.ts';
import { maxText, tooLarge } from './limits.ts';

function outOfRange(position: Int): CelError {
  return new CelError(`index out of range: ${position}`);
}

/** Positions count characters, not UTF-16 units. */
function charAt(text: string, position: Int): Value {
  const offset = offsetOf(text, Number(position));
  if (offset === undefined) return outOfRange(position);
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function indexOf(text: string, part: string, position: Int = 0): Value {
  if (part === '') return position;
  if (position < 0) return outOfRange(position);
  const offset = offsetOf(text, Number(position));
  const found = offset === undefined ? -1 : text.indexOf(part, offset);
  return found < 0 ? -1 : characterCount(text.slice(0, found));
}

function lastIndexOf(text: string, part: string, position?: Int): Value {
  if (part === '') return position ?? characterCount(text);
  if (position !== undefined && position < 0) return outOfRange(position);
  const offset = position === undefined ? text.length : offsetOf(text, Number(position));
  // A search cannot start at the end of a string.
  if (offset === undefined || (position !== undefined && offset >= text.length)) return -1;
  const found = text.lastIndexOf(part, offset);
  return found < 0 ? -1 : characterCount(text.slice(0, found));
}

/**
 * Replaces like Go: the first `limit` occurrences, all if it is negative; an empty string matches between all
 * characters.
 */
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
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const from = offsetOf(text, Number(start));
  if (from === undefined) return outOfRange(start);
  const to = end === undefined ? text.length : offsetOf(text, Number(end));
  return to === undefined ? outOfRange(end!) : text.slice(from, to);
}

function quote(text: string): string {
  return `"${text.replace(/["\\\p{Cc}]/gu, (character) => namedEscapes.get(character) ?? character)}"`;
}

/** Characters that Go's `unicode.IsSpace` accepts. */
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

/** The strings extension, version 2, without `reverse`. */
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

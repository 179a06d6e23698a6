import { canonicalJson, escapeForHtml } from '../json/index.ts';
import { MAX_SHOWN, quote, shorten } from './quote.ts';

/**
 * Formats a value for an error message as Kubernetes does: strings in Go's quotes, numbers and booleans plainly, an
 * absent value as `null`, and all others as Go's JSON. Keys keep their order in `value`, as the fields of a Go struct
 * do; pass Go's maps through `sortedMap`. Truncates very long values.
 */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatNumber(value);
  return shorten(formatJson(value, MAX_SHOWN));
}

/**
 * Returns labels, annotations and the like with sorted keys, as Go prints maps. A `Map`, because an object would put
 * keys that look like numbers first.
 */
export function sortedMap<T>(record: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Writes JSON as Go's encoder does: `<`, `>`, `&` and the two line separators of Unicode are escaped. Stops soon after
 * `enough` characters, wherever that is.
 */
export function formatJson(value: unknown, enough = Number.POSITIVE_INFINITY): string {
  const writer = new Writer(enough);
  writeJson(value, writer);
  return writer.text;
}

class Writer {
  text = '';
  readonly #enough: number;

  constructor(enough: number) {
    this.#enough = enough;
  }

  get isFull(): boolean {
    return this.text.length > this.#enough;
  }
}

/** As `formatJson`, for a value that consists of maps in Go, whose keys are sorted. */
export function formatSortedJson(value: unknown): string {
  return escapeForHtml(canonicalJson(value));
}

function writeJson(value: unknown, writer: Writer): void {
  if (Array.isArray(value)) writeList(value, writer);
  else if (typeof value === 'object' && value !== null) writeObject(value, writer);
  else if (typeof value === 'bigint') writer.text += value.toString();
  else writer.text += escapeForHtml(JSON.stringify(value ?? null));
}

function writeList(list: readonly unknown[], writer: Writer): void {
  for (const [index, item] of list.entries()) {
    if (writer.isFull) return;
    writer.text += index === 0 ? '[' : ',';
    writeJson(item, writer);
  }
  writer.text += list.length === 0 ? '[]' : ']';
}

function writeObject(object: object, writer: Writer): void {
  let separator = '{';
  for (const [key, value] of object instanceof Map ? object : Object.entries(object)) {
    if (value === undefined) continue;
    if (writer.isFull) return;
    writer.text += `${separator}${escapeForHtml(JSON.stringify(key))}:`;
    writeJson(value, writer);
    separator = ',';
  }
  writer.text += separator === '{' ? '{}' : '}';
}

/**
 * Formats integers of 64 bits plainly, and all other numbers as Go prints a float: with an exponent of two digits from
 * 1e6 on and below 1e-4.
 */
function formatNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return value.toString();
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) return value.toString();
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

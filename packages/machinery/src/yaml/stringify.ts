import { isJsonObject } from '../json/value.ts';
import { compareKeys } from './compare-keys.ts';
import { formatFloat } from './format-float.ts';
import { writeString } from './write-string.ts';
import { YamlError } from './yaml-error.ts';

/** Readers refuse deeper nesting, and the writer calls itself once per level. */
const MAX_WRITTEN_DEPTH = 1_000;

/** A key longer than this is written with a question mark: parsers look for the colon only so far. */
const MAX_SIMPLE_KEY = 128;

/**
 * Writes a value as Kubernetes writes YAML: block style, sorted keys, lists not indented under their key, text of
 * several lines as literal blocks, and quotes around text that would not be read as a string. Omits properties that are
 * `undefined`.
 */
export function stringifyYaml(value: unknown): string {
  const text = isEmptyOrScalar(value) ? writeScalar(value, 0, 0) : writeBlock(value, 0, 0);
  return `${text}\n`;
}

/** As `stringifyYaml`, in pieces as they are written: a few hundred members, or one that is a collection, at a time. */
export function* stringifyYamlPieces(value: unknown): Generator<string> {
  if (!isLarge(value)) {
    yield stringifyYaml(value);
    return;
  }
  yield* blockPieces(value, 0, 0);
  yield '\n';
}

/** As `writeBlock`, for a large collection. */
function* blockPieces(value: unknown, indent: number, depth: number): Generator<string> {
  const lines = new Lines(indent, depth);
  const members = Array.isArray(value) ? itemsOf(value) : membersOf(value);
  for (const [key, member] of members) {
    if (isLarge(member)) {
      const name = key === undefined ? undefined : nameOf(key, indent);
      const below = name === undefined ? indent + 2 : indentBelow(name, member, indent);
      lines.add(name === undefined ? '- ' : belowName(name, indent, below));
      yield lines.take();
      yield* blockPieces(member, below, depth + 1);
    } else {
      lines.add(key === undefined ? `-${writeItem(member, indent, depth)}` : writeMember(key, member, indent, depth));
      if (lines.count % MEMBERS_PER_STEP === 0 || typeof member === 'object') yield lines.take();
    }
  }
  yield lines.take();
}

function* itemsOf(list: readonly unknown[]): Iterable<[undefined, unknown]> {
  for (const item of list) yield [undefined, item];
}

const MEMBERS_PER_STEP = 500;
const LARGE_SIZE = 1_000;

/** True when a value has more than that many values in it, on all levels. */
function isLarge(value: unknown): boolean {
  return countUpTo(value, LARGE_SIZE) > LARGE_SIZE;
}

function countUpTo(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const name in value) {
    if (count > max) break;
    count += countUpTo(value[name as keyof typeof value], max - count);
  }
  return count;
}

/** Writes a collection with members: lines of which all but the first are indented. */
function writeBlock(value: unknown, indent: number, depth: number): string {
  const lines = new Lines(indent, depth);
  if (Array.isArray(value)) for (const item of value) lines.add(`-${writeItem(item, indent, depth)}`);
  else for (const [key, member] of membersOf(value)) lines.add(writeMember(key, member, indent, depth));
  return lines.text;
}

/** Collects the lines of a collection. Only appends to its text: joining it again on each level would take quadratic time. */
class Lines {
  readonly #separator: string;
  text = '';
  count = 0;

  constructor(indent: number, depth: number) {
    if (depth > MAX_WRITTEN_DEPTH) throw new YamlError({ code: 'TooDeep', limit: MAX_WRITTEN_DEPTH });
    this.#separator = `\n${' '.repeat(indent)}`;
  }

  add(line: string): void {
    this.text += this.count++ === 0 ? line : this.#separator + line;
  }

  /** Returns the lines added since the last call. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
}

/** Writes what follows a dash: a collection begins on the same line. */
function writeItem(item: unknown, indent: number, depth: number): string {
  if (isEmptyOrScalar(item)) return ` ${writeScalar(item, indent + 2, indent + 2)}`;
  return ` ${writeBlock(item, indent + 2, depth + 1)}`;
}

function writeMember(key: string, member: unknown, indent: number, depth: number): string {
  const name = nameOf(key, indent);
  if (isEmptyOrScalar(member)) {
    const column = indent + (isSimple(name) ? name.length + 2 : 2);
    return `${startOf(name, indent)} ${writeScalar(member, indent + 2, column)}`;
  }
  const below = indentBelow(name, member, indent);
  return belowName(name, indent, below) + writeBlock(member, below, depth + 1);
}

function isSimple(name: string): boolean {
  return name.length <= MAX_SIMPLE_KEY;
}

function startOf(name: string, indent: number): string {
  return isSimple(name) ? `${name}:` : `? ${name}\n${' '.repeat(indent)}:`;
}

/** Lists are not indented under a key that is on a line of its own. */
function indentBelow(name: string, member: unknown, indent: number): number {
  return isSimple(name) && Array.isArray(member) ? indent : indent + 2;
}

/** Returns the name, up to where a block under it begins. */
function belowName(name: string, indent: number, below: number): string {
  return `${startOf(name, indent)}${isSimple(name) ? `\n${' '.repeat(below)}` : ' '}`;
}

function nameOf(key: string, indent: number): string {
  return writeString(key, { indent: indent + 2, column: 0, isKey: true });
}

/** `indent` is the column of further lines of the scalar, `column` that of its first line. */
function writeScalar(value: unknown, indent: number, column: number): string {
  if (typeof value === 'string') return writeString(value, { indent, column, isKey: false });
  if (typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value)) return '[]';
  return isJsonObject(value) ? '{}' : String(value ?? null);
}

/** Writes doubles without a fraction as integers as long as 64 bits hold them. */
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const isDigits = Number.isInteger(value) && Math.abs(value) < 2 ** 64;
  return isDigits ? String(value) : formatFloat(value);
}

function isEmptyOrScalar(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return true;
  for (const name in value) if (value[name] !== undefined) return false;
  return true;
}

function* membersOf(value: unknown): Iterable<[string, unknown]> {
  const object = value as { readonly [key: string]: unknown };
  for (const key of Object.keys(object).sort(compareKeys)) {
    const member = object[key];
    if (member !== undefined) yield [key, member];
  }
}

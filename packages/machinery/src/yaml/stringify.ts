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
 * Writes a value as Kubernetes writes YAML: block style, keys in order, lists not indented under their key, text of
 * several lines as literal blocks, and quotes around whatever would be read as something else than a string.
 * Properties that are `undefined` are left out.
 */
export function stringifyYaml(value: unknown): string {
  const text = isEmptyOrScalar(value) ? writeScalar(value, 0, 0) : writeBlock(value, 0, 0);
  return `${text}\n`;
}

/** As `stringifyYaml`, in pieces as they are written: a few hundred members, or one that is a collection, at a time. */
export function* stringifyYamlPieces(value: unknown): Generator<string> {
  if (!hasMuch(value)) {
    yield stringifyYaml(value);
    return;
  }
  yield* blockPieces(value, 0, 0);
  yield '\n';
}

/** As `writeBlock`, for a collection with much in it. */
function* blockPieces(value: unknown, indent: number, depth: number): Generator<string> {
  const lines = new Lines(indent, depth);
  const members = Array.isArray(value) ? itemsOf(value) : membersOf(value);
  for (const [key, member] of members) {
    if (hasMuch(member)) {
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
const MUCH = 1_000;

/** Whether there are more than so many values in it, on all levels. */
function hasMuch(value: unknown): boolean {
  return countUpTo(value, MUCH) > MUCH;
}

function countUpTo(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const name in value) {
    if (count > most) break;
    count += countUpTo(value[name as keyof typeof value], most - count);
  }
  return count;
}

/** A collection with something in it: lines of which all but the first are indented. */
function writeBlock(value: unknown, indent: number, depth: number): string {
  const lines = new Lines(indent, depth);
  if (Array.isArray(value)) for (const item of value) lines.add(`-${writeItem(item, indent, depth)}`);
  else for (const [key, member] of membersOf(value)) lines.add(writeMember(key, member, indent, depth));
  return lines.text;
}

/** Lines of a collection. The text is only ever added to: to join it anew on each level would take the square of that. */
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

  /** Returns what was added since the last call. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
}

/** What follows a dash: a collection begins on the same line. */
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

/** Lists are not indented under a name that stands on a line of its own. */
function indentBelow(name: string, member: unknown, indent: number): number {
  return isSimple(name) && Array.isArray(member) ? indent : indent + 2;
}

/** The name, up to where a block under it begins. */
function belowName(name: string, indent: number, below: number): string {
  return `${startOf(name, indent)}${isSimple(name) ? `\n${' '.repeat(below)}` : ' '}`;
}

function nameOf(key: string, indent: number): string {
  return writeString(key, { indent: indent + 2, column: 0, isKey: true });
}

/** `indent` is where further lines of the scalar would begin, `column` where its first one does. */
function writeScalar(value: unknown, indent: number, column: number): string {
  if (typeof value === 'string') return writeString(value, { indent, column, isKey: false });
  if (typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value)) return '[]';
  return isJsonObject(value) ? '{}' : String(value ?? null);
}

/** Doubles without a fraction are written as integers as long as 64 bits hold them. */
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

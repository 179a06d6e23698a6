import { isJsonObject } from '../json/object.ts';
import type { Steps } from '../rules/steps.ts';
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

/** As `stringifyYaml`, with a pause after each member of the object, and after each item of a list in it. */
export function* stringifyYamlInSteps(value: unknown): Steps<string> {
  if (Array.isArray(value) || isEmptyOrScalar(value)) return stringifyYaml(value);
  let text = '';
  for (const [key, member] of membersOf(value)) {
    const name = nameOf(key, 0);
    const isLongList = Array.isArray(member) && member.length > 1 && name.length <= MAX_SIMPLE_KEY;
    text += isLongList ? `${name}:\n` : stringifyYaml({ [key]: member });
    yield;
    for (const item of isLongList ? member : []) {
      text += stringifyYaml([item]);
      yield;
    }
  }
  return text;
}

/** A collection with something in it: lines of which the first is indented too. */
function writeBlock(value: unknown, indent: number, depth: number): string {
  if (depth > MAX_WRITTEN_DEPTH) throw new YamlError({ code: 'TooDeep', limit: MAX_WRITTEN_DEPTH });
  const margin = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return value.map((item) => `${margin}-${writeItem(item, indent, depth)}`).join('\n');
  }
  return membersOf(value)
    .map(([key, member]) => `${margin}${writeMember(key, member, indent, depth)}`)
    .join('\n');
}

/** What follows a dash: a collection begins on the same line. */
function writeItem(item: unknown, indent: number, depth: number): string {
  if (isEmptyOrScalar(item)) return ` ${writeScalar(item, indent + 2, indent + 2)}`;
  return ` ${writeBlock(item, indent + 2, depth + 1).trimStart()}`;
}

function writeMember(key: string, member: unknown, indent: number, depth: number): string {
  const name = nameOf(key, indent);
  const isSimple = name.length <= MAX_SIMPLE_KEY;
  const start = isSimple ? `${name}:` : `? ${name}\n${' '.repeat(indent)}:`;
  if (isEmptyOrScalar(member)) {
    const column = indent + (isSimple ? name.length + 2 : 2);
    return `${start} ${writeScalar(member, indent + 2, column)}`;
  }
  if (isSimple) return `${start}\n${writeBlock(member, Array.isArray(member) ? indent : indent + 2, depth + 1)}`;
  return `${start} ${writeBlock(member, indent + 2, depth + 1).trimStart()}`;
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

function membersOf(value: unknown): [string, unknown][] {
  return Object.entries(value as object)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => compareKeys(left, right));
}

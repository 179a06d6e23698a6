import { compareUtf8 } from './compare-utf8.ts';
import { JsonError } from './json-error.ts';

/** Native `JSON.stringify` overflows the stack at about 4,000 levels; ours stops well before. */
const MAX_WRITTEN_DEPTH = 3_000;

/**
 * Writes a value as compact JSON, `bigint` as plain digits. Properties that are `undefined` are left out.
 * Throws `JsonError` for a value that is nested too deeply.
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return write(value, unsorted, 0);
    if (error instanceof RangeError)
      throw new JsonError({ code: 'TooDeep', limit: MAX_WRITTEN_DEPTH }, { cause: error });
    throw error;
  }
}

/** `stringifyJson` as UTF-8. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(stringifyJson(value));
}

/**
 * The one JSON text of a value: keys in UTF-8 byte order, as Go writes its maps. Equal values have equal texts, whatever
 * order their keys came in.
 */
export function canonicalJson(value: unknown): string {
  return write(value, sorted, 0);
}

type KeysOf = (object: object) => string[];

const unsorted: KeysOf = Object.keys;

const sorted: KeysOf = (object) => Object.keys(object).sort(compareUtf8);

function write(value: unknown, keysOf: KeysOf, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth >= MAX_WRITTEN_DEPTH) throw new JsonError({ code: 'TooDeep', limit: MAX_WRITTEN_DEPTH });
  return Array.isArray(value) ? writeArray(value, keysOf, depth) : writeObject(value, keysOf, depth);
}

function writeArray(array: readonly unknown[], keysOf: KeysOf, depth: number): string {
  let text = '[';
  for (let index = 0; index < array.length; index++) {
    if (index > 0) text += ',';
    text += write(array[index], keysOf, depth + 1);
  }
  return `${text}]`;
}

function writeObject(object: object, keysOf: KeysOf, depth: number): string {
  let text = '{';
  for (const key of keysOf(object)) {
    const member: unknown = object[key as keyof typeof object];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(key)}:${write(member, keysOf, depth + 1)}`;
  }
  return `${text}}`;
}

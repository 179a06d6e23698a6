import { type ExactResult, parseExactly } from './exact-parser.ts';
import { JsonError } from './json-error.ts';
import { type JsonLimits, requestLimits } from './limits.ts';
import { type Scan, scan } from './scan.ts';
import type { JsonValue } from './value.ts';

export interface JsonOptions extends Partial<JsonLimits> {
  /**
   * What becomes of an object whose key comes again with another object. Go's decoder replaces it where it decodes
   * into untyped values, as for custom resources, and merges the two where it decodes into structs and maps, as for
   * built-in kinds. Any other repeated value is replaced by the last.
   */
  readonly repeated?: 'replace' | 'merge';
}

export interface StrictJson {
  readonly value: JsonValue;
  /** Paths of the fields that occur more than once, as `spec.containers[0].name`; each once, at most 100. */
  readonly duplicates: readonly string[];
}

/**
 * Reads a JSON document as Kubernetes does, within the limits given (`requestLimits` unless said otherwise).
 * Invalid UTF-8 and lone surrogates become U+FFFD, so that a value equals what would be stored of it.
 * Throws `JsonError` and nothing else.
 */
export function parseJson(document: Uint8Array | string, options: JsonOptions = {}): JsonValue {
  if (options.repeated === 'merge') return parseJsonStrict(document, options).value;
  const input = open(document, options);
  return input.scan.needsExactParser ? readExactly(input, options).value : readNatively(input);
}

/** Like `parseJson`, and reports the fields that occur more than once. */
export function parseJsonStrict(document: Uint8Array | string, options: JsonOptions = {}): StrictJson {
  const input = open(document, options);
  if (input.scan.needsExactParser) return readExactly(input, options);
  const value = readNatively(input);
  return countMembers(value) === input.scan.members ? { value, duplicates: [] } : readExactly(input, options);
}

interface Input {
  readonly bytes: Buffer;
  readonly text: string;
  readonly scan: Scan;
}

function open(document: Uint8Array | string, options: JsonOptions): Input {
  const bytes = typeof document === 'string' ? Buffer.from(document) : bufferOver(document);
  const scanned = scan(bytes, { ...requestLimits, ...options });
  const text = bytes.toString(scanned.ascii ? 'latin1' : 'utf8');
  return { bytes, text, scan: scanned };
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readNatively(input: Input): JsonValue {
  try {
    return JSON.parse(input.text);
  } catch (error) {
    throw explain(input, error);
  }
}

function readExactly(input: Input, options: JsonOptions): ExactResult {
  try {
    return parseExactly(input.text, { repeated: options.repeated ?? 'replace' });
  } catch (error) {
    throw explain(input, error);
  }
}

/** Reads the bytes once more, one character each: so the error has the offset and the byte that Go would report. */
function explain(input: Input, error: unknown): JsonError {
  if (error instanceof JsonError && error.failure.code === 'NumberOutOfRange') return error;
  try {
    parseExactly(input.bytes.toString('latin1'), { repeated: 'replace' });
  } catch (exact) {
    if (exact instanceof JsonError) return exact;
    throw exact;
  }
  throw error;
}

/** Members of all objects in the value: fewer than the text has when a key occurs twice. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += countMembers(item);
    return members;
  }
  for (const key in value) {
    members++;
    const member = value[key]!;
    if (typeof member === 'object') members += countMembers(member);
  }
  return members;
}

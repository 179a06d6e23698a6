import {
  checkSyntax,
  type DuplicateListener,
  type ExactParserOptions,
  type FloatListener,
  type KeyInDocument,
  parseExactly,
} from './exact-parser.ts';
import { JsonError } from './json-error.ts';
import { type JsonLimits, requestLimits, trustedLimits } from './limits.ts';
import { type Scan, scan } from './scan.ts';
import type { JsonValue } from './value.ts';

export interface JsonOptions extends Partial<JsonLimits> {
  /**
   * Decides about an object whose key is repeated with another object. Go's decoder replaces it where it decodes into
   * untyped values, as for custom resources, and merges the two where it decodes into structs and maps, as for built-in
   * kinds. Any other repeated value is replaced by the last.
   */
  readonly repeated?: 'replace' | 'merge';
  /** `parseJsonStrict` reports numbers that are written as `1.0`, `1e2` or `1e-1`. Default: false. */
  readonly reportsFloats?: boolean;
}

export interface StrictJson {
  readonly value: JsonValue;
  /** Paths of repeated fields, such as `spec.containers[0].name`; each once, at most 100. */
  readonly duplicates: readonly string[];
  /**
   * Numbers that have another shortest form than they are written in, such as `1.0` or `1e-1`, by their paths; at most
   * 100, and absent when there are none. Go's decoder refuses them for integers, and quotes them as they are written.
   */
  readonly floats?: ReadonlyMap<string, string>;
}

/** Kubernetes reports no more strict errors than this. */
const MAX_DUPLICATES = 100;

/**
 * Reads a JSON document as Kubernetes does, within the limits given (default: `requestLimits`). Invalid UTF-8 and lone
 * surrogates become U+FFFD, so that a value equals its stored form. Throws `JsonError` and nothing else.
 */
export function parseJson(document: Uint8Array | string, options: JsonOptions = {}): JsonValue {
  return readJson(document, options, undefined);
}

/** Counts the tokens of the document, as `maxTokens` does. */
export function countTokens(document: Uint8Array): number {
  return scan(document, trustedLimits).tokens;
}

/** As `parseJson`, and reports repeated fields. */
export function parseJsonStrict(document: Uint8Array | string, options: JsonOptions = {}): StrictJson {
  const paths = new Set<string>();
  const floats = new Map<string, string>();
  const value = readJson(
    document,
    options,
    (duplicate) => {
      if (paths.size < MAX_DUPLICATES) paths.add(duplicate.path());
    },
    options.reportsFloats
      ? (float) => {
          if (floats.size < MAX_DUPLICATES) floats.set(float.path(), float.literal);
        }
      : undefined,
  );
  return { value, duplicates: [...paths], ...(floats.size > 0 && { floats }) };
}

/**
 * Calls `onKey` for every key of a document that `parseJson` has read, in order of appearance: for callers that report
 * problems in that order.
 */
export function visitKeys(document: Uint8Array, onKey: (key: KeyInDocument) => void): void {
  parseExactly(bufferOver(document).toString('utf8'), { repeated: 'replace', onDuplicate: undefined, onKey });
}

/**
 * Uses the native parser, unless the scan found something that it reads differently, or the caller asks for repeated
 * keys and there are some.
 */
export function readJson(
  document: Uint8Array | string,
  options: JsonOptions,
  onDuplicate: DuplicateListener | undefined,
  onFloat?: FloatListener | undefined,
): JsonValue {
  const input = open(document, options);
  const exactly: ExactParserOptions = { repeated: options.repeated ?? 'replace', onDuplicate, onFloat };
  const mustTellFloats = onFloat !== undefined && input.scan.hasFloats;
  if (input.scan.needsExactParser || mustTellFloats) return readExactly(input, exactly);
  const value = readNatively(input);
  const mayLoseKeys = onDuplicate === undefined && exactly.repeated === 'replace';
  return mayLoseKeys || countMembers(value) === input.scan.members ? value : readExactly(input, exactly);
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

function readExactly(input: Input, options: ExactParserOptions): JsonValue {
  try {
    return parseExactly(input.text, options);
  } catch (error) {
    throw explain(input, error);
  }
}

/** Reads the bytes once more, one character each, so that the error has the offset and the byte that Go would report. */
function explain(input: Input, error: unknown): unknown {
  if (error instanceof JsonError && error.failure.code === 'NumberOutOfRange') return error;
  try {
    checkSyntax(input.bytes.toString('latin1'));
  } catch (exact) {
    return exact;
  }
  return error;
}

/** Counts the members of all objects in the value: fewer than in the text when a key is repeated. */
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

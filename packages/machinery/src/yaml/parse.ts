import { JsonError } from '../json/json-error.ts';
import { requestLimits, trustedLimits } from '../json/limits.ts';
import { readJson } from '../json/parse.ts';
import type { JsonValue } from '../json/value.ts';
import { readDocuments, type YamlDocument } from './documents.ts';
import { type YamlLimits, yamlFileLimits, yamlRequestLimits } from './limits.ts';
import { type DuplicateKey, MAX_DUPLICATES, NodeConverter } from './node-to-json.ts';
import { YamlError } from './yaml-error.ts';

export type YamlOptions = Partial<YamlLimits>;

export interface StrictYaml {
  readonly value: JsonValue;
  /** Repeated keys of maps, in Kubernetes' words: `line 6: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the first document of a YAML stream as Kubernetes does, within the limits given (default: `yamlRequestLimits`).
 * An empty stream is `null`. JSON is YAML, and is read at the speed and with the limits of JSON. Throws `YamlError` and
 * nothing else.
 */
export function parseYaml(document: Uint8Array | string, options: YamlOptions = {}): JsonValue {
  return parseYamlStrict(document, options).value;
}

/** As `parseYaml`, and reports repeated keys. */
export function parseYamlStrict(document: Uint8Array | string, options: YamlOptions = {}): StrictYaml {
  const limits = { ...yamlRequestLimits, ...options };
  const text = open(document, limits);
  const json = parseAsJson(document, text, limits);
  if (json !== undefined) return json;
  for (const parsed of readDocuments(text, limits)) return convert(parsed, text, limits);
  return { value: null, duplicates: [] };
}

/**
 * Reads every document of a stream, such as a file for kubectl with `---` between its objects. Skips empty documents.
 * Default limits: `yamlFileLimits`.
 */
export function parseYamlDocuments(stream: Uint8Array | string, options: YamlOptions = {}): JsonValue[] {
  const limits = { ...yamlFileLimits, ...options };
  const text = open(stream, limits);
  const json = parseAsJson(stream, text, limits);
  if (json !== undefined) return [json.value];
  const values: JsonValue[] = [];
  for (const document of readDocuments(text, limits)) {
    const { value } = convert(document, text, limits);
    if (value !== null) values.push(value);
  }
  return values;
}

function convert(document: YamlDocument, text: string, limits: YamlLimits): StrictYaml {
  const converter = new NodeConverter(limits);
  const value = converter.convert(document.contents);
  return { value, duplicates: describe(converter.duplicates, text) };
}

function describe(duplicates: readonly DuplicateKey[], text: string): string[] {
  if (duplicates.length === 0) return [];
  const lines = new LineIndex(text);
  return duplicates.map(({ key, offset }) => `line ${lines.lineOf(offset)}: key ${key} already set in map`);
}

/** Decodes the text and refuses what would take too long, before the parser sees it. */
function open(document: Uint8Array | string, limits: YamlLimits): string {
  const bytes = typeof document === 'string' ? Buffer.byteLength(document) : document.byteLength;
  if (bytes > limits.maxBytes) throw new YamlError({ code: 'TooLarge', bytes, limit: limits.maxBytes });
  const text = typeof document === 'string' ? document : decode(document);
  if (!plain.test(text) && notAllowed.test(text))
    throw new YamlError({ code: 'Syntax', problem: 'control characters are not allowed' });
  if (hasMoreThan(text, '\n', limits.maxLines)) throw new YamlError({ code: 'TooManyLines', limit: limits.maxLines });
  return text;
}

/** Characters of nearly all texts: this test is cheaper than the next. */
const plain = /^[\t\n\r\x20-\x7e]*$/;
const notAllowed = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new YamlError({ code: 'Syntax', problem: 'invalid leading UTF-8 octet' }, { cause });
  }
}

function hasMoreThan(text: string, character: string, limit: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    if (++count > limit) return true;
  }
  return false;
}

/** Returns `undefined` for text that is not JSON, for the YAML parser to read. Throws for JSON beyond the limits. */
function parseAsJson(document: Uint8Array | string, text: string, limits: YamlLimits): StrictYaml | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const { maxDepth, maxTokens } = limits.maxTokens === Infinity ? trustedLimits : requestLimits;
  const duplicates: DuplicateKey[] = [];
  try {
    const value = readJson(document, { maxBytes: limits.maxBytes, maxDepth, maxTokens }, ({ key, offset }) => {
      if (duplicates.length < MAX_DUPLICATES) duplicates.push({ key: JSON.stringify(key), offset });
    });
    return { value, duplicates: describe(duplicates, text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { failure } = error;
    if (failure.code === 'TooManyTokens' || failure.code === 'TooDeep') throw new YamlError(failure, { cause: error });
    return undefined;
  }
}

/** Finds the line of an offset. Made once per text, because making it reads all of the text. */
class LineIndex {
  /** Offsets of the beginnings of lines. */
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** Returns the line of an offset, counted from one. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

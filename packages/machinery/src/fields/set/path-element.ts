import { quote } from '../../errors/quote.ts';
import {
  canonicalJson,
  compareUtf8,
  escapeForHtml,
  isJsonObject,
  JsonError,
  type JsonValue,
  parseJson,
} from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { printPlain } from '../go-print.ts';

/** One step of a path: to a field, to the list item with these key values, to the set item of this value, to an index. */
export type PathElement =
  | { readonly field: string }
  | { readonly key: Readonly<Record<string, JsonValue>> }
  | { readonly value: JsonValue }
  | { readonly index: number };

/** A path from the root of an object to one of its fields. */
export type FieldPath = readonly PathElement[];

declare const brand: unique symbol;

/**
 * A path element as one string, so that sets can be hash maps: equal elements are equal strings. A field is its name,
 * which costs nothing to make; other elements are their FieldsV1 (`k:{"name":"main"}`) after a NUL, as are fields whose
 * name begins with one.
 */
export type ElementId = string & { readonly [brand]: 'ElementId' };

const NUL = '\0';

export function elementId(element: PathElement): ElementId {
  if ('field' in element) return fieldId(element.field);
  if ('key' in element) return keyId(element.key);
  if ('value' in element) return valueId(element.value);
  return `${NUL}i:${element.index}` as ElementId;
}

export function fieldId(name: string): ElementId {
  return (name.charCodeAt(0) === 0 ? `${NUL}f:${name}` : name) as ElementId;
}

/** Returns the element of the item with these values under its list's keys. */
function keyId(key: Readonly<Record<string, JsonValue>>): ElementId {
  const names = Object.keys(key);
  if (names.length > 1) names.sort(compareUtf8);
  let json = '';
  for (const name of names) json += `${json === '' ? '{' : ','}${goJson(name)}:${goJson(key[name])}`;
  return keyIdOfJson(json === '' ? '{}' : `${json}}`);
}

/** As `keyId`, for an object that is already written with sorted keys, as `goJson` writes it. */
export function keyIdOfJson(json: string): ElementId {
  return `${NUL}k:${json}` as ElementId;
}

export function valueId(value: JsonValue): ElementId {
  return `${NUL}v:${goJson(value)}` as ElementId;
}

/** True when the element is a field, not an item of a list. */
export function isFieldId(id: ElementId): boolean {
  return id.charCodeAt(0) !== 0 || id.charCodeAt(1) === 0x66;
}

/** Returns the name of the field. Only valid where `isFieldId` is true. */
export function fieldNameOf(id: ElementId): string {
  return id.charCodeAt(0) === 0 ? id.slice(3) : id;
}

export function elementOf(id: ElementId): PathElement {
  if (isFieldId(id)) return { field: fieldNameOf(id) };
  const content = id.slice(3);
  switch (id[1]) {
    case 'k':
      return { key: parseContent(content) as Record<string, JsonValue> };
    case 'v':
      return { value: parseContent(content) };
    default:
      return { index: Number(content) };
  }
}

/** Writes an element as FieldsV1: `f:spec`. */
export function writeElement(id: ElementId): string {
  if (!isFieldId(id)) return items.textOf(id) ?? id.slice(1);
  return fieldTexts.get(id) ?? fieldTexts.remember(id, `f:${fieldNameOf(id)}`);
}

/**
 * Reads an element of FieldsV1. `undefined` for an unknown kind of element, which a later version may write. Throws
 * `FieldsError` for an element that no version could write.
 */
export function readElement(text: string): ElementId | undefined {
  if (text.charCodeAt(0) === 0x66) return fieldIds.get(text) ?? fieldIds.remember(text, readField(text));
  const known = items.idOf(text);
  if (known !== undefined) return known;
  const id = plainItem.test(text) ? (`${NUL}${text}` as ElementId) : readItem(text);
  // An element that is not in our form must not be cached as if it were.
  return id?.slice(1) === text ? items.remember(text, id) : id;
}

/** Returns the id of an item whose list has one key, with this text as value. `quoted` is the key's name as JSON. */
export function keyedItemId(quoted: string, value: string): ElementId {
  return items.keyed(quoted, value) ?? items.rememberKeyed(quoted, value, `k:{${quoted}:${goJson(value)}}`);
}

/** Trims the cache of items at the end of a request. */
export function trimItemCache(): void {
  items.trim();
}

/** Items with only one textual form: by one plain key, or of a plain value. */
const plainItem = /^(?:k:\{"[\w.-]+":(?:"[\w./:-]*"|0|-?[1-9]\d{0,14})\}|v:(?:"[\w./:-]*"|0|-?[1-9]\d{0,14}))$/;

/** Cache of fields: all objects of a kind have the same ones. Cleared when full. */
class RecentFields<From extends string, To extends string> {
  static readonly #maxEntries = 4_096;
  static readonly #maxLength = 100;
  readonly #known = new Map<From, To>();

  get(from: From): To | undefined {
    return this.#known.get(from);
  }

  remember(from: From, to: To): To {
    if (from.length > RecentFields.#maxLength) return to;
    if (this.#known.size >= RecentFields.#maxEntries) this.#known.clear();
    this.#known.set(from, to);
    return to;
  }
}

const fieldTexts = new RecentFields<ElementId, string>();
const fieldIds = new RecentFields<string, ElementId>();

/**
 * Cache of the items of one request, which uses each of them many times: equal ids are then the same string, and
 * finding it is cheaper than making it. Cleared when full.
 */
class RecentItems {
  static readonly #maxEntries = 65_536;
  static readonly #keptEntries = 2_048;
  static readonly #maxLength = 100;
  readonly #ids = new Map<string, ElementId>();
  readonly #texts = new Map<ElementId, string>();
  /** By the name of the key, then by its value. */
  readonly #keyed = new Map<string, Map<string, ElementId>>();
  #keyedSize = 0;

  idOf(text: string): ElementId | undefined {
    return this.#ids.get(text);
  }

  textOf(id: ElementId): string | undefined {
    return this.#texts.get(id);
  }

  keyed(quoted: string, value: string): ElementId | undefined {
    return this.#keyed.get(quoted)?.get(value);
  }

  remember(text: string, id: ElementId): ElementId {
    if (text.length > RecentItems.#maxLength) return id;
    if (this.#ids.size >= RecentItems.#maxEntries) this.#clear();
    this.#ids.set(text, id);
    this.#texts.set(id, text);
    return id;
  }

  rememberKeyed(quoted: string, value: string, text: string): ElementId {
    const id = this.idOf(text) ?? this.remember(text, `${NUL}${text}` as ElementId);
    if (text.length > RecentItems.#maxLength) return id;
    if (this.#keyedSize++ >= RecentItems.#maxEntries) this.#clear();
    const ofKey = this.#keyed.get(quoted) ?? new Map<string, ElementId>();
    this.#keyed.set(quoted, ofKey);
    ofKey.set(value, id);
    return id;
  }

  trim(): void {
    if (this.#ids.size + this.#keyedSize > RecentItems.#keptEntries) this.#clear();
  }

  #clear(): void {
    this.#ids.clear();
    this.#texts.clear();
    this.#keyed.clear();
    this.#keyedSize = 0;
  }
}

const items = new RecentItems();

function readField(text: string): ElementId {
  checkForm(text);
  return fieldId(text.slice(2));
}

function readItem(text: string): ElementId | undefined {
  checkForm(text);
  const content = text.slice(2);
  switch (text[0]) {
    case 'k':
      return readKey(text, content);
    case 'v':
      return valueId(readValue(text, content));
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content)) throw malformed('its index is not a number', text);
      return `${NUL}i:${Number(content)}` as ElementId;
    default:
      return undefined;
  }
}

function checkForm(text: string): void {
  if (text.charCodeAt(1) !== 0x3a) throw malformed(text.length < 2 ? 'it is too short' : 'it has no colon', text);
}

function readKey(text: string, content: string): ElementId {
  const key = readValue(text, content);
  if (!isJsonObject(key)) throw malformed('its key is not an object', text);
  return keyId(key);
}

function readValue(text: string, content: string): JsonValue {
  try {
    return parseContent(content);
  } catch (error) {
    if (error instanceof JsonError) throw malformed(error.message, text, error);
    throw error;
  }
}

/** Uses the native parser where it reads as Go does: no integers beyond doubles, no lone surrogates. */
function parseContent(json: string): JsonValue {
  if (/\d{16}|\\u[dD]/.test(json)) return parseJson(json);
  try {
    return JSON.parse(json);
  } catch {
    return parseJson(json);
  }
}

const MAX_QUOTED = 200;

function malformed(problem: string, text: string, cause?: Error): FieldsError {
  const shown = quote(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
  return new FieldsError(
    { code: 'MalformedFields', problem: `Cannot read path element ${shown}: ${problem}` },
    { cause },
  );
}

/** Writes JSON with sorted keys, and with the characters escaped that Go's encoder escapes. */
export function goJson(value: unknown): string {
  if (typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  return escapeForHtml(canonicalJson(value));
}

/** Texts that need no escapes. */
const plainText = /^[\w./:-]*$/;

/** Formats `.spec.containers[name="main"].args`, as conflicts and errors show it. */
export function formatPath(path: FieldPath): string {
  return path.map(formatElement).join('');
}

export function formatElement(element: PathElement): string {
  if ('field' in element) return `.${element.field}`;
  if ('index' in element) return `[${element.index}]`;
  if ('value' in element) return `[=${formatKeyValue(element.value)}]`;
  const names = Object.keys(element.key).sort(compareUtf8);
  return `[${names.map((name) => `${name}=${formatKeyValue(element.key[name]!)}`).join(',')}]`;
}

function formatKeyValue(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(formatKeyValue).join(',')}]`;
  if (typeof value !== 'object') return printPlain(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${formatKeyValue(member)}`)
    .join('');
}

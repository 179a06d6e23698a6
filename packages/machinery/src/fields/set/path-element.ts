import { quote } from '../../errors/quote.ts';
import { canonicalJson, compareUtf8, isJsonObject, JsonError, type JsonValue, parseJson } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { printPlain } from '../go-print.ts';

/** One step of a path: into a field, to the list item with these key values, to the set item of this value, to an index. */
export type PathElement =
  | { readonly field: string }
  | { readonly key: Readonly<Record<string, JsonValue>> }
  | { readonly value: JsonValue }
  | { readonly index: number };

/** From the root of an object to one of its fields. */
export type FieldPath = readonly PathElement[];

declare const brand: unique symbol;

/**
 * A path element as one string, so that sets can be hash maps: equal elements are equal strings. A field is its name,
 * which costs nothing to make; the others are what FieldsV1 says (`k:{"name":"main"}`) behind a NUL, as are the fields
 * whose name begins with one.
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

/** The element of the item with these values under its list's keys. */
export function keyId(key: Readonly<Record<string, JsonValue>>): ElementId {
  const names = Object.keys(key);
  if (names.length > 1) names.sort(compareUtf8);
  let json = '';
  for (const name of names) json += `${json === '' ? '{' : ','}${goJson(name)}:${goJson(key[name])}`;
  return keyIdOfJson(json === '' ? '{}' : `${json}}`);
}

/** The same for an object that has been written already: with sorted keys, as `goJson` writes it. */
export function keyIdOfJson(json: string): ElementId {
  return `${NUL}k:${json}` as ElementId;
}

export function valueId(value: JsonValue): ElementId {
  return `${NUL}v:${goJson(value)}` as ElementId;
}

/** Whether the element is a field, and not an item of a list. */
export function isFieldId(id: ElementId): boolean {
  return id.charCodeAt(0) !== 0 || id.charCodeAt(1) === 0x66;
}

/** The name of the field; only for an id of which `isFieldId` holds. */
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

/** As FieldsV1 has it: `f:spec`. */
export function writeElement(id: ElementId): string {
  if (!isFieldId(id)) return id.slice(1);
  return texts.get(id) ?? texts.remember(id, `f:${fieldNameOf(id)}`);
}

/**
 * Reads what FieldsV1 has. `undefined` for a kind of element that is not known: one that a later version may write.
 * Throws `FieldsError` for what no version could.
 */
export function readElement(text: string): ElementId | undefined {
  if (plainItem.test(text)) return `${NUL}${text}` as ElementId;
  return ids.get(text) ?? read(text);
}

/** Items that have one form: by one plain key, or of a plain value. */
const plainItem = /^(?:k:\{"[\w.-]+":(?:"[\w./:-]*"|0|-?[1-9]\d{0,14})\}|v:(?:"[\w./:-]*"|0|-?[1-9]\d{0,14}))$/;

/**
 * The elements met last, because all objects of a kind have the same: finding one again is cheaper than making it. When
 * it is full it starts over.
 */
class Recent<From extends string, To extends string> {
  static readonly #maxEntries = 4_096;
  static readonly #maxLength = 100;
  readonly #known = new Map<From, To>();

  get(from: From): To | undefined {
    return this.#known.get(from);
  }

  remember(from: From, to: To): To {
    if (from.length > Recent.#maxLength) return to;
    if (this.#known.size >= Recent.#maxEntries) this.#known.clear();
    this.#known.set(from, to);
    return to;
  }
}

const texts = new Recent<ElementId, string>();
const ids = new Recent<string, ElementId>();

function read(text: string): ElementId | undefined {
  if (text.charCodeAt(1) !== 0x3a) throw malformed(text.length < 2 ? 'it is too short' : 'it has no colon', text);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return ids.remember(text, fieldId(content));
    case 'k':
      return ids.remember(text, readKey(text, content));
    case 'v':
      return ids.remember(text, valueId(readValue(text, content)));
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content)) throw malformed('its index is no number', text);
      return `${NUL}i:${Number(content)}` as ElementId;
    default:
      return undefined;
  }
}

function readKey(text: string, content: string): ElementId {
  const key = readValue(text, content);
  if (!isJsonObject(key)) throw malformed('its key is no object', text);
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

/** Reads natively what the native parser reads right: no integers beyond doubles, no halves of surrogate pairs. */
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

/** JSON with sorted keys and the characters escaped that Go's encoder escapes. */
export function goJson(value: unknown): string {
  if (typeof value === 'number') return JSON.stringify(value);
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  return canonicalJson(value).replace(/[<>&\u2028\u2029]/g, escapeUnit);
}

/** Texts in which nothing is escaped. */
const plainText = /^[\w./:-]*$/;

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** `.spec.containers[name="main"].args`, as conflicts and errors show it. */
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

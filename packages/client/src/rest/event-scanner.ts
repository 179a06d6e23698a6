import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
  isAt,
  QUOTE,
  skipKey,
  skipName,
  skipValue,
} from './json-scanner.ts';

export interface ScanOptions {
  /** False cuts them out: they are large and rarely used. Default: true. */
  readonly keepsManagedFields?: boolean;
}

/**
 * Finds type, key and resourceVersion of an event without parsing its object, which is most of the cost of reading: many
 * objects are never accessed. Scans only up to the end of the object's metadata; the rest is checked when it is parsed.
 *
 *     {"type":"ADDED","object":{"kind":"Fruit","metadata":{…,"managedFields":[…],…},"spec":…}}
 *                              ▲ objectStart              ▲ cutStart        ▲ cutEnd        ▲ objectEnd
 */
export class EventScanner {
  readonly #keepsManagedFields: boolean;
  /** Results of the last scan. */
  type = '';
  /** `namespace/name`, or the name alone. */
  key = '';
  resourceVersion = '';
  /** Offsets of the object's JSON. */
  objectStart = 0;
  objectEnd = 0;
  /** Offsets of the part to leave out, with one comma; both are 0 when nothing is left out. */
  cutStart = 0;
  cutEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #namespaceStart = 0;
  #namespaceEnd = 0;

  constructor({ keepsManagedFields = true }: ScanOptions = {}) {
    this.#keepsManagedFields = keepsManagedFields;
  }

  /**
   * Returns false when the line is malformed or unusual (spaces, escapes in names, another order). The caller then parses
   * it as a whole, which also reports what is wrong.
   */
  scan(bytes: Buffer, start: number, end: number): boolean {
    this.type = '';
    this.resourceVersion = '';
    this.cutStart = 0;
    this.cutEnd = 0;
    this.#nameEnd = 0;
    this.#namespaceEnd = 0;
    const objectStart = this.#scanEnvelope(bytes, start);
    if (objectStart < 0 || bytes[end - 1] !== BRACE_END || !this.#scanObject(bytes, objectStart, end - 1)) return false;
    if (this.#nameEnd === 0 || this.resourceVersion === '') return false;
    this.objectStart = objectStart;
    this.objectEnd = end - 1;
    this.key = this.#keyAt(bytes);
    return true;
  }

  /** Returns the start of the object. All scan methods take an offset and return the next one, or -1 when unusual. */
  #scanEnvelope(bytes: Buffer, start: number): number {
    if (!isAt(bytes, start, ENVELOPE)) return -1;
    const typeStart = start + ENVELOPE.length;
    const typeEnd = skipName(bytes, typeStart - 1);
    if (typeEnd < 0 || !isAt(bytes, typeEnd, OBJECT)) return -1;
    this.type = typeAt(bytes, typeStart, typeEnd);
    return typeEnd + OBJECT.length;
  }

  #scanObject(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] !== BRACE || bytes[end - 1] !== BRACE_END) return false;
    let at = start + 1;
    for (;;) {
      const key = at;
      at = skipKey(bytes, at);
      if (at < 0) return false;
      if (isAt(bytes, key, METADATA)) break;
      at = skipValue(bytes, at);
      if (at < 0 || bytes[at++] !== COMMA) return false;
    }
    at = this.#scanMetadata(bytes, at);
    return at > 0 && (bytes[at] === COMMA ? at < end : at === end - 1);
  }

  #scanMetadata(bytes: Buffer, start: number): number {
    if (bytes[start] !== BRACE) return -1;
    let at = start + 1;
    for (;;) {
      const key = at;
      at = skipKey(bytes, at);
      if (at < 0) return -1;
      at = this.#scanMetadataMember(bytes, key, at);
      if (at < 0) return -1;
      const next = bytes[at++];
      if (next !== COMMA) return next === BRACE_END ? at : -1;
    }
  }

  #scanMetadataMember(bytes: Buffer, key: number, at: number): number {
    switch (bytes[key + 1]) {
      case NAME[1]:
        if (isAt(bytes, key, NAME)) return this.#scanName(bytes, at);
        if (isAt(bytes, key, NAMESPACE)) return this.#scanNamespace(bytes, at);
        break;
      case RESOURCE_VERSION[1]:
        if (isAt(bytes, key, RESOURCE_VERSION)) return this.#readVersion(bytes, at);
        break;
      case MANAGED_FIELDS[1]:
        if (isAt(bytes, key, MANAGED_FIELDS) && !this.#keepsManagedFields) return this.#cutValue(bytes, key, at);
    }
    return skipValue(bytes, at);
  }

  #scanName(bytes: Buffer, start: number): number {
    const end = skipName(bytes, start);
    if (end < 0 || this.#nameEnd > 0) return -1;
    this.#nameStart = start + 1;
    this.#nameEnd = end;
    return end + 1;
  }

  #scanNamespace(bytes: Buffer, start: number): number {
    const end = skipName(bytes, start);
    if (end < 0 || this.#namespaceEnd > 0) return -1;
    this.#namespaceStart = start + 1;
    this.#namespaceEnd = end;
    return end + 1;
  }

  #readVersion(bytes: Buffer, start: number): number {
    const end = skipName(bytes, start);
    if (end < 0 || this.resourceVersion !== '') return -1;
    this.resourceVersion = bytes.toString('latin1', start + 1, end);
    return end + 1;
  }

  #cutValue(bytes: Buffer, key: number, start: number): number {
    if (this.cutEnd > 0) return -1;
    const known = endOfManagedFields(bytes, start);
    const at = known > 0 ? known : skipValue(bytes, start);
    if (at < 0) return -1;
    const isFollowed = bytes[at] === COMMA;
    this.cutStart = !isFollowed && bytes[key - 1] === COMMA ? key - 1 : key;
    this.cutEnd = isFollowed ? at + 1 : at;
    return at;
  }

  #keyAt(bytes: Buffer): string {
    const [nameStart, nameEnd] = [this.#nameStart, this.#nameEnd];
    const [namespaceStart, namespaceEnd] = [this.#namespaceStart, this.#namespaceEnd];
    if (namespaceEnd === 0) return bytes.toString('latin1', nameStart, nameEnd);
    const length = namespaceEnd - namespaceStart + 1 + nameEnd - nameStart;
    const target = length > key.length ? Buffer.alloc(length) : key;
    let to = 0;
    for (let at = namespaceStart; at < namespaceEnd; at++) target[to++] = bytes[at]!;
    target[to++] = SLASH;
    for (let at = nameStart; at < nameEnd; at++) target[to++] = bytes[at]!;
    return target.toString('latin1', 0, length);
  }
}

const ENVELOPE = Buffer.from('{"type":"');
const OBJECT = Buffer.from('","object":');
const METADATA = Buffer.from('"metadata"');
const NAME = Buffer.from('"name"');
const NAMESPACE = Buffer.from('"namespace"');
const RESOURCE_VERSION = Buffer.from('"resourceVersion"');
const MANAGED_FIELDS = Buffer.from('"managedFields"');
const SLASH = 0x2f;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
/** Brackets tried before the slow path; more of them in names are rare. */
const BRACKETS_TRIED = 4;
/** Scratch buffer for keys. */
const key = Buffer.alloc(1_024);

/**
 * Finds the end of managedFields, most of the bytes of many objects, without visiting each byte. managedFields has no nested
 * list, and `}],"a` cannot be inside a string: its quote would end the string, and no letter follows a closing quote.
 * Returns 0 when the slow path is needed.
 */
function endOfManagedFields(bytes: Buffer, start: number): number {
  if (bytes[start] !== BRACKET) return 0;
  let end = bytes.indexOf(BRACKET_END, start);
  for (let tried = 0; end > 0 && tried < BRACKETS_TRIED; tried++, end = bytes.indexOf(BRACKET_END, end + 1)) {
    const letter = bytes[end + 3]!;
    const isEnd =
      bytes[end - 1] === BRACE_END &&
      bytes[end + 1] === COMMA &&
      bytes[end + 2] === QUOTE &&
      letter >= LETTER_A &&
      letter <= LETTER_Z;
    if (isEnd) return isBetween(bytes.indexOf(BRACKET, start + 1), start, end) ? 0 : end + 1;
  }
  return 0;
}

function isBetween(at: number, start: number, end: number): boolean {
  return at > start && at < end;
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => ({ type, bytes: Buffer.from(`${type}"`) }));

function typeAt(bytes: Buffer, start: number, end: number): string {
  for (const known of TYPES) if (isAt(bytes, start, known.bytes)) return known.type;
  return bytes.toString('latin1', start, end);
}

/** What an event says, and where the text of its object stands, unread. */
export interface ScannedEvent {
  readonly type: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly resourceVersion: string;
  /** The JSON of the object. */
  readonly objectStart: number;
  readonly objectEnd: number;
  /** What is to be left out of it; nothing: both are the same. */
  readonly cutStart: number;
  readonly cutEnd: number;
  /** Every byte of it is. */
  readonly isAscii: boolean;
}

export interface ScanOptions {
  /** Otherwise they are cut: they are large and seldom looked at. Default: true. */
  readonly keepsManagedFields?: boolean;
}

/**
 * Finds out what an event is about without making objects of it, which is most of what reading costs: many objects are
 * never looked at. Checks the whole line, so that its text can be read later without surprises.
 *
 * `undefined`: the line is broken, or unusual (spaces, escapes in names, integers that a double might round). Then it
 * must be read as a whole, which also says what is wrong with it.
 */
export function scanEvent(
  bytes: Buffer,
  start: number,
  end: number,
  { keepsManagedFields = true }: ScanOptions = {},
): ScannedEvent | undefined {
  const cursor = new Cursor(bytes, keepsManagedFields);
  if (scanEnvelope(cursor, start) !== end) return undefined;
  const isNamed = cursor.type !== '' && cursor.nameEnd > 0 && cursor.resourceVersion !== '';
  if (!isNamed) return undefined;
  cursor.key = keyAt(cursor);
  return cursor;
}

/** Levels of containers inside each other. What is deeper is read as a whole, which knows the real limit. */
const MAX_DEPTH = 256;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
/** So many digits always fit a double. */
const EXACT_DIGITS = 15;
/** Somebody who has so many brackets in names is rare, and may wait. */
const BRACKETS_TRIED = 4;
/** A key longer than this is none. */
const MAX_KEY_BYTES = 1_024;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');
const TYPE = Buffer.from('"type"');
const OBJECT = Buffer.from('"object"');
const METADATA = Buffer.from('"metadata"');
const NAME = Buffer.from('"name"');
const NAMESPACE = Buffer.from('"namespace"');
const RESOURCE_VERSION = Buffer.from('"resourceVersion"');
const MANAGED_FIELDS = Buffer.from('"managedFields"');

/** What was found on the way through a line. Functions that go on take a place and give the next, or -1: unusual. */
class Cursor implements ScannedEvent {
  readonly bytes: Buffer;
  readonly keepsManagedFields: boolean;
  isAscii = true;
  type = '';
  key = '';
  resourceVersion = '';
  nameStart = 0;
  nameEnd = 0;
  namespaceStart = 0;
  namespaceEnd = 0;
  objectStart = 0;
  objectEnd = 0;
  /** Where managedFields stand, with one comma. */
  cutStart = 0;
  cutEnd = 0;

  constructor(bytes: Buffer, keepsManagedFields: boolean) {
    this.bytes = bytes;
    this.keepsManagedFields = keepsManagedFields;
  }
}

function scanEnvelope(cursor: Cursor, start: number): number {
  const { bytes } = cursor;
  if (bytes[start] !== BRACE) return -1;
  let at = start + 1;
  for (;;) {
    const key = at;
    at = skipKey(cursor, bytes, at);
    if (at < 0) return -1;
    if (isAt(bytes, key, OBJECT)) at = scanObject(cursor, at);
    else if (isAt(bytes, key, TYPE)) at = readType(cursor, at);
    else at = skipValue(cursor, bytes, at);
    if (at < 0) return -1;
    const next = bytes[at++];
    if (next !== COMMA) return next === BRACE_END ? at : -1;
  }
}

function scanObject(cursor: Cursor, start: number): number {
  const { bytes } = cursor;
  if (cursor.objectEnd > 0 || bytes[start] !== BRACE) return -1;
  cursor.objectStart = start;
  let at = start + 1;
  for (;;) {
    const key = at;
    at = skipKey(cursor, bytes, at);
    if (at < 0) return -1;
    at = isAt(bytes, key, METADATA) ? scanMetadata(cursor, at) : skipValue(cursor, bytes, at);
    if (at < 0) return -1;
    const next = bytes[at++];
    if (next === COMMA) continue;
    cursor.objectEnd = at;
    return next === BRACE_END ? at : -1;
  }
}

function scanMetadata(cursor: Cursor, start: number): number {
  const { bytes } = cursor;
  if (bytes[start] !== BRACE) return -1;
  let at = start + 1;
  for (;;) {
    const key = at;
    at = skipKey(cursor, bytes, at);
    if (at < 0) return -1;
    at = scanMetadataMember(cursor, key, at);
    if (at < 0) return -1;
    const next = bytes[at++];
    if (next !== COMMA) return next === BRACE_END ? at : -1;
  }
}

function scanMetadataMember(cursor: Cursor, key: number, at: number): number {
  const { bytes } = cursor;
  switch (bytes[key + 1]) {
    case NAME[1]:
      if (isAt(bytes, key, NAME)) return scanName(cursor, at);
      if (isAt(bytes, key, NAMESPACE)) return scanNamespace(cursor, at);
      break;
    case RESOURCE_VERSION[1]:
      if (isAt(bytes, key, RESOURCE_VERSION)) return readVersion(cursor, at);
      break;
    case MANAGED_FIELDS[1]:
      if (isAt(bytes, key, MANAGED_FIELDS) && !cursor.keepsManagedFields) return cutValue(cursor, key, at);
  }
  return skipValue(cursor, bytes, at);
}

function cutValue(cursor: Cursor, key: number, start: number): number {
  const { bytes } = cursor;
  if (cursor.cutEnd > 0) return -1;
  const known = endOfManagedFields(bytes, start);
  const at = known > 0 ? known : skipValue(cursor, bytes, start);
  if (at < 0) return -1;
  const isFollowed = bytes[at] === COMMA;
  cursor.cutStart = !isFollowed && bytes[key - 1] === COMMA ? key - 1 : key;
  cursor.cutEnd = isFollowed ? at + 1 : at;
  return at;
}

/**
 * Most of the bytes of many objects: their end is found without looking at each of them. Nothing in managedFields is a
 * list, and `}],"a` cannot stand in a text: its quote would have to be the last of it, and no letter follows such a one.
 * 0: it must be looked for.
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
    if (isEnd) return bytes.subarray(start + 1, end).includes(BRACKET) ? 0 : end + 1;
  }
  return 0;
}

function scanName(cursor: Cursor, start: number): number {
  const end = skipName(cursor.bytes, start);
  if (end < 0 || cursor.nameEnd > 0) return -1;
  cursor.nameStart = start + 1;
  cursor.nameEnd = end;
  return end + 1;
}

function scanNamespace(cursor: Cursor, start: number): number {
  const end = skipName(cursor.bytes, start);
  if (end < 0 || cursor.namespaceEnd > 0) return -1;
  cursor.namespaceStart = start + 1;
  cursor.namespaceEnd = end;
  return end + 1;
}

function readVersion(cursor: Cursor, start: number): number {
  const end = skipName(cursor.bytes, start);
  if (end < 0 || cursor.resourceVersion !== '') return -1;
  cursor.resourceVersion = asciiAt(cursor.bytes, start + 1, end);
  return end + 1;
}

function readType(cursor: Cursor, start: number): number {
  const end = skipName(cursor.bytes, start);
  if (end < 0 || cursor.type !== '') return -1;
  cursor.type = typeAt(cursor.bytes, start + 1, end);
  return end + 1;
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => ({ type, bytes: Buffer.from(`${type}"`) }));

function typeAt(bytes: Buffer, start: number, end: number): string {
  for (const known of TYPES) if (isAt(bytes, start, known.bytes)) return known.type;
  return asciiAt(bytes, start, end);
}

/** Where a text ends that is ASCII without escapes and not empty, as names are. */
function skipName(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  let at = start + 1;
  while (CLASS[bytes[at]!] === PLAIN) at++;
  return bytes[at] === QUOTE && at > start + 1 ? at : -1;
}

const key = Buffer.alloc(MAX_KEY_BYTES);

function keyAt({ bytes, nameStart, nameEnd, namespaceStart, namespaceEnd }: Cursor): string {
  if (namespaceEnd === 0) return asciiAt(bytes, nameStart, nameEnd);
  const length = namespaceEnd - namespaceStart + 1 + nameEnd - nameStart;
  if (length > MAX_KEY_BYTES)
    return `${asciiAt(bytes, namespaceStart, namespaceEnd)}/${asciiAt(bytes, nameStart, nameEnd)}`;
  let to = 0;
  for (let at = namespaceStart; at < namespaceEnd; at++) key[to++] = bytes[at]!;
  key[to++] = SLASH;
  for (let at = nameStart; at < nameEnd; at++) key[to++] = bytes[at]!;
  return asciiAt(key, 0, length);
}

function asciiAt(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

const stack = new Uint8Array(MAX_DEPTH);

/** Goes past one value of any kind. */
function skipValue(cursor: Cursor, bytes: Buffer, start: number): number {
  let at = start;
  let depth = 0;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = skipText(cursor, bytes, at + 1);
    else if (byte === BRACE || byte === BRACKET) {
      const end = byte + 2;
      if (bytes[++at] !== end) {
        if (depth === MAX_DEPTH) return -1;
        stack[depth++] = end;
        if (byte === BRACE) at = skipKey(cursor, bytes, at);
        if (at < 0) return -1;
        continue;
      }
      at++;
    } else at = skipScalar(bytes, at, byte);
    if (at < 0) return -1;
    for (;;) {
      if (depth === 0) return at;
      const next = bytes[at++];
      const end = stack[depth - 1];
      if (next === COMMA) {
        if (end === BRACE_END) at = skipKey(cursor, bytes, at);
        if (at < 0) return -1;
        break;
      }
      if (next !== end) return -1;
      depth--;
    }
  }
}

function skipKey(cursor: Cursor, bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  const at = skipText(cursor, bytes, start + 1);
  return at > 0 && bytes[at] === COLON ? at + 1 : -1;
}

/** Of a byte in a text. */
const PLAIN = 0;
const SPECIAL = 1;
const BEYOND_ASCII = 2;
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return SPECIAL;
  return byte < 0x80 ? PLAIN : BEYOND_ASCII;
});

/** The rest of a text, after its first quote. */
function skipText(cursor: Cursor, bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    while (CLASS[bytes[at]!] === PLAIN) at++;
    const byte = bytes[at++]!;
    if (byte === QUOTE) return at;
    if (byte >= 0x80) cursor.isAscii = false;
    else if (byte !== BACKSLASH) return -1;
    else at = skipEscape(bytes, at);
    if (at < 0) return -1;
  }
}

/** Where the text goes on; -1: it is no escape, or one of a surrogate, which only the exact parser reads as Go does. */
function skipEscape(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      return isCharacterCode(asciiAt(bytes, at + 1, at + 5)) ? at + 5 : -1;
    default:
      return -1;
  }
}

function isCharacterCode(hex: string): boolean {
  return /^[0-9a-f]{4}$/i.test(hex) && !/^d[89a-f]/i.test(hex);
}

function skipScalar(bytes: Buffer, start: number, byte: number): number {
  if (byte === TRUE[0]) return skipWord(bytes, start, TRUE);
  if (byte === FALSE[0]) return skipWord(bytes, start, FALSE);
  if (byte === NULL[0]) return skipWord(bytes, start, NULL);
  const first = byte === MINUS ? start + 1 : start;
  let at = skipDigits(bytes, first);
  let digits = at - first;
  if (digits === 0 || (bytes[first] === DIGIT_0 && digits > 1)) return -1;
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction);
    if (at === fraction) return -1;
    digits += at - fraction;
  }
  const hasExponent = (bytes[at]! | 0x20) === 0x65;
  return hasExponent || digits > EXACT_DIGITS ? -1 : at;
}

function skipWord(bytes: Buffer, start: number, word: Buffer): number {
  return isAt(bytes, start, word) ? start + word.length : -1;
}

function skipDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_9) at++;
  return at;
}

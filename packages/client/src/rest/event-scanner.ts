/** What an event says, and where the text of its object stands, unread. */
export interface ScannedEvent {
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** The JSON of the object. */
  readonly objectStart: number;
  readonly objectEnd: number;
  /** What is to be left out of it; nothing: both are the same. */
  readonly cutStart: number;
  readonly cutEnd: number;
  /** All its bytes, or-ed: below 128 when everything is ASCII. */
  readonly bits: number;
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
  const cursor = new Cursor(bytes, start, end, keepsManagedFields);
  const isWhole = bytes[cursor.at++] === BRACE && skipMembers(cursor, visitEventMember) && cursor.at === end;
  const isNamed = cursor.type !== '' && cursor.name !== '' && cursor.resourceVersion !== '';
  return isWhole && isNamed ? cursor : undefined;
}

/** Levels of containers inside each other. What is deeper is read as a whole, which knows the real limit. */
const MAX_DEPTH = 256;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const DIGIT_0 = 0x30;
/** So many digits always fit a double. */
const EXACT_DIGITS = 15;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');
const TYPE = Buffer.from('"type"');
const ADDED = Buffer.from('"ADDED"');
const OBJECT = Buffer.from('"object"');
const METADATA = Buffer.from('"metadata"');
const NAME = Buffer.from('"name"');
const NAMESPACE = Buffer.from('"namespace"');
const RESOURCE_VERSION = Buffer.from('"resourceVersion"');
const MANAGED_FIELDS = Buffer.from('"managedFields"');

/** A place in a line, and what was found on the way. */
class Cursor implements ScannedEvent {
  readonly bytes: Buffer;
  readonly end: number;
  readonly keepsManagedFields: boolean;
  at: number;
  bits = 0;
  type = '';
  namespace = '';
  name = '';
  resourceVersion = '';
  objectStart = 0;
  objectEnd = 0;
  /** Where managedFields stand, with one comma. */
  cutStart = 0;
  cutEnd = 0;

  constructor(bytes: Buffer, start: number, end: number, keepsManagedFields: boolean) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.keepsManagedFields = keepsManagedFields;
  }
}

/** Goes past a member's value; its key begins at `key`. `false`: this is no value, or an unusual one. */
type Visit = (cursor: Cursor, key: number) => boolean;

/** Goes past the members of an object and its closing brace. */
function skipMembers(cursor: Cursor, visit: Visit): boolean {
  const { bytes } = cursor;
  if (bytes[cursor.at] === BRACE_END) {
    cursor.at++;
    return true;
  }
  for (;;) {
    const key = cursor.at;
    if (!skipKey(cursor) || !visit(cursor, key)) return false;
    const next = bytes[cursor.at++];
    if (next === BRACE_END) return true;
    if (next !== COMMA) return false;
  }
}

function visitEventMember(cursor: Cursor, key: number): boolean {
  if (isAt(cursor, key, TYPE)) return readName(cursor, 'type');
  if (!isAt(cursor, key, OBJECT)) return skipValue(cursor);
  if (cursor.objectEnd > 0) return false;
  cursor.objectStart = cursor.at;
  const isObject = cursor.bytes[cursor.at++] === BRACE && skipMembers(cursor, visitObjectMember);
  cursor.objectEnd = cursor.at;
  return isObject;
}

function visitObjectMember(cursor: Cursor, key: number): boolean {
  if (!isAt(cursor, key, METADATA)) return skipValue(cursor);
  return cursor.bytes[cursor.at++] === BRACE && skipMembers(cursor, visitMetadataMember);
}

function visitMetadataMember(cursor: Cursor, key: number): boolean {
  if (isAt(cursor, key, NAME)) return readName(cursor, 'name');
  if (isAt(cursor, key, NAMESPACE)) return readName(cursor, 'namespace');
  if (isAt(cursor, key, RESOURCE_VERSION)) return readName(cursor, 'resourceVersion');
  return isAt(cursor, key, MANAGED_FIELDS) ? cutValue(cursor, key) : skipValue(cursor);
}

function cutValue(cursor: Cursor, key: number): boolean {
  const { bytes } = cursor;
  if (cursor.cutEnd > 0 || !skipValue(cursor)) return false;
  if (cursor.keepsManagedFields) return true;
  const isFollowed = bytes[cursor.at] === COMMA;
  cursor.cutStart = !isFollowed && bytes[key - 1] === COMMA ? key - 1 : key;
  cursor.cutEnd = isFollowed ? cursor.at + 1 : cursor.at;
  return true;
}

/** Takes a text that is ASCII without escapes, as names are. `false`: it is something else. */
function readName(cursor: Cursor, into: 'type' | 'namespace' | 'name' | 'resourceVersion'): boolean {
  const { bytes } = cursor;
  if (cursor[into] !== '' || bytes[cursor.at++] !== QUOTE) return false;
  const start = cursor.at;
  for (let byte = bytes[cursor.at++]; byte !== QUOTE; byte = bytes[cursor.at++]) {
    if (byte === undefined || byte < 0x20 || byte >= 0x80 || byte === BACKSLASH) return false;
  }
  const isAdded = into === 'type' && isAt(cursor, start - 1, ADDED);
  cursor[into] = isAdded ? 'ADDED' : bytes.toString('latin1', start, cursor.at - 1);
  return true;
}

function isAt({ bytes }: Cursor, start: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

const stack = new Uint8Array(MAX_DEPTH);

/** Goes past one value of any kind. */
function skipValue(cursor: Cursor): boolean {
  const { bytes } = cursor;
  let depth = 0;
  for (;;) {
    const byte = bytes[cursor.at++];
    if (byte === QUOTE) {
      if (!skipText(cursor)) return false;
    } else if (byte === BRACE || byte === BRACKET) {
      const end = byte + 2;
      if (bytes[cursor.at] !== end) {
        if (depth === MAX_DEPTH || (byte === BRACE && !skipKey(cursor))) return false;
        stack[depth++] = end;
        continue;
      }
      cursor.at++;
    } else if (!skipScalar(cursor, byte)) return false;
    for (;;) {
      if (depth === 0) return true;
      const next = bytes[cursor.at++];
      const end = stack[depth - 1];
      if (next === COMMA) {
        if (end === BRACE_END && !skipKey(cursor)) return false;
        break;
      }
      if (next !== end) return false;
      depth--;
    }
  }
}

function skipKey(cursor: Cursor): boolean {
  return cursor.bytes[cursor.at++] === QUOTE && skipText(cursor) && cursor.bytes[cursor.at++] === COLON;
}

/** The rest of a text, after its first quote. */
function skipText(cursor: Cursor): boolean {
  const { bytes, end } = cursor;
  let { at, bits } = cursor;
  while (at < end) {
    const byte = bytes[at++]!;
    if (byte === QUOTE) {
      cursor.at = at;
      cursor.bits = bits;
      return true;
    }
    if (byte < 0x20) return false;
    if (byte === BACKSLASH) at = skipEscape(bytes, at);
    if (at < 0) return false;
    bits |= byte;
  }
  return false;
}

/** Where the text goes on; -1: it is no escape, or one of a surrogate, which only the exact parser reads as Go does. */
function skipEscape(bytes: Buffer, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      return isCharacterCode(bytes.toString('latin1', at + 1, at + 5)) ? at + 5 : -1;
    default:
      return -1;
  }
}

function isCharacterCode(hex: string): boolean {
  return /^[0-9a-f]{4}$/i.test(hex) && !/^d[89a-f]/i.test(hex);
}

function skipScalar(cursor: Cursor, byte: number | undefined): boolean {
  if (byte === TRUE[0]) return skipWord(cursor, TRUE);
  if (byte === FALSE[0]) return skipWord(cursor, FALSE);
  if (byte === NULL[0]) return skipWord(cursor, NULL);
  cursor.at--;
  if (byte === 0x2d) cursor.at++;
  const isZero = cursor.bytes[cursor.at] === DIGIT_0;
  const digits = skipDigits(cursor);
  if (digits === 0 || (isZero && digits > 1)) return false;
  const isFraction = cursor.bytes[cursor.at] === 0x2e;
  if (isFraction) cursor.at++;
  const decimals = isFraction ? skipDigits(cursor) : 0;
  const hasExponent = (cursor.bytes[cursor.at]! | 0x20) === 0x65;
  return (!isFraction || decimals > 0) && !hasExponent && digits + decimals <= EXACT_DIGITS;
}

function skipWord(cursor: Cursor, word: Buffer): boolean {
  const start = cursor.at - 1;
  cursor.at = start + word.length;
  return isAt(cursor, start, word);
}

function skipDigits(cursor: Cursor): number {
  const { bytes } = cursor;
  const start = cursor.at;
  for (let byte = bytes[cursor.at]; byte !== undefined && byte >= DIGIT_0 && byte <= 0x39; byte = bytes[++cursor.at]);
  return cursor.at - start;
}

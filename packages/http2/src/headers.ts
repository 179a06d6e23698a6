import type { FrameHead } from './frames.ts';
import { FLAG, FRAME, HEAD_BYTES, Http2Error } from './frames.ts';

/** Header fields of a stream, in the order in which they arrived. */
export interface HeaderBlock {
  readonly streamId: number;
  /** `undefined` when they exceed the limits. */
  readonly fields: readonly Field[] | undefined;
  /** True when the stream ends with them. */
  readonly isLast: boolean;
}

/** Limits on the headers of one message. A message that exceeds one has no fields. */
export interface HeaderLimits {
  /** Limits the bytes of all names and values together. */
  readonly maxBytes: number;
  /** Header fields of a message, trailers included. */
  readonly maxFields: number;
}

export const HEADER_LIMITS: HeaderLimits = { maxBytes: 64 * 1024, maxFields: 4_000 };

/** Returns the limits as one number of bytes, as SETTINGS_MAX_HEADER_LIST_SIZE counts them. */
export function headerListBytes({ maxBytes, maxFields }: HeaderLimits): number {
  return maxBytes + maxFields * FIELD_BYTES;
}

/** Bytes that an encoded field needs beside its texts: an index and two lengths. */
const CODED_FIELD_BYTES = 4;

/** Assembles header blocks from HEADERS and CONTINUATION frames, which must follow each other without a gap. */
export class HeaderBlocks {
  readonly #maxBytes: number;
  readonly #decoder: HeaderDecoder;
  #open: { readonly streamId: number; readonly isLast: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  constructor(limits: HeaderLimits = HEADER_LIMITS) {
    this.#maxBytes = limits.maxBytes + limits.maxFields * CODED_FIELD_BYTES;
    this.#decoder = new HeaderDecoder(limits);
  }

  /** Checks every frame that arrives. Throws an `Http2Error` for one between the frames of a header block. */
  check({ type, streamId }: FrameHead): void {
    const isExpected = type === FRAME.continuation && streamId === this.#open?.streamId;
    if ((this.#open !== undefined || type === FRAME.continuation) && !isExpected)
      throw new Http2Error('PROTOCOL_ERROR', 'expected CONTINUATION of the open header block');
  }

  /** Adds a frame. Returns the block when that was its last frame. Copies what it keeps of the payload. */
  take({ type, flags, streamId }: FrameHead, payload: Buffer): HeaderBlock | undefined {
    const isLast = (flags & FLAG.endStream) !== 0;
    const part = type === FRAME.headers ? withoutPadding(flags, payload) : payload;
    const isWhole = (flags & FLAG.endHeaders) !== 0;
    if (isWhole && this.#open === undefined) return { streamId, isLast, fields: this.#decoder.decode(part) };
    this.#open ??= { streamId, isLast, parts: [], bytes: 0 };
    this.#hold(this.#open, part);
    return isWhole ? this.#finish(this.#open) : undefined;
  }

  /** Counts frame headers too, so that empty frames are bounded. */
  #hold(open: { readonly parts: Buffer[]; bytes: number }, part: Buffer): void {
    open.bytes += HEAD_BYTES + part.length;
    if (open.bytes > this.#maxBytes) throw new Http2Error('ENHANCE_YOUR_CALM', 'the header block is too long');
    open.parts.push(Buffer.from(part));
  }

  #finish({ streamId, isLast, parts }: { streamId: number; isLast: boolean; parts: Buffer[] }): HeaderBlock {
    this.#open = undefined;
    return { streamId, isLast, fields: this.#decoder.decode(Buffer.concat(parts)) };
  }
}

const PRIORITY_BYTES = 5;

function withoutPadding(flags: number, payload: Buffer): Buffer {
  const isPadded = (flags & FLAG.padded) !== 0;
  const start = (isPadded ? 1 : 0) + ((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
  if (start > payload.length) throw new Http2Error('FRAME_SIZE_ERROR', 'the frame is shorter than its flags require');
  const end = payload.length - (isPadded ? payload[0]! : 0);
  if (end < start) throw new Http2Error('PROTOCOL_ERROR', 'the padding is longer than the frame');
  return payload.subarray(start, end);
}

/** Size of the dynamic table: the default, which our settings do not change. */
const TABLE_BYTES = 4_096;
/** Bytes of an integer after its first: enough for every valid length and index. */
const MAX_NUMBER_BYTES = 4;

/** Decodes the header blocks (HPACK, RFC 7541) of one connection. Needs all of them, in order: each may refer to those before. */
export class HeaderDecoder {
  readonly #maxBytes: number;
  readonly #maxFields: number;
  readonly #table = new HeaderTable(TABLE_BYTES);
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor({ maxBytes, maxFields }: { readonly maxBytes: number; readonly maxFields: number }) {
    this.#maxBytes = maxBytes;
    this.#maxFields = maxFields;
  }

  /**
   * Returns the fields of a block, or `undefined` when they exceed the limits: a short block can refer to a long field many
   * times. Throws an `Http2Error` after which no further block can be decoded.
   */
  decode(block: Buffer): Field[] | undefined {
    this.#block = block;
    this.#at = 0;
    try {
      return this.#decode();
    } catch (error) {
      throw error instanceof Http2Error ? error : new Http2Error('COMPRESSION_ERROR', (error as Error).message);
    }
  }

  #decode(): Field[] | undefined {
    const fields: Field[] = [];
    let bytes = 0;
    let isTooMuch = false;
    this.#resize();
    while (this.#at < this.#block.length) {
      const field = this.#field();
      bytes += field[0].length + field[1].length;
      isTooMuch ||= bytes > this.#maxBytes || fields.length >= this.#maxFields;
      if (!isTooMuch) fields.push(field);
    }
    return isTooMuch ? undefined : fields;
  }

  /** Applies table size updates, which may stand at the beginning of a block only. */
  #resize(): void {
    while ((this.#block[this.#at]! & 0xe0) === 0x20) {
      const size = this.#number(5);
      if (size > TABLE_BYTES) throw compressionError('the dynamic table is larger than allowed');
      this.#table.resize(size);
    }
  }

  #field(): Field {
    const first = this.#block[this.#at]!;
    if ((first & 0x80) !== 0) return this.#known(this.#number(7));
    if ((first & 0x40) !== 0) {
      const field = this.#literal(6);
      this.#table.add(field);
      return field;
    }
    if ((first & 0x20) !== 0) throw compressionError('the table size changes after the first field');
    return this.#literal(4);
  }

  #literal(bits: number): Field {
    const index = this.#number(bits);
    const name = index === 0 ? this.#text() : this.#known(index)[0];
    return [name, this.#text()];
  }

  #known(index: number): Field {
    const field = this.#table.get(index);
    if (field === undefined) throw compressionError('the index is not in the tables');
    return field;
  }

  #text(): string {
    const isCoded = (this.#byte() & 0x80) !== 0;
    this.#at--;
    const length = this.#number(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw compressionError('a text is longer than its block');
    const start = this.#at;
    this.#at = end;
    return isCoded ? decodeHuffman(this.#block.subarray(start, end)) : this.#block.toString('latin1', start, end);
  }

  /** Reads an integer that begins in the last `bits` bits of the next byte. */
  #number(bits: number): number {
    const full = (1 << bits) - 1;
    let value = this.#byte() & full;
    if (value < full) return value;
    for (let count = 0; count < MAX_NUMBER_BYTES; count++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * count);
      if ((byte & 0x80) === 0) return value;
    }
    throw compressionError('an integer is too large');
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw compressionError('the block ends within a field');
    return byte;
  }
}

function compressionError(message: string): Http2Error {
  return new Http2Error('COMPRESSION_ERROR', message);
}

export type Field = readonly [name: string, value: string];

/** Static table (RFC 7541, appendix A). Indexes start at 1. */
export const STATIC_FIELDS: readonly Field[] = `
:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204
:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate
accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control
content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type
cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since
last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after
server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`
  .trim()
  .split(/[|\n]/)
  .map((field) => {
    const [name, ...value] = field.split(' ');
    return [name!, value.join(' ')];
  });

/** Overhead of a field in the size of a table (RFC 7541, section 4.1). */
export const FIELD_BYTES = 32;

export function sizeOf([name, value]: Field): number {
  return name.length + value.length + FIELD_BYTES;
}

/** Tables of a decoder: the static fields, then the dynamic ones, newest first. */
export class HeaderTable {
  /** Dynamic fields, oldest first. */
  #added: Field[] = [];
  #size = 0;
  #maxSize: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(index: number): Field | undefined {
    return index <= STATIC_FIELDS.length
      ? STATIC_FIELDS[index - 1]
      : this.#added[this.#added.length - (index - STATIC_FIELDS.length)];
  }

  /** Adds a field and evicts the oldest ones. A field larger than the table leaves it empty. */
  add(field: Field): void {
    this.#added.push(field);
    this.#size += sizeOf(field);
    this.#evict();
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evict();
  }

  #evict(): void {
    let gone = 0;
    while (this.#size > this.#maxSize) this.#size -= sizeOf(this.#added[gone++]!);
    if (gone > 0) this.#added.splice(0, gone);
  }
}

/** Fields that no intermediary may index. */
const SECRET = new Set(['authorization', 'cookie', 'proxy-authorization']);
const INDEXED = 0x80;
const LITERAL = 0x00;
const NEVER_INDEXED = 0x10;

const FIELD_INDEXES = new Map(STATIC_FIELDS.map(([name, value], at) => [`${name} ${value}`, at + 1]));
/** Has the first index of names that the static table lists more than once. */
const NAME_INDEXES = new Map(STATIC_FIELDS.map(([name], at): [string, number] => [name, at + 1]).reverse());

/** Table size update to 0: the encoder never uses the dynamic table. */
const NO_TABLE = Buffer.from([0x20]);

/** Encodes the header blocks of a connection. */
export class HeaderEncoder {
  #isFirst = true;

  encode(fields: readonly Field[]): Buffer {
    const block = encodeHeaders(fields);
    if (!this.#isFirst) return block;
    this.#isFirst = false;
    return Buffer.concat([NO_TABLE, block]);
  }
}

/**
 * Encodes a header block (HPACK, RFC 7541) that depends on no other: fields of the static table as indexes, all others as
 * literals. Headers are short, and a dynamic table that both ends must keep in step is one more thing that can fail.
 */
export function encodeHeaders(fields: readonly Field[]): Buffer {
  const writer = new BlockWriter(fields);
  for (const field of fields) writer.add(field);
  return writer.block;
}

/** Upper bound for the integers of a field: an index and two lengths. */
const MAX_NUMBERS_BYTES = 16;

class BlockWriter {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(fields: readonly Field[]) {
    const room = fields.reduce((sum, [name, value]) => sum + name.length + value.length + MAX_NUMBERS_BYTES, 0);
    this.#bytes = Buffer.allocUnsafe(room);
  }

  get block(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  add([name, value]: Field): void {
    const known = FIELD_INDEXES.get(`${name} ${value}`);
    if (known !== undefined) {
      this.#number(INDEXED, 7, known);
      return;
    }
    const index = NAME_INDEXES.get(name) ?? 0;
    this.#number(SECRET.has(name) ? NEVER_INDEXED : LITERAL, 4, index);
    if (index === 0) this.#text(name);
    this.#text(value);
  }

  #text(words: string): void {
    this.#number(0, 7, words.length);
    this.#at += this.#bytes.write(words, this.#at, 'latin1');
  }

  /** Writes an integer that begins in the last `bits` bits of a byte whose first bits are `kind`. */
  #number(kind: number, bits: number, value: number): void {
    const full = (1 << bits) - 1;
    this.#bytes[this.#at++] = kind | Math.min(value, full);
    if (value < full) return;
    let rest = value - full;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }
}

/**
 * Byte values by the number of bits of their Huffman code (RFC 7541, appendix B). The codes follow from it: those of one
 * length are consecutive, in the order of their bytes, and the first of them follows the last shorter one.
 */
const BYTES_BY_BITS: Readonly<Record<number, string>> = {
  5: '48-50 97 99 101 105 111 115-116',
  6: '32 37 45-47 51-57 61 65 95 98 100 102-104 108-110 112 114 117',
  7: '58 66-87 89 106-107 113 118-122',
  8: '38 42 44 59 88 90',
  10: '33-34 40-41 63',
  11: '39 43 124',
  12: '35 62',
  13: '0 36 64 91 93 126',
  14: '94 125',
  15: '60 96 123',
  19: '92 195 208',
  20: '128 130-131 162 184 194 224 226',
  21: '153 161 167 172 176-177 179 209 216-217 227 229-230',
  22: '129 132-134 136 146 154 156 160 163-164 169-170 173 178 181 185-187 189-190 196 198 228 232-233',
  23: '1 135 137-141 143 147 149-152 155 157-158 165-166 168 174-175 180 182-183 188 191 197 231 239',
  24: '9 142 144-145 148 159 171 206 215 225 236-237',
  25: '199 207 234-235',
  26: '192-193 200-202 205 210 213 218-219 238 240 242-243 255',
  27: '203-204 211-212 214 221-223 241 244-248 250-254',
  28: '2-8 11-12 14-21 23-31 127 220 249',
  30: '10 13 22',
};
const MAX_BITS = 30;
/** Shortest code: bounds the length of a decoded text. */
const MIN_BITS = 5;

/** By number of bits: the first code, how many codes there are, and where their bytes begin in `BYTES`. */
const FIRST = new Int32Array(MAX_BITS + 1);
const COUNT = new Int32Array(MAX_BITS + 1);
const PLACE = new Int32Array(MAX_BITS + 1);
const BYTES = new Uint8Array(256);
fillTables();

/** Decodes a Huffman-coded text. Throws an `Error` for invalid codes and padding. */
export function decodeHuffman(coded: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil((coded.length * 8) / MIN_BITS));
  let length = 0;
  let code = 0;
  let bits = 0;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      if (++bits > MAX_BITS) throw new Error('invalid Huffman code');
      const place = code - FIRST[bits]!;
      if (place < 0 || place >= COUNT[bits]!) continue;
      text[length++] = BYTES[PLACE[bits]! + place]!;
      code = 0;
      bits = 0;
    }
  }
  // The last byte is padded with ones.
  if (bits > 7 || code !== (1 << bits) - 1) throw new Error('invalid padding of a Huffman code');
  return text.toString('latin1', 0, length);
}

function fillTables(): void {
  let code = 0;
  let place = 0;
  for (let bits = 1; bits <= MAX_BITS; bits++) {
    code *= 2;
    const bytes = bytesOf(BYTES_BY_BITS[bits]);
    FIRST[bits] = code;
    COUNT[bits] = bytes.length;
    PLACE[bits] = place;
    BYTES.set(bytes, place);
    code += bytes.length;
    place += bytes.length;
  }
}

function bytesOf(ranges = ''): number[] {
  return ranges.split(' ').flatMap((range) => {
    if (range === '') return [];
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: to! - from + 1 }, (_, index) => from + index);
  });
}

/** Accepts a field name: a token in lower case. */
export function isFieldName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(text);
}

/** Accepts a field's value (RFC 9113, section 8.2.1): no controls but tabs, and no space at its start or end. */
export function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && !isBlank(text, 0) && !isBlank(text, text.length - 1);
}

/** Removes spaces and tabs around the text, and no other white space: its bytes may be parts of UTF-8 characters. */
export function trimFieldValue(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

/** Fields of HTTP/1.1 connections, invalid in HTTP/2: intermediaries could read such a message in two ways. */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

import type { Field } from './header-table.ts';
import { STATIC_FIELDS } from './header-table.ts';

/** Nobody on the way may remember these. */
const SECRET = new Set(['authorization', 'cookie', 'proxy-authorization']);
const INDEXED = 0x80;
const LITERAL = 0x00;
const NEVER_INDEXED = 0x10;

const FIELD_INDEXES = new Map(STATIC_FIELDS.map(([name, value], at) => [`${name} ${value}`, at + 1]));
/** Of names that come more than once, the first. */
const NAME_INDEXES = new Map(STATIC_FIELDS.map(([name], at): [string, number] => [name, at + 1]).reverse());

/** Says that nothing will be remembered, whatever room the other side has or will have for it. */
const NO_TABLE = Buffer.from([0x20]);

/** Makes the header blocks of a connection. */
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
 * A header block (HPACK, RFC 7541) that stands for itself: what everybody knows from the start is a number, everything
 * else a text. Requests are short, and a table that both sides keep alike is one thing more that can go wrong.
 */
export function encodeHeaders(fields: readonly Field[]): Buffer {
  const writer = new BlockWriter(fields);
  for (const field of fields) writer.add(field);
  return writer.block;
}

/** More than the numbers of a field take: its index and two lengths. */
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

  /** Begins in the last bits of a byte whose first say what it is. */
  #number(kind: number, bits: number, value: number): void {
    const full = (1 << bits) - 1;
    this.#bytes[this.#at++] = kind | Math.min(value, full);
    if (value < full) return;
    let rest = value - full;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }
}

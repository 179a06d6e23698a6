import { Fault } from './frame.ts';
import type { Field } from './header-table.ts';
import { HeaderTable } from './header-table.ts';
import { decodeHuffman } from './huffman.ts';

/** What the other side may have us remember, if we do not say otherwise. */
const TABLE_BYTES = 4_096;
/** Numbers have no more bytes than this after the first: no length and no index is larger. */
const MAX_NUMBER_BYTES = 4;

/** Reads header blocks (HPACK, RFC 7541) of one connection: all of them, in order, since each builds on those before. */
export class HeaderDecoder {
  readonly #maxBytes: number;
  readonly #maxFields: number;
  readonly #table = new HeaderTable(TABLE_BYTES);
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /** `maxBytes`: of the names and values of a block together. */
  constructor({ maxBytes, maxFields }: { readonly maxBytes: number; readonly maxFields: number }) {
    this.#maxBytes = maxBytes;
    this.#maxFields = maxFields;
  }

  /**
   * The fields of a block, or undefined when they are too much: a small block can name a long field often. Throws a
   * `Fault` after which no block can be read.
   */
  decode(block: Buffer): Field[] | undefined {
    this.#block = block;
    this.#at = 0;
    try {
      return this.#decode();
    } catch (error) {
      throw error instanceof Fault ? error : new Fault('COMPRESSION_ERROR', (error as Error).message);
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

  /** Only what a block begins with may change the size of the table. */
  #resize(): void {
    while ((this.#block[this.#at]! & 0xe0) === 0x20) {
      const size = this.#number(5);
      if (size > TABLE_BYTES) throw broken('the table of headers is larger than allowed');
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
    if ((first & 0x20) !== 0) throw broken('the table of headers changes its size among headers');
    return this.#literal(4);
  }

  #literal(bits: number): Field {
    const index = this.#number(bits);
    const name = index === 0 ? this.#text() : this.#known(index)[0];
    return [name, this.#text()];
  }

  #known(index: number): Field {
    const field = this.#table.get(index);
    if (field === undefined) throw broken('a header is not in the table');
    return field;
  }

  #text(): string {
    const isCoded = (this.#byte() & 0x80) !== 0;
    this.#at--;
    const length = this.#number(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw broken('a header is longer than its block');
    const start = this.#at;
    this.#at = end;
    return isCoded ? decodeHuffman(this.#block.subarray(start, end)) : this.#block.toString('latin1', start, end);
  }

  /** Its beginning is in the last bits of the first byte. */
  #number(bits: number): number {
    const full = (1 << bits) - 1;
    let value = this.#byte() & full;
    if (value < full) return value;
    for (let count = 0; count < MAX_NUMBER_BYTES; count++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * count);
      if ((byte & 0x80) === 0) return value;
    }
    throw broken('a number in a header is too large');
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw broken('a header ends early');
    return byte;
  }
}

function broken(message: string): Fault {
  return new Fault('COMPRESSION_ERROR', message);
}

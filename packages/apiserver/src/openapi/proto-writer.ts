/** Writes the fields of one protobuf message, one after the other. */
export class ProtoWriter {
  #buffer = Buffer.allocUnsafe(128);
  #length = 0;

  string(field: number, text: string): this {
    const length = Buffer.byteLength(text);
    this.#head(field * 8 + 2, length);
    this.#length += this.#buffer.write(text, this.#length);
    return this;
  }

  /** A string, bytes or a message that is already written. */
  bytes(field: number, bytes: Uint8Array): this {
    this.#head(field * 8 + 2, bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Fields that are already written. */
  append(fields: Uint8Array): this {
    this.#reserve(fields.length);
    this.#buffer.set(fields, this.#length);
    this.#length += fields.length;
    return this;
  }

  /** A number from 0 to 2^53, or a bool as 0 or 1. */
  integer(field: number, value: number): this {
    this.#reserve(0);
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  double(field: number, value: number): this {
    this.#reserve(8);
    this.#varint(field * 8 + 1);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
    return this;
  }

  /** The message; the writer is done with it. */
  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #head(tag: number, length: number): void {
    this.#reserve(length);
    this.#varint(tag);
    this.#varint(length);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  /** Room for so many bytes and the two numbers before them. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes + 2 * MAX_VARINT_BYTES;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

const MAX_VARINT_BYTES = 10;

const FIRST_CAPACITY = 64 * 1024;

/**
 * Writes protobuf from its last byte to its first: when a message's length is written, its bytes are already there. One
 * buffer serves all calls, because they are synchronous.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  /** Position of the first byte written; the output is everything from here to the end of the buffer. */
  #position = FIRST_CAPACITY;

  /** Discards the output. */
  start(): void {
    if (this.#bytes.length > 16 * FIRST_CAPACITY) this.#bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    this.#position = this.#bytes.length;
  }

  /** Returns a copy of the output. */
  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, this.#position);
  }

  /** Bytes written so far. The difference of two such numbers is the length of what was written between. */
  get length(): number {
    return this.#bytes.length - this.#position;
  }

  /** Writes an unsigned number of up to 53 bits. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[--this.#position] = value;
      return;
    }
    this.#parts(value % 0x1_0000_0000, Math.floor(value / 0x1_0000_0000));
  }

  int64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
    } else {
      const bits = BigInt.asUintN(64, BigInt(value));
      this.#parts(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
    }
  }

  double(value: number): void {
    this.#reserve(8);
    this.#position -= 8;
    this.#bytes.writeDoubleLE(value, this.#position);
  }

  /** Writes a string after its length. */
  string(value: string): void {
    if (!this.#shortAscii(value)) {
      const size = Buffer.byteLength(value);
      this.#reserve(size);
      this.#position -= size;
      this.#bytes.write(value, this.#position, size);
      this.varint(size);
    }
  }

  /** Writes bytes without a length. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#position -= value.length;
    this.#bytes.set(value, this.#position);
  }

  bytes(value: Uint8Array): void {
    this.raw(value);
    this.varint(value.length);
  }

  /** Writes the string if it is short ASCII: copying it here is faster than a call into native code. */
  #shortAscii(value: string): boolean {
    const size = value.length;
    if (size > 24) return false;
    this.#reserve(size + 1);
    const start = this.#position - size;
    for (let i = 0; i < size; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) return false;
      this.#bytes[start + i] = unit;
    }
    this.#bytes[start - 1] = size;
    this.#position = start - 1;
    return true;
  }

  #parts(low: number, high: number): void {
    const size = varintSize(low, high);
    this.#reserve(size);
    this.#position -= size;
    for (let at = this.#position, last = at + size - 1; at < last; at++) {
      this.#bytes[at] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#bytes[this.#position + size - 1] = low;
  }

  #reserve(count: number): void {
    if (count <= this.#position) return;
    const written = this.length;
    const bytes = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, 2 * (written + count)));
    bytes.set(this.#bytes.subarray(this.#position), bytes.length - written);
    this.#position = bytes.length - written;
    this.#bytes = bytes;
  }
}

function varintSize(low: number, high: number): number {
  const bits = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
  return bits === 0 ? 1 : Math.ceil(bits / 7);
}

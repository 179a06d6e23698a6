import { ProtobufError } from './protobuf-error.ts';
import { StringCache } from './string-cache.ts';

const strings = new StringCache();

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** Reads protobuf's primitive values. Every read moves `position` forward and stops short of `end`. */
export class WireReader {
  readonly #bytes: Buffer;
  position: number;
  /** Position after the last byte of the message being read. */
  end: number;
  /** Upper 32 bits of the last varint. */
  high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
    this.end = bytes.length;
  }

  /** Reads a varint; returns its lower 32 bits, unsigned, and leaves the upper ones in `high`. */
  varint(): number {
    if (this.position < this.end) {
      const first = this.#bytes[this.position]!;
      if (first < 0x80) {
        this.position++;
        this.high = 0;
        return first;
      }
    }
    return this.#longVarint();
  }

  #longVarint(): number {
    const start = this.position;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw new ProtobufError({ code: 'Truncated', offset: this.position });
      const byte = this.#bytes[this.position++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new ProtobufError({ code: 'BadVarint', offset: start });
  }

  /** Reads a tag: a field's number times eight plus its wire type. */
  tag(): number {
    const start = this.position;
    const tag = this.varint();
    if (this.high !== 0 || tag >>> 3 === 0) throw new ProtobufError({ code: 'BadTag', offset: start });
    return tag;
  }

  int64(): number | bigint {
    const low = this.varint();
    const high = this.high | 0;
    if (high >= -0x200000 && high < 0x200000) {
      const value = high * 0x1_0000_0000 + low;
      if (Number.isSafeInteger(value)) return value;
    }
    return (BigInt(high) << 32n) | BigInt(low);
  }

  bool(): boolean {
    return this.varint() !== 0 || this.high !== 0;
  }

  double(): number {
    const start = this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** Reads a length and checks that as many bytes follow; returns where they end. */
  lengthEnd(): number {
    const length = this.varint();
    if (this.high !== 0 || length > this.end - this.position)
      throw new ProtobufError({ code: 'Truncated', offset: this.position });
    return this.position + length;
  }

  string(): string {
    const end = this.lengthEnd();
    const start = this.position;
    this.position = end;
    return strings.read(this.#bytes, start, end);
  }

  /** Returns a view, not a copy. */
  bytes(): Buffer {
    const end = this.lengthEnd();
    const view = this.#bytes.subarray(this.position, end);
    this.position = end;
    return view;
  }

  /** Skips the value of an unknown field. Groups may be nested; they are counted, not recursed into. */
  skip(tag: number): void {
    let openGroups = 0;
    let wireType = tag & 7;
    for (;;) {
      if (wireType === START_GROUP) openGroups++;
      else if (wireType === END_GROUP) openGroups--;
      else this.#skipValue(wireType);
      if (openGroups < 0) throw new ProtobufError({ code: 'BadTag', offset: this.position });
      if (openGroups === 0) return;
      wireType = this.tag() & 7;
    }
  }

  #skipValue(wireType: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === FIXED64) this.#advance(8);
    else if (wireType === FIXED32) this.#advance(4);
    else if (wireType === BYTES) this.position = this.lengthEnd();
    else throw new ProtobufError({ code: 'BadTag', offset: this.position });
  }

  #advance(count: number): number {
    const start = this.position;
    if (count > this.end - start) throw new ProtobufError({ code: 'Truncated', offset: start });
    this.position = start + count;
    return start;
  }
}

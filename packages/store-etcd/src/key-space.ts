import { isUtf8 } from 'node:buffer';

/** The keys of a store inside of etcd: all that begin with a prefix, which they are known without. */
export class KeySpace {
  readonly prefix: Buffer;
  /** One past the last key. */
  readonly end: Buffer;

  /** The prefix ends in `/`, so that it has no neighbours. */
  constructor(prefix: string) {
    if (!prefix.endsWith('/'))
      throw new RangeError(`Cannot use prefix ${JSON.stringify(prefix)}: it does not end in /`);
    this.prefix = Buffer.from(prefix);
    this.end = Buffer.from(this.prefix);
    this.end[this.end.length - 1]! += 1;
  }

  toEtcd(key: string): Buffer {
    const bytes = Buffer.allocUnsafe(this.prefix.length + Buffer.byteLength(key));
    this.prefix.copy(bytes);
    bytes.write(key, this.prefix.length);
    return bytes;
  }

  /** `undefined` for what no store of ours has written, and is left alone: a key that is not text. */
  fromEtcd(bytes: Uint8Array): string | undefined {
    const rest = bytes.subarray(this.prefix.length);
    if (rest.length === 0 || !isUtf8(rest)) return undefined;
    return Buffer.from(rest.buffer, rest.byteOffset, rest.length).toString();
  }
}

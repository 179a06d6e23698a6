import { isUtf8 } from 'node:buffer';

/** Keys of a store in etcd: all that begin with a prefix, which is not part of the store's keys. */
export class KeySpace {
  readonly prefix: Buffer;
  /** End of the range, exclusive. */
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

  /** Returns `undefined` for a key that is not UTF-8, which this store has not written and ignores. */
  fromEtcd(bytes: Uint8Array): string | undefined {
    const rest = bytes.subarray(this.prefix.length);
    if (rest.length === 0 || !isUtf8(rest)) return undefined;
    return Buffer.from(rest.buffer, rest.byteOffset, rest.length).toString();
  }
}

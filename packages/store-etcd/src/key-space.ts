import { isUtf8 } from 'node:buffer';
import { StoreError, type StoreLayout } from '@pintle/store';

type KeyLayout = Pick<StoreLayout, 'pathOf' | 'keyOf' | 'refusalOf'>;

/** The layout in which paths are keys. */
const PLAIN: KeyLayout = { pathOf: (key) => key, keyOf: (path) => path };

/** Keys of a store in etcd: all that begin with a prefix, which is neither part of the store's keys nor of a layout's paths. */
export class KeySpace {
  readonly prefix: Buffer;
  /** End of the range, exclusive. */
  readonly end: Buffer;
  readonly #layout: KeyLayout;

  /** The prefix ends in `/`, so that it has no neighbours. */
  constructor(prefix: string, layout: KeyLayout = PLAIN) {
    if (!prefix.endsWith('/'))
      throw new RangeError(`Cannot use prefix ${JSON.stringify(prefix)}: it does not end in /`);
    this.prefix = Buffer.from(prefix);
    this.end = Buffer.from(this.prefix);
    this.end[this.end.length - 1]! += 1;
    this.#layout = layout;
  }

  toEtcd(key: string): Buffer {
    const path = this.#layout.pathOf(key);
    const bytes = Buffer.allocUnsafe(this.prefix.length + Buffer.byteLength(path));
    this.prefix.copy(bytes);
    bytes.write(path, this.prefix.length);
    return bytes;
  }

  /** Returns `undefined` for a key that is not part of the layout, or not UTF-8: it belongs to another program and is ignored. */
  fromEtcd(bytes: Uint8Array): string | undefined {
    const path = this.#pathIn(bytes);
    return path && this.#layout.keyOf(path);
  }

  /** Throws Unavailable when the store must not be opened beside this key. */
  refuse(bytes: Uint8Array): void {
    const path = this.#pathIn(bytes);
    const problem = path && this.#layout.refusalOf?.(path);
    if (problem) throw new StoreError({ code: 'Unavailable', problem });
  }

  #pathIn(bytes: Uint8Array): string | undefined {
    const rest = bytes.subarray(this.prefix.length);
    if (rest.length === 0 || !isUtf8(rest)) return undefined;
    return Buffer.from(rest.buffer, rest.byteOffset, rest.length).toString();
  }
}

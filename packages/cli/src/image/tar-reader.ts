import { closeSync, openSync, readSync } from 'node:fs';
import { posix } from 'node:path';
import { UsageError } from '../usage-error.ts';

const BLOCK = 512;
const MAX_PAX_BYTES = 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

interface ByteRange {
  readonly offset: number;
  readonly size: number;
}

/** Reads files of a tar archive by their paths. */
export class TarFile implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #files = new Map<string, ByteRange>();

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'r');
    try {
      this.#index();
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  *chunks(path: string): Generator<Uint8Array> {
    const range = this.#files.get(path);
    if (range === undefined) throw new UsageError(`Cannot read ${this.#path}: it has no file ${path}`);
    const end = range.offset + range.size;
    for (let offset = range.offset; offset < end; offset += CHUNK_BYTES)
      yield this.#bytes(offset, Math.min(CHUNK_BYTES, end - offset));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #index(): void {
    let named: string | undefined;
    let sized: number | undefined;
    for (let offset = 0; ; ) {
      const block = this.#bytes(offset, BLOCK);
      if (block.every((byte) => byte === 0)) return;
      this.#checkSum(block);
      const size = sized ?? numberAt(block, 124, 12);
      if (!Number.isSafeInteger(size) || size < 0)
        throw new UsageError(`Cannot read ${this.#path}: it has a file of ${size} bytes`);
      const type = String.fromCharCode(block[156]!);
      const content = { offset: offset + BLOCK, size };
      if (type === 'L') named = textOf(this.#small(content));
      else if (type === 'x') ({ path: named = named, size: sized } = paxOf(this.#small(content)));
      else {
        if (type === '0' || type === '\0') this.#files.set(clean(named ?? nameOf(block)), content);
        named = undefined;
        sized = undefined;
      }
      offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    }
  }

  #checkSum(block: Buffer): void {
    const stated = numberAt(block, 148, 8);
    const found = block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
    if (stated !== found) throw new UsageError(`Cannot read ${this.#path}: it is not a tar archive`);
  }

  #small({ offset, size }: ByteRange): Buffer {
    if (size > MAX_PAX_BYTES) throw new UsageError(`Cannot read ${this.#path}: a header is too long`);
    return this.#bytes(offset, size);
  }

  #bytes(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, offset) < length)
      throw new UsageError(`Cannot read ${this.#path}: it ends too early, or is not a tar archive`);
    return bytes;
  }
}

function nameOf(block: Buffer): string {
  const prefix = block.toString('latin1', 257, 262) === 'ustar' ? textOf(block.subarray(345, 500)) : '';
  const name = textOf(block.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function clean(path: string): string {
  return posix.normalize(path).replace(/^\/+/, '');
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** Reads octal digits, or a binary number for sizes beyond 8 GiB. */
function numberAt(block: Buffer, offset: number, width: number): number {
  if ((block[offset]! & 0x80) !== 0) return block.readUIntBE(offset + width - 6, 6);
  const digits = textOf(block.subarray(offset, offset + width)).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : 0;
}

function paxOf(bytes: Buffer): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, bytes.indexOf(32, at)), 10);
    if (!(length > 0)) break;
    const [key, ...value] = bytes.toString('utf8', bytes.indexOf(32, at) + 1, at + length - 1).split('=');
    if (key === 'path') found.path = value.join('=');
    if (key === 'size') found.size = Number(value.join('='));
    at += length;
  }
  return found;
}

import type { FileHandle } from 'node:fs/promises';
import { EtcdSnapshotError } from './snapshot-error.ts';

/** A key and its value, as views of a page. */
export interface BoltEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

interface Page {
  readonly bytes: Buffer;
  readonly flags: number;
  readonly count: number;
}

interface Meta {
  readonly pageSize: number;
  readonly root: number;
  /** Number of pages. */
  readonly pages: number;
  readonly txid: bigint;
}

const MAGIC = 0xed0cdaed;
const VERSION = 2;
const PAGE_HEADER = 16;
const ELEMENT = 16;
const BUCKET_HEADER = 16;
const META_BYTES = 64;
const BRANCH = 0x01;
const LEAF = 0x02;
const BUCKET = 0x01;
const PAGE_SIZES: ReadonlySet<number> = new Set([512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]);
/** More than any tree has, whose pages hold two elements at least. */
const MAX_DEPTH = 48;
/** More than the largest request of any etcd, and than a page of small keys. */
const MAX_PAGE_BYTES = 128 * 1024 * 1024;

/**
 * Reads the file of bbolt, the database in which etcd keeps its keys: a B+ tree of pages. Every offset is checked, so that a damaged
 * file is refused and never read beyond its pages.
 *
 *     page    id 8  flags 2  count 2  overflow 4 │ elements │ keys and values
 *     branch  offset 4  key length 4  page 8
 *     leaf    flags 4  offset 4  key length 4  value length 4
 */
export class BoltFile {
  readonly #file: FileHandle;
  readonly #meta: Meta;
  #pagesRead = 0;

  /** Opens the database in the first `size` bytes of a file. */
  static async open(file: FileHandle, size: number): Promise<BoltFile> {
    const first = await readMeta(file, 0);
    // The second page has the other copy; its place is only known from the size of pages.
    const sizes = first === undefined ? [...PAGE_SIZES] : [first.pageSize];
    const copies = [first, ...(await Promise.all(sizes.map((pageSize) => readMeta(file, pageSize))))];
    const [newest] = copies.filter((meta) => meta !== undefined).sort((a, b) => (a.txid > b.txid ? -1 : 1));
    if (newest === undefined) throw new EtcdSnapshotError('it is not a database of etcd');
    if (newest.pages * newest.pageSize > size) throw new EtcdSnapshotError('pages are missing at its end');
    return new BoltFile(file, newest);
  }

  private constructor(file: FileHandle, meta: Meta) {
    this.#file = file;
    this.#meta = meta;
  }

  /** Yields the entries of a bucket in the order of keys; none when there is no such bucket. */
  async *entries(bucket: string): AsyncGenerator<BoltEntry> {
    this.#pagesRead = 0;
    for await (const { flags, key, value } of this.#walk(this.#meta.root, 0)) {
      if (key.toString('latin1') !== bucket) continue;
      if ((flags & BUCKET) === 0 || value.length < BUCKET_HEADER) throw damaged(`${bucket} is not a bucket`);
      const root = readId(value, 0);
      if (root === 0) yield* leaves(pageOf(value.subarray(BUCKET_HEADER)));
      else yield* this.#walk(root, 0);
      return;
    }
  }

  async *#walk(id: number, depth: number): AsyncGenerator<BoltEntry & { readonly flags: number }> {
    if (depth > MAX_DEPTH) throw damaged('its tree is too deep');
    const page = await this.#read(id);
    if ((page.flags & LEAF) !== 0) yield* leaves(page);
    else if ((page.flags & BRANCH) === 0) throw damaged(`page ${id} is neither a branch nor a leaf`);
    else for (const child of branches(page)) yield* this.#walk(child, depth + 1);
  }

  async #read(id: number): Promise<Page> {
    const { pageSize, pages } = this.#meta;
    if (id < 2 || id >= pages) throw damaged(`there is no page ${id}`);
    const head = await readAt(this.#file, id * pageSize, pageSize);
    if (readId(head, 0) !== id) throw damaged(`page ${id} is another one`);
    const overflow = head.readUInt32LE(12);
    if (id + overflow >= pages || (overflow + 1) * pageSize > MAX_PAGE_BYTES) throw damaged(`page ${id} is too long`);
    // A page is part of one bucket, and is met once: more reads than pages are a circle.
    this.#pagesRead += overflow + 1;
    if (this.#pagesRead > 2 * pages) throw damaged('its tree is a circle');
    return pageOf(overflow === 0 ? head : await readAt(this.#file, id * pageSize, (overflow + 1) * pageSize));
  }
}

function pageOf(bytes: Buffer): Page {
  if (bytes.length < PAGE_HEADER) throw damaged('a page is too short');
  return { bytes, flags: bytes.readUInt16LE(8), count: bytes.readUInt16LE(10) };
}

/** Entries lie one after the other: together they are no longer than their page. */
function* leaves({ bytes, count }: Page): Generator<BoltEntry & { readonly flags: number }> {
  let left = bytes.length;
  for (let index = 0; index < count; index++) {
    const at = elementAt(bytes, index);
    const start = at + bytes.readUInt32LE(at + 4);
    const keyEnd = start + bytes.readUInt32LE(at + 8);
    const end = keyEnd + bytes.readUInt32LE(at + 12);
    left -= end - start;
    if (end > bytes.length || left < 0) throw damaged('its entries are longer than their page');
    yield { flags: bytes.readUInt32LE(at), key: bytes.subarray(start, keyEnd), value: bytes.subarray(keyEnd, end) };
  }
}

function* branches({ bytes, count }: Page): Generator<number> {
  for (let index = 0; index < count; index++) yield readId(bytes, elementAt(bytes, index) + 8);
}

function elementAt(bytes: Buffer, index: number): number {
  const at = PAGE_HEADER + index * ELEMENT;
  if (at + ELEMENT > bytes.length) throw damaged('a page has more elements than room');
  return at;
}

/** Returns the meta page at an offset; `undefined` when its magic, version, page size or checksum does not fit. */
async function readMeta(file: FileHandle, offset: number): Promise<Meta | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(META_BYTES), 0, META_BYTES, offset + PAGE_HEADER);
  if (bytesRead < META_BYTES || buffer.readUInt32LE(0) !== MAGIC || buffer.readUInt32LE(4) !== VERSION)
    return undefined;
  const pageSize = buffer.readUInt32LE(8);
  if (!PAGE_SIZES.has(pageSize) || buffer.readBigUInt64LE(56) !== fnv1a(buffer.subarray(0, 56))) return undefined;
  return { pageSize, root: readId(buffer, 16), pages: readId(buffer, 40), txid: buffer.readBigUInt64LE(48) };
}

/** FNV-1a of 64 bits. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}

/** Reads a page number; none is beyond what a number holds. */
function readId(bytes: Buffer, at: number): number {
  const id = bytes.readBigUInt64LE(at);
  if (id > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged('a page number is too large');
  return Number(id);
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead < length) throw damaged('it ends within a page');
  return buffer;
}

function damaged(problem: string): EtcdSnapshotError {
  return new EtcdSnapshotError(problem);
}

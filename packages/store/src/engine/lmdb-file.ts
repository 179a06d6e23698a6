import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../errors.ts';

/**
 * Checks an LMDB file before LMDB maps it without checks: a file that is something else, or that ends too early, would
 * crash the process.
 *
 * A truncated file is filled with zeros, which are detected as damage when they are read.
 */
export function checkLmdbFile(path: string): void {
  const file = openIfExists(path);
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    if (size === 0) return;
    const { pageSize, lastPage } = newestMeta(file, path);
    const needed = (lastPage + 1) * pageSize;
    if (size < needed) ftruncateSync(file, needed);
  } finally {
    closeSync(file);
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** Returns the newest of the two meta pages at the beginning of the file, which commits overwrite in turn. */
function newestMeta(file: number, path: string): Meta {
  const first = readMeta(file, 0);
  const second = readMeta(file, first?.pageSize ?? DEFAULT_PAGE_SIZE);
  if (first === undefined || second === undefined)
    throw new StoreError({ code: 'Corrupt', problem: `${path} is not an LMDB file` });
  return first.transaction > second.transaction ? first : second;
}

function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, at) < META_BYTES) return undefined;
  const pageSize = page.readUInt32LE(PAGE_SIZE_AT);
  const isPowerOfTwo = pageSize >= 256 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  const isMeta = page.readUInt32LE(MAGIC_AT) === MAGIC && (page.readUInt16LE(FLAGS_AT) & META_FLAG) !== 0;
  const lastPage = Number(page.readBigUInt64LE(LAST_PAGE_AT));
  if (!isMeta || !isPowerOfTwo || lastPage > MAX_PAGE) return undefined;
  return { pageSize, lastPage, transaction: page.readBigUInt64LE(TRANSACTION_AT) };
}

const DEFAULT_PAGE_SIZE = 4096;
/** Page numbers beyond this are damage: 4 TiB with the smallest usual page. */
const MAX_PAGE = 2 ** 30;
const META_BYTES = 160;
const FLAGS_AT = 18;
const META_FLAG = 0x08;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;

import { crc32 } from 'node:zlib';
import { crcOf } from '../crc.ts';
import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { Lease, Version } from './key-history.ts';

/** One write in the log. Its value is in the engine at (revision, sub). */
export interface LogEntry extends Version {
  readonly key: string;
  /** Number of writes of the transaction: 1 for most. */
  readonly writes: number;
}

/**
 * A run of log entries as one engine record: the transactions of one flush.
 *
 *     magic  headerChecksum │ first  last  count  chainBefore  chainAfter  bodyBytes │ entries…
 *
 * `chainAfter` is the CRC-32 of the entries continued from `chainBefore`. As long as nothing was compacted, a chunk's
 * `chainBefore` is its predecessor's `chainAfter`, so a chunk that is missing, doubled, exchanged or stale is detected.
 * The chain runs over entries, not chunks: cutting a chunk in two leaves it intact.
 */
export interface LogChunk {
  readonly first: Revision;
  readonly last: Revision;
  readonly count: number;
  readonly chainBefore: number;
  readonly chainAfter: number;
  readonly headerChecksum: number;
}

export function checksumOf(value: Uint8Array): number {
  return crc32(value) | 0;
}

interface EncodedChunk {
  readonly bytes: Buffer;
  readonly chunk: LogChunk;
}

/** Encodes entries. `span` is given when the chunk stands for more revisions than it still has entries of. */
export function encodeChunk(
  entries: readonly LogEntry[],
  chainBefore: number,
  span: { readonly first: Revision; readonly last: Revision } = {
    first: entries[0]!.revision,
    last: entries[entries.length - 1]!.revision,
  },
): EncodedChunk {
  let length = CHUNK_HEADER_BYTES;
  for (const { key, lease } of entries) length += ENTRY_BYTES + Buffer.byteLength(key) + (lease ? LEASE_BYTES : 0);
  const bytes = Buffer.allocUnsafe(length);
  let at = CHUNK_HEADER_BYTES;
  for (const entry of entries) at = writeEntry(bytes, at, entry);

  const chainAfter = crcOf(bytes, CHUNK_HEADER_BYTES, length, chainBefore);
  bytes.writeUInt32LE(CHUNK_MAGIC, 0);
  writeRevision(bytes, 8, span.first);
  writeRevision(bytes, 14, span.last);
  bytes.writeUInt32LE(entries.length, 20);
  bytes.writeUInt32LE(chainBefore, 24);
  bytes.writeUInt32LE(chainAfter, 28);
  bytes.writeUInt32LE(length - CHUNK_HEADER_BYTES, 32);
  const headerChecksum = crcOf(bytes, 8, CHUNK_HEADER_BYTES);
  bytes.writeUInt32LE(headerChecksum, 4);
  const { first, last } = span;
  return { bytes, chunk: { first, last, count: entries.length, chainBefore, chainAfter, headerChecksum } };
}

/** Reads a chunk's header and checks all of its bytes. Throws Corrupt. */
export function readChunk(revision: Revision, bytes: Buffer): LogChunk {
  if (bytes.length < CHUNK_HEADER_BYTES || bytes.readUInt32LE(0) !== CHUNK_MAGIC)
    throw corruptLog(revision, 'not a log record');
  const headerChecksum = bytes.readUInt32LE(4);
  if (crc32(bytes.subarray(8, CHUNK_HEADER_BYTES)) !== headerChecksum)
    throw corruptLog(revision, 'the checksum of a log record is wrong');
  const chunk: LogChunk = {
    first: bytes.readUIntLE(8, 6) as Revision,
    last: bytes.readUIntLE(14, 6) as Revision,
    count: bytes.readUInt32LE(20),
    chainBefore: bytes.readUInt32LE(24),
    chainAfter: bytes.readUInt32LE(28),
    headerChecksum,
  };
  const body = bytes.subarray(CHUNK_HEADER_BYTES);
  if (body.length !== bytes.readUInt32LE(32) || crc32(body, chunk.chainBefore) !== chunk.chainAfter)
    throw corruptLog(revision, 'the checksum of a log record is wrong');
  if (chunk.first !== revision) throw corruptLog(revision, 'a log record lies in the wrong place');
  return chunk;
}

/** Reads the entries of a chunk that `readChunk` has checked. */
export function readEntries(bytes: Buffer, count: number): LogEntry[] {
  const entries = new Array<LogEntry>(count);
  let at = CHUNK_HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const keyBytes = bytes.readUInt16LE(at);
    const hasLease = bytes[at + 2] === 1;
    const keyAt = at + ENTRY_BYTES + (hasLease ? LEASE_BYTES : 0);
    entries[index] = {
      key: bytes.toString('utf8', keyAt, keyAt + keyBytes),
      revision: readRevision(bytes, at + 3),
      createRevision: readRevision(bytes, at + 9),
      sub: bytes.readUInt32LE(at + 15),
      writes: bytes.readUInt32LE(at + 19),
      version: bytes.readUInt32LE(at + 23),
      checksum: bytes.readInt32LE(at + 27),
      lease: hasLease ? readLease(bytes, at + ENTRY_BYTES) : undefined,
      held: undefined,
      heldIn: 0,
      summary: undefined,
    };
    at = keyAt + keyBytes;
  }
  return entries;
}

const CHUNK_MAGIC = 0x4c544e50;
const CHUNK_HEADER_BYTES = 36;
const ENTRY_BYTES = 31;
const LEASE_BYTES = 16;

function writeEntry(bytes: Buffer, at: number, entry: LogEntry): number {
  const { lease } = entry;
  const keyAt = at + ENTRY_BYTES + (lease ? LEASE_BYTES : 0);
  const keyBytes = bytes.write(entry.key, keyAt, 'utf8');
  bytes.writeUInt16LE(keyBytes, at);
  bytes[at + 2] = lease ? 1 : 0;
  writeRevision(bytes, at + 3, entry.revision);
  writeRevision(bytes, at + 9, entry.createRevision);
  bytes.writeUInt32LE(entry.sub, at + 15);
  bytes.writeUInt32LE(entry.writes, at + 19);
  bytes.writeUInt32LE(entry.version, at + 23);
  bytes.writeInt32LE(entry.checksum, at + 27);
  if (lease) {
    bytes.writeDoubleLE(lease.ttlMs, at + ENTRY_BYTES);
    bytes.writeDoubleLE(lease.expiresAt, at + ENTRY_BYTES + 8);
  }
  return keyAt + keyBytes;
}

function writeRevision(bytes: Buffer, at: number, revision: Revision): void {
  bytes.writeUInt32LE(revision >>> 0, at);
  bytes.writeUInt16LE(Math.floor(revision / 0x1_0000_0000), at + 4);
}

function readRevision(bytes: Buffer, at: number): Revision {
  return (bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 0x1_0000_0000) as Revision;
}

function readLease(bytes: Buffer, at: number): Lease {
  return { ttlMs: bytes.readDoubleLE(at), expiresAt: bytes.readDoubleLE(at + 8) };
}

export function corruptLog(revision: Revision, problem: string): StoreError {
  return new StoreError({ code: 'Corrupt', revision, problem });
}

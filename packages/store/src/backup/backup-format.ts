import type { Revision } from '../revision.ts';
import { damaged } from './backup-error.ts';

/**
 * A backup is one file: the newest version of every key at one revision, in key order.
 *
 *     MAGIC  bytes  header  crc │ bytes  crc  records… │ … │ 0  bytes  end  │ sha256 of all before
 *
 * Header and end are JSON. The CRC-32 of a frame of records continues that of the frame before it, so that a frame that is
 * missing, doubled or exchanged shows at once; the digest at the end shows everything else.
 */
export const MAGIC = Buffer.from('PINTLE\0B');
export const FORMAT_VERSION = 1;

export interface BackupHeader {
  readonly version: number;
  /** The revision that was read. */
  readonly revision: Revision;
  /** RFC 3339. */
  readonly writtenAt: string;
  /** Identifies the keys that values are sealed with; the keys themselves are not in the backup. */
  readonly sealedWith: readonly string[];
}

export interface BackupEnd {
  readonly records: number;
  /** Keys that could not be read and are left out; the first hundred. */
  readonly damagedKeys: readonly string[];
}

/** One key. The value is as it was sealed. */
export interface BackupRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly version: number;
  /** Milliseconds since 1970, where the store deletes the key by itself. */
  readonly expiresAt: number | undefined;
}

/** Larger than any frame that is written: one page of records, whose last value may be a large one. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
export const MAX_JSON_BYTES = 1024 * 1024;
/** Revisions have six bytes, here and in the log of a store. */
export const MAX_REVISION = 2 ** 48 - 1;

const RECORD_BYTES = 23;
const EXPIRY_BYTES = 8;

export function encodeRecords(records: readonly BackupRecord[]): Buffer {
  let length = 0;
  for (const record of records) length += lengthOf(record);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const record of records) at = writeRecord(bytes, at, record);
  return bytes;
}

function lengthOf({ key, value, expiresAt }: BackupRecord): number {
  return RECORD_BYTES + (expiresAt === undefined ? 0 : EXPIRY_BYTES) + Buffer.byteLength(key) + value.length;
}

function writeRecord(bytes: Buffer, start: number, record: BackupRecord): number {
  const { key, value, expiresAt } = record;
  let at = start + RECORD_BYTES;
  if (expiresAt !== undefined) at = bytes.writeDoubleLE(expiresAt, at);
  const keyBytes = bytes.write(key, at);
  bytes.writeUInt16LE(keyBytes, start);
  bytes[start + 2] = expiresAt === undefined ? 0 : 1;
  bytes.writeUIntLE(record.modRevision, start + 3, 6);
  bytes.writeUIntLE(record.createRevision, start + 9, 6);
  bytes.writeUInt32LE(record.version, start + 15);
  bytes.writeUInt32LE(value.length, start + 19);
  bytes.set(value, at + keyBytes);
  return at + keyBytes + value.length;
}

/** Reads a frame whose checksum was right. Throws Damaged all the same where it is not a list of records. */
export function decodeRecords(bytes: Buffer): BackupRecord[] {
  const records: BackupRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + RECORD_BYTES > bytes.length) throw damaged('a record is cut short');
    const hasExpiry = bytes[at + 2] === 1;
    const keyAt = at + RECORD_BYTES + (hasExpiry ? EXPIRY_BYTES : 0);
    const valueAt = keyAt + bytes.readUInt16LE(at);
    const end = valueAt + bytes.readUInt32LE(at + 19);
    if (end > bytes.length) throw damaged('a record is cut short');
    records.push({
      key: bytes.toString('utf8', keyAt, valueAt),
      value: bytes.subarray(valueAt, end),
      modRevision: bytes.readUIntLE(at + 3, 6) as Revision,
      createRevision: bytes.readUIntLE(at + 9, 6) as Revision,
      version: bytes.readUInt32LE(at + 15),
      expiresAt: hasExpiry ? bytes.readDoubleLE(at + RECORD_BYTES) : undefined,
    });
    at = end;
  }
  return records;
}

import { randomBytes } from 'node:crypto';
import { crcOf } from '../crc.ts';
import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { EngineBatch, LogChange, ValueChange } from './engine.ts';

/** A batch in the journal. Records are numbered without a gap. */
export interface JournalRecord {
  readonly sequence: number;
  readonly batch: EngineBatch;
  /** Offset of the next record from this one. */
  readonly length: number;
}

const MAGIC = magicOf('PJN2');
/** Magic of records without a salt. */
const OLD_MAGIC = magicOf('PJNL');
const HEADER_BYTES = 28;
const SALT_BYTES = 8;
const LOG_BYTES = 10;
const VALUE_BYTES = 14;
/** Records are aligned, so that they can be found by checking every aligned offset. */
const ALIGNMENT = 8;

/**
 * Random bytes that every record of a journal has. Clients decide what values hold, so bytes within a value may look
 * like a record; they cannot contain the salt, which no client knows.
 */
export type JournalSalt = Buffer;

export function createSalt(): JournalSalt {
  return randomBytes(SALT_BYTES);
}

/** Salt of journals from before records had one. */
export const NO_SALT: JournalSalt = Buffer.alloc(0);

/**
 * Encodes a batch that only adds; removals do not go into the journal. Writes to the beginning of `room` when the
 * record fits there.
 */
export function encodeRecord(salt: JournalSalt, sequence: number, batch: EngineBatch, room?: Buffer): Buffer {
  const { log, values } = batch;
  const length = lengthOfRecord(batch, salt);
  const bytes = room?.subarray(0, length) ?? Buffer.allocUnsafe(length);
  bytes.set(magicFor(salt));
  bytes.writeUInt32LE(length, 8);
  bytes.writeUIntLE(sequence, 12, 6);
  bytes.writeUInt32LE(log.length, 18);
  bytes.writeUInt32LE(values.length, 22);
  bytes.set(salt, HEADER_BYTES);
  let at = HEADER_BYTES + salt.length;
  for (const { revision, bytes: content } of log) {
    bytes.writeUIntLE(revision, at, 6);
    bytes.writeUInt32LE(content!.length, at + 6);
    bytes.set(content!, at + LOG_BYTES);
    at += LOG_BYTES + content!.length;
  }
  for (const { revision, sub, bytes: content } of values) {
    bytes.writeUIntLE(revision, at, 6);
    bytes.writeUInt32LE(sub, at + 6);
    bytes.writeUInt32LE(content!.length, at + 10);
    bytes.set(content!, at + VALUE_BYTES);
    at += VALUE_BYTES + content!.length;
  }
  bytes.fill(0, at);
  bytes.writeUInt32LE(crcOf(bytes, 8, length), 4);
  return bytes;
}

export function lengthOfRecord({ log, values }: EngineBatch, salt: JournalSalt): number {
  let length = HEADER_BYTES + salt.length;
  for (const { bytes } of log) length += LOG_BYTES + (bytes?.length ?? 0);
  for (const { bytes } of values) length += VALUE_BYTES + (bytes?.length ?? 0);
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/**
 * Finds every complete record of a segment, also after bytes that belong to none: a record that was being written at a
 * power loss, a damaged one, or a partly overwritten one of an earlier use of the segment.
 */
export function findRecords(segment: Buffer, salt: JournalSalt): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (let at = 0; at >= 0; ) {
    const record = decodeRecord(segment, at, salt);
    if (record !== undefined) records.push(record);
    at = record !== undefined ? at + record.length : nextCandidate(segment, at + ALIGNMENT, salt);
    if (at + HEADER_BYTES > segment.length) break;
  }
  return records;
}

/** Returns the records after number `last`. Throws Corrupt unless they follow it without a gap. */
export function recordsAfter(last: number, records: readonly JournalRecord[]): JournalRecord[] {
  const later = records.filter(({ sequence }) => sequence > last).sort((a, b) => a.sequence - b.sequence);
  for (const [index, { sequence }] of later.entries())
    if (sequence !== last + 1 + index) throw brokenJournal(`record ${last + 1 + index} is damaged or missing`);
  return later;
}

export function brokenJournal(problem: string): StoreError {
  return new StoreError({ code: 'Corrupt', problem: `the journal is damaged: ${problem}` });
}

/** True when a journal with salted records has written to the segment. */
export function beginsWithSaltedRecord(segment: Buffer): boolean {
  return segment.subarray(0, MAGIC.length).equals(MAGIC);
}

function magicOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function magicFor(salt: JournalSalt): Buffer {
  return salt.length === 0 ? OLD_MAGIC : MAGIC;
}

/** Returns the next offset at or after `from` where a record may begin, or -1. */
function nextCandidate(segment: Buffer, from: number, salt: JournalSalt): number {
  const magic = magicFor(salt);
  let at = segment.indexOf(magic, from);
  while (at >= 0 && at % ALIGNMENT !== 0) at = segment.indexOf(magic, at + 1);
  return at;
}

function decodeRecord(segment: Buffer, at: number, salt: JournalSalt): JournalRecord | undefined {
  const headerBytes = HEADER_BYTES + salt.length;
  if (at + headerBytes > segment.length || magicFor(salt).compare(segment, at, at + MAGIC.length) !== 0)
    return undefined;
  if (salt.compare(segment, at + HEADER_BYTES, at + headerBytes) !== 0) return undefined;
  const length = segment.readUInt32LE(at + 8);
  if (length < headerBytes || length % ALIGNMENT !== 0 || at + length > segment.length) return undefined;
  const bytes = segment.subarray(at, at + length);
  if (crcOf(bytes, 8, length) !== bytes.readUInt32LE(4)) return undefined;
  return { sequence: bytes.readUIntLE(12, 6), batch: decodeBatch(bytes, headerBytes), length };
}

function decodeBatch(bytes: Buffer, headerBytes: number): EngineBatch {
  const log: LogChange[] = [];
  const values: ValueChange[] = [];
  let at = headerBytes;
  for (let left = bytes.readUInt32LE(18); left > 0; left--) {
    const content = contentAt(bytes, at + LOG_BYTES, bytes.readUInt32LE(at + 6));
    log.push({ revision: bytes.readUIntLE(at, 6) as Revision, bytes: content });
    at += LOG_BYTES + content.length;
  }
  for (let left = bytes.readUInt32LE(22); left > 0; left--) {
    const content = contentAt(bytes, at + VALUE_BYTES, bytes.readUInt32LE(at + 10));
    values.push({ revision: bytes.readUIntLE(at, 6) as Revision, sub: bytes.readUInt32LE(at + 6), bytes: content });
    at += VALUE_BYTES + content.length;
  }
  return { log, values };
}

function contentAt(bytes: Buffer, at: number, length: number): Buffer {
  return bytes.subarray(at, at + length);
}

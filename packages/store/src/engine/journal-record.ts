import { crcOf } from '../crc.ts';
import type { Revision } from '../revision.ts';
import type { EngineBatch, LogChange, ValueChange } from './engine.ts';

/** A batch as it lies in the journal. Records are numbered without a gap. */
export interface JournalRecord {
  readonly sequence: number;
  readonly batch: EngineBatch;
  /** Where the next record begins, from this one's beginning. */
  readonly length: number;
}

const MAGIC = 0x4c4e4a50;
const HEADER_BYTES = 28;
const LOG_BYTES = 10;
const VALUE_BYTES = 14;
/** Records begin where their numbers can be found by looking at every such place. */
const ALIGNMENT = 8;

/**
 * The batch may only add: what removes is not for the journal. `room`: where there is space for the record; it is written
 * to its beginning.
 */
export function encodeRecord(sequence: number, batch: EngineBatch, room?: Buffer): Buffer {
  const { log, values } = batch;
  const length = lengthOfRecord(batch);
  const bytes = room?.subarray(0, length) ?? Buffer.allocUnsafe(length);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(length, 8);
  bytes.writeUIntLE(sequence, 12, 6);
  bytes.writeUInt32LE(log.length, 18);
  bytes.writeUInt32LE(values.length, 22);
  let at = HEADER_BYTES;
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

export function lengthOfRecord({ log, values }: EngineBatch): number {
  let length = HEADER_BYTES;
  for (const { bytes } of log) length += LOG_BYTES + (bytes?.length ?? 0);
  for (const { bytes } of values) length += VALUE_BYTES + (bytes?.length ?? 0);
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/**
 * Reads the records that follow each other from the beginning of a segment. It ends where a record is not whole, as when
 * the power failed while it was written, or is of an earlier use of the segment.
 */
export function readRecords(segment: Buffer): { readonly records: JournalRecord[]; readonly isDamaged: boolean } {
  const records: JournalRecord[] = [];
  let at = 0;
  for (;;) {
    const record = decodeRecord(segment, at);
    const last = records.at(-1);
    if (record === undefined || (last !== undefined && record.sequence !== last.sequence + 1)) break;
    records.push(record);
    at += record.length;
  }
  return { records, isDamaged: hasLaterRecord(segment, at, records.at(-1)?.sequence) };
}

/** A whole record behind one that is not: that one was whole too, for it was acknowledged before the next was written. */
function hasLaterRecord(segment: Buffer, from: number, last: number | undefined): boolean {
  if (last === undefined) return false;
  for (let at = from; at + HEADER_BYTES <= segment.length; at += ALIGNMENT)
    if ((decodeRecord(segment, at)?.sequence ?? 0) > last) return true;
  return false;
}

function decodeRecord(segment: Buffer, at: number): JournalRecord | undefined {
  if (at + HEADER_BYTES > segment.length || segment.readUInt32LE(at) !== MAGIC) return undefined;
  const length = segment.readUInt32LE(at + 8);
  if (length < HEADER_BYTES || length % ALIGNMENT !== 0 || at + length > segment.length) return undefined;
  const bytes = segment.subarray(at, at + length);
  if (crcOf(bytes, 8, length) !== bytes.readUInt32LE(4)) return undefined;
  return { sequence: bytes.readUIntLE(12, 6), batch: decodeBatch(bytes), length };
}

function decodeBatch(bytes: Buffer): EngineBatch {
  const log: LogChange[] = [];
  const values: ValueChange[] = [];
  let at = HEADER_BYTES;
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

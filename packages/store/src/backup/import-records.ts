import { yieldToEventLoop } from '@pintle/async';
import type { Engine, LogChange, ValueChange } from '../engine/engine.ts';
import { MemoryDisk, MemoryEngine } from '../engine/memory-engine.ts';
import { checksumOf, encodeChunk, type LogEntry } from '../mvcc/record.ts';
import { changeBase, EMPTY_SUPERBLOCK, readSuperblock, type Superblock, superblockChange } from '../mvcc/superblock.ts';
import type { Revision } from '../revision.ts';
import { BackupError, damaged } from './backup-error.ts';
import { type BackupRecord, MAX_REVISION } from './backup-format.ts';

export interface ImportOptions {
  /** Pages of records, each key once. */
  readonly records: AsyncIterable<readonly BackupRecord[]>;
  /** The revision at which the records were read. */
  readonly revision: Revision;
  /**
   * The store begins so many revisions later. Revisions that clients saw after the backup was taken then lie in history
   * that is gone, and are never given to other writes.
   */
  readonly bumpBy: number;
}

/** Entries of a log chunk, and bytes of values in one batch. */
const CHUNK_ENTRIES = 1024;
const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * Fills an empty engine with the state of another store at one revision: keys keep their revisions and versions, history begins
 * there. The superblock is written last: an import that is cut short leaves no store. Throws NotEmpty.
 */
export async function importRecords(engine: Engine, { records, revision, bumpBy }: ImportOptions): Promise<Revision> {
  if (readSuperblock(engine) !== undefined) throw new BackupError({ code: 'NotEmpty' });
  if (revision + bumpBy > MAX_REVISION) throw damaged(`there are no ${bumpBy} revisions after ${revision}`);
  const entries = await importValues(engine, records);
  entries.sort((a, b) => a.revision - b.revision || a.sub - b.sub);
  const last = (revision + bumpBy) as Revision;
  const base = await importLog(engine, entries);
  await engine.write({ log: [superblockChange({ ...base, compacted: last, last })], values: [] });
  return last;
}

/** Returns a disk with the state of another store at one revision, for `openMemoryStore`. */
export async function importIntoMemory(options: ImportOptions): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await importRecords(new MemoryEngine(disk), options);
  return disk;
}

/** Writes the values and returns the log entries that tell of them. */
async function importValues(engine: Engine, records: AsyncIterable<readonly BackupRecord[]>): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  /** Writes of one transaction that were met so far. */
  const subs = new Map<Revision, number>();
  let values: ValueChange[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (values.length > 0) await engine.write({ log: [], values });
    values = [];
    bytes = 0;
  };
  for await (const page of records)
    for (const record of page) {
      const sub = subs.get(record.modRevision) ?? 0;
      subs.set(record.modRevision, sub + 1);
      entries.push(entryOf(record, sub));
      values.push({ revision: record.modRevision, sub, bytes: record.value });
      bytes += record.value.length;
      if (bytes >= BATCH_BYTES || values.length >= CHUNK_ENTRIES) await flush();
    }
  await flush();
  return entries;
}

function entryOf({ key, value, modRevision, createRevision, version, expiresAt }: BackupRecord, sub: number): LogEntry {
  return {
    key,
    revision: modRevision,
    createRevision,
    sub,
    writes: 1,
    version,
    checksum: checksumOf(value),
    // The full time is not known; the store never gives a lease more than is left of it.
    lease: expiresAt === undefined ? undefined : { ttlMs: MAX_TTL_MS, expiresAt },
    held: undefined,
    heldIn: 0,
    summary: undefined,
  };
}

const MAX_TTL_MS = 2 ** 40;

/** Writes entries that are in the order of revisions as chunks of the compacted log. */
async function importLog(engine: Engine, entries: readonly LogEntry[]): Promise<Superblock> {
  let superblock = EMPTY_SUPERBLOCK;
  for (let start = 0; start < entries.length; ) {
    const end = endOfChunk(entries, start);
    const { bytes, chunk } = encodeChunk(entries.slice(start, end), 0);
    const log: LogChange[] = [{ revision: chunk.first, bytes }];
    await engine.write({ log, values: [] });
    superblock = changeBase(superblock, { added: [chunk] });
    start = end;
    await yieldToEventLoop();
  }
  return superblock;
}

/** A transaction is not split: chunks are found by their first revision. */
function endOfChunk(entries: readonly LogEntry[], start: number): number {
  let end = Math.min(start + CHUNK_ENTRIES, entries.length);
  while (end < entries.length && entries[end]!.revision === entries[end - 1]!.revision) end++;
  return end;
}

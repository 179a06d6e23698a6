import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { StoreError } from '../errors.ts';
import { FORMAT } from '../format.ts';
import type { Revision } from '../revision.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import type { Engine, EngineBatch } from './engine.ts';
import type { JournalMetadata } from './journal.ts';
import { open } from './lmdb.ts';
import { checkLmdbFile } from './lmdb-file.ts';
import { SpaceReserve } from './space-reserve.ts';

/**
 * Stores bytes in an LMDB file. Writes run on a separate thread; reads access mapped memory.
 *
 * `overlappingSync` is off: with it a write is acknowledged before it is flushed, and a failed flush is never reported.
 * Without it a commit is: data pages, fdatasync, meta page through a synchronous descriptor; then the response.
 * `noSync` and `useWritemap` must stay off.
 */
export class LmdbEngine implements Engine {
  readonly gather = 'tick';
  readonly holdsValues = false;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #log: Database<Buffer, Buffer>;
  readonly #values: Database<Buffer, Buffer>;
  readonly #position: Database<Buffer, Buffer>;
  readonly #lock: DirectoryLock;
  readonly #reserve: SpaceReserve;
  readonly #marker: string;
  #isMarked = false;
  #journaled: number;
  #journal: JournalMetadata | undefined;
  readonly #logKey = Buffer.alloc(8);
  readonly #valueKey = Buffer.alloc(12);

  /** Throws Locked when the directory is in use, Corrupt when LMDB cannot read its file. */
  static async open(directory: string): Promise<LmdbEngine> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    const lock = await lockDirectory(directory);
    let root: RootDatabase<Buffer, Buffer> | undefined;
    try {
      checkFormat(join(directory, MARKER));
      checkLmdbFile(join(directory, 'data.mdb'));
      root = open<Buffer, Buffer>({ path: directory, ...OPTIONS });
      return new LmdbEngine(directory, root, lock);
    } catch (error) {
      await root?.close();
      await lock.release();
      throw toStoreError(error, 'LMDB cannot open its file');
    }
  }

  private constructor(directory: string, root: RootDatabase<Buffer, Buffer>, lock: DirectoryLock) {
    this.#lock = lock;
    this.#root = root;
    this.#log = root.openDB({ name: 'log', ...TABLE });
    this.#values = root.openDB({ name: 'values', ...TABLE });
    this.#position = root.openDB({ name: 'position', ...TABLE });
    this.#journaled = this.#position.getBinary(POSITION)?.readUIntLE(0, 6) ?? 0;
    this.#journal = decodeMetadata(this.#position.getBinary(METADATA));
    this.#marker = join(directory, MARKER);
    this.#throwIfLost();
    this.#reserve = new SpaceReserve(directory);
    this.#reserve.allocate();
  }

  /** Number of the last journal record that is in the tables. */
  get journaled(): number {
    return this.#journaled;
  }

  /** Last metadata of the journal, if there are any. */
  get journal(): JournalMetadata | undefined {
    return this.#journal;
  }

  readValue(revision: Revision, sub: number): Uint8Array | undefined {
    try {
      return this.#values.getBinary(this.#toValueKey(revision, sub));
    } catch (error) {
      throw toStoreError(error, 'LMDB cannot read a value');
    }
  }

  scanLog(from: Revision, visit: (revision: Revision, bytes: Buffer) => boolean): void {
    try {
      for (const { key, value } of this.#log.getRange({ start: this.#floor(from) }))
        if (!visit(fromLogKey(key), value)) return;
    } catch (error) {
      throw toStoreError(error, 'LMDB cannot read the log');
    }
  }

  async write(batch: JournaledBatch): Promise<void> {
    const isUrgent = batch.reclaims === true || batch.isForDeletion === true;
    if (!batch.reclaims) this.requireRoom(sizeOf(batch), { isForDeletion: isUrgent });
    if (isUrgent) this.#releaseReserveEarly(batch);
    const error = await this.#tryWrite(batch);
    const isRoomMade = isNoSpace(error) && isUrgent && this.#reserve.release();
    const last = isRoomMade ? await this.#tryWrite(batch) : error;
    if (last !== undefined) throw last;
    this.#journaled = batch.journaled ?? this.#journaled;
    this.#journal = batch.journal ?? this.#journal;
    if (batch.reclaims && !isRoomMade) this.#reserve.allocate();
    if (batch.log.length > 0) this.#mark();
  }

  async close(): Promise<void> {
    await this.#root.close();
    await this.#lock.release();
  }

  /**
   * Throws NoSpace early. Some room must stay, or nothing could ever be removed; and LMDB must not find the disk full:
   * lmdb-js formats the error into a buffer that may be too small.
   */
  requireRoom(bytes: number, { isForDeletion }: { readonly isForDeletion: boolean }): void {
    const needed = 2 * bytes + (isForDeletion ? HELD_FOR_COMPACTION : HELD_FOR_DELETIONS);
    if (this.#reserve.hasPlentyFor(needed)) return;
    const available = this.#reserve.available() + (isForDeletion ? this.#reserve.held : 0);
    if (available < needed && available + this.#freeBytes() < needed) throw new StoreError({ code: 'NoSpace' });
  }

  /** True when the disk has this much room beyond what is held back. */
  canSpare(bytes: number): boolean {
    return this.#reserve.canSpare(bytes);
  }

  /**
   * Gives up the reserve before LMDB finds the disk full. Throws NoSpace for a batch of many removals that is larger
   * than what is left: fewer at once may fit.
   */
  #releaseReserveEarly(batch: JournaledBatch): void {
    const removals = removalsOf(batch);
    const needed = 2 * sizeOf(batch) + removals * PAGE_BYTES + HELD_FOR_COMPACTION / 2;
    if (this.#reserve.hasPlentyFor(needed) || this.#reserve.available() + this.#freeBytes() >= needed) return;
    this.#reserve.release();
    if (removals <= FEW_REMOVALS || this.#reserve.available() + this.#freeBytes() >= needed) return;
    throw new StoreError({ code: 'NoSpace' });
  }

  /** Returns the free space within the file. */
  #freeBytes(): number {
    const root = this.#root.getStats() as RootStats;
    const tables = [root.root, root.free, this.#log.getStats() as TableStats, this.#values.getStats() as TableStats];
    const used = tables.reduce((pages, table) => pages + pagesOf(table), META_PAGES);
    return (root.lastPageNumber + 1 - used) * root.root.pageSize;
  }

  async #tryWrite({ log, values, journaled, journal }: JournaledBatch): Promise<unknown> {
    try {
      const committed = this.#log.batch(() => {
        for (const { revision, sub, bytes } of values) {
          const key = this.#toValueKey(revision, sub);
          if (bytes === undefined) this.#values.remove(key);
          else this.#values.put(key, bytes as Buffer);
        }
        for (const { revision, bytes } of log) {
          const key = this.#toLogKey(revision);
          if (bytes === undefined) this.#log.remove(key);
          else this.#log.put(key, bytes as Buffer);
        }
        if (journaled !== undefined) this.#position.put(POSITION, positionBytes(journaled));
        if (journal !== undefined) this.#position.put(METADATA, encodeMetadata(journal));
      });
      await Promise.all([committed, this.#startNow()]);
      return undefined;
    } catch (error) {
      return writeFailure(error, this.#reserve);
    }
  }

  /**
   * Starts the flush now. lmdb-js would hand the batch to its thread after the current turn of the event loop. It does
   * so at once when more than `txnStartThreshold` writes wait, so one more that changes nothing starts it while this
   * thread goes on.
   */
  #startNow(): Promise<unknown> {
    return this.#log.remove(NO_KEY);
  }

  /** Returns the key of the last log entry at or before `from`, or of `from` itself without one. */
  #floor(from: Revision): Buffer {
    const start = Buffer.from(this.#toLogKey(from));
    for (const key of this.#log.getKeys({ start, reverse: true, limit: 1 })) return key;
    return start;
  }

  /** Throws when a directory that held a store has an empty log. */
  #throwIfLost(): void {
    if (this.#log.getKeysCount({ limit: 1 }) === 0 && existsSync(this.#marker))
      throw new StoreError({ code: 'Corrupt', problem: 'the directory held a store, but the log is empty' });
  }

  /** Marks, outside of LMDB's file, that there is something in it, and in which format. */
  #mark(): void {
    if (this.#isMarked) return;
    if (!existsSync(this.#marker)) writeFileSync(this.#marker, `format ${FORMAT}\n`, { mode: 0o600 });
    this.#isMarked = true;
  }

  #toLogKey(revision: Revision): Buffer {
    return writeRevision(this.#logKey, revision);
  }

  #toValueKey(revision: Revision, sub: number): Buffer {
    writeRevision(this.#valueKey, revision).writeUInt32BE(sub, 8);
    return this.#valueKey;
  }
}

/** A batch with the number of the last journal record that it contains. */
interface JournaledBatch extends EngineBatch {
  readonly journaled?: number;
  readonly journal?: JournalMetadata | undefined;
}

const MARKER = 'created';

/** Throws NewerFormat before anything of a newer version is read or changed. An empty marker stands for format 1. */
function checkFormat(marker: string): void {
  const text = existsSync(marker) ? readFileSync(marker, 'latin1') : '';
  const format = Number(/^format (\d{1,9})\n/.exec(text)?.[1] ?? 1);
  if (format > FORMAT) throw new StoreError({ code: 'NewerFormat', format, supported: FORMAT });
}

const POSITION = Buffer.from([1]);
const METADATA = Buffer.from([2]);
const SALT_BYTES = 8;
const SIZE_BYTES = 6;

function encodeMetadata({ salt, segmentBytes }: JournalMetadata): Buffer {
  const bytes = Buffer.alloc(SALT_BYTES + segmentBytes.length * SIZE_BYTES);
  salt.copy(bytes);
  for (const [i, size] of segmentBytes.entries()) bytes.writeUIntLE(size, SALT_BYTES + i * SIZE_BYTES, SIZE_BYTES);
  return bytes;
}

function decodeMetadata(bytes: Buffer | undefined): JournalMetadata | undefined {
  if (bytes === undefined) return undefined;
  const segmentBytes: number[] = [];
  for (let at = SALT_BYTES; at + SIZE_BYTES <= bytes.length; at += SIZE_BYTES)
    segmentBytes.push(bytes.readUIntLE(at, SIZE_BYTES));
  return { salt: Buffer.from(bytes.subarray(0, SALT_BYTES)), segmentBytes };
}

function positionBytes(journaled: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntLE(journaled, 0, 6);
  return bytes;
}

interface TableStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface RootStats {
  readonly lastPageNumber: number;
  readonly root: TableStats;
  readonly free: TableStats;
}

const META_PAGES = 2;
/** Bytes that a removal copies at most: its page. */
const PAGE_BYTES = 4096;
/** Number of removals that are tried with whatever space is left. */
const FEW_REMOVALS = 8;

/**
 * Space that other writes leave free, and that deletions leave free; below that only compaction goes on. On top of the
 * first comes the reserve, which only deletions and compaction may use.
 */
const HELD_FOR_DELETIONS = SpaceReserve.bytes;
const HELD_FOR_COMPACTION = SpaceReserve.bytes / 2;

function pagesOf(table: TableStats): number {
  return table.treeBranchPageCount + table.treeLeafPageCount + table.overflowPages;
}

function removalsOf({ log, values }: EngineBatch): number {
  let removals = 0;
  for (const { bytes } of log) if (bytes === undefined) removals++;
  for (const { bytes } of values) if (bytes === undefined) removals++;
  return removals;
}

function sizeOf({ log, values }: EngineBatch): number {
  let bytes = 0;
  for (const change of log) bytes += change.bytes?.length ?? 0;
  for (const change of values) bytes += change.bytes?.length ?? 0;
  return bytes;
}

const OPTIONS = {
  overlappingSync: false,
  eventTurnBatching: false,
  txnStartThreshold: 1,
  noSubdir: false,
  maxDbs: 4,
  permissionsMode: 0o600,
  encoding: 'binary',
  keyEncoding: 'binary',
} as const;

/** A key that is shorter than any in the tables. */
const NO_KEY = Buffer.from([0]);

const TABLE = { encoding: 'binary', keyEncoding: 'binary' } as const;

function writeRevision(key: Buffer, revision: Revision): Buffer {
  key.writeUInt32BE(Math.floor(revision / 0x1_0000_0000), 0);
  key.writeUInt32BE(revision >>> 0, 4);
  return key;
}

function fromLogKey(key: Buffer): Revision {
  return (key.readUInt32BE(0) * 0x1_0000_0000 + key.readUInt32BE(4)) as Revision;
}

/**
 * Returns the error of a rejected batch. lmdb-js has the cause in a promise beside the error.
 *
 * LMDB reports a partly written data page as an I/O error; with the disk full that is a lack of space too. Either way
 * the transaction was aborted before its meta page, so nothing of it was applied. Had the meta page failed, LMDB would
 * refuse all further transactions.
 */
async function writeFailure(error: unknown, reserve: SpaceReserve): Promise<unknown> {
  const pending = (error as { commitError?: Promise<never> }).commitError;
  const cause: unknown = pending === undefined ? error : await pending.catch((reason: unknown) => reason);
  const { code } = cause as { code?: unknown };
  const isFull = NO_SPACE_CODES.has(code) || (code === EIO && reserve.isScarce());
  return isFull ? new StoreError({ code: 'NoSpace' }, { cause }) : cause;
}

const EIO = 5;
/** ENOSPC, EFBIG, EDQUOT and MDB_MAP_FULL. */
const NO_SPACE_CODES: ReadonlySet<unknown> = new Set([28, 27, 122, -30792]);

function isNoSpace(error: unknown): boolean {
  return error instanceof StoreError && error.failure.code === 'NoSpace';
}

function toStoreError(error: unknown, problem: string): StoreError {
  if (error instanceof StoreError) return error;
  const detail = error instanceof Error ? `${problem}: ${error.message}` : problem;
  return new StoreError({ code: 'Corrupt', problem: detail }, { cause: error });
}

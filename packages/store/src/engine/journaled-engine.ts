import type { Timer } from '@pintle/async';
import { realClock } from '@pintle/async';
import { StoreError } from '../errors.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import type { Engine, EngineBatch } from './engine.ts';
import { Journal, MAX_RECORD_BYTES } from './journal.ts';
import type { JournalRecord, JournalSalt } from './journal-record.ts';
import { createSalt, encodeRecord, lengthOfRecord } from './journal-record.ts';
import { LmdbEngine } from './lmdb-engine.ts';
import { MemoryDisk } from './memory-engine.ts';

/** Delay before the journal is flushed into the tables, unless half a segment is full earlier. */
const CHECKPOINT_MS = 200;
const CHECKPOINT_SHARE = 0.5;
const ROOM_BYTES = 64 * 1024;

/**
 * LMDB with a journal in front of it. LMDB syncs twice for a commit, and writes every page on the way to a change; the
 * journal writes the change once, and a batch is durable. The content of the journal is flushed into the tables
 * together, a few times a second; until then it is read from memory, and after a crash from the journal.
 *
 *     write ──► journal ──► (durable) ──► pending ──► flushing ──► tables, with the number of the last record in them
 *
 * Batches that remove something, or are too long, go straight into the tables when nothing is pending before them.
 */
export class JournaledEngine implements Engine {
  readonly gather = 'tick';
  readonly holdsValues = false;
  readonly #tables: LmdbEngine;
  readonly #journal: Journal;
  readonly #salt: JournalSalt;
  /** Buffer in which records are encoded, one at a time. */
  readonly #room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  /** Number of the last durable record. */
  #sequence: number;
  #pending = new Pending();
  #flushing: Pending | undefined;
  #checkpoint: Promise<void> | undefined;
  #timer: Timer | undefined;
  #failure: { readonly error: unknown } | undefined;

  private constructor(tables: LmdbEngine, journal: Journal, sequence: number) {
    this.#tables = tables;
    this.#journal = journal;
    this.#salt = tables.journal?.salt ?? createSalt();
    this.#sequence = sequence;
  }

  /** Throws Locked when the directory is in use, Corrupt when its files are not what was written. */
  static async open(directory: string): Promise<JournaledEngine> {
    const tables = await LmdbEngine.open(directory);
    let journal: Journal | undefined;
    try {
      const opened = await Journal.open(directory, tables.journaled, tables.journal);
      journal = opened.journal;
      const engine = new JournaledEngine(tables, journal, tables.journaled);
      await engine.#replay(opened.records);
      await engine.#storeSizes();
      return engine;
    } catch (error) {
      await journal?.close();
      await tables.close();
      throw error;
    }
  }

  readValue(revision: Revision, sub: number): Uint8Array | undefined {
    return (
      this.#pending.disk.values.get(revision)?.get(sub) ??
      this.#flushing?.disk.values.get(revision)?.get(sub) ??
      this.#tables.readValue(revision, sub)
    );
  }

  scanLog(from: Revision, visit: (revision: Revision, bytes: Buffer) => boolean): void {
    const { superblock, chunks } = this.#newLog();
    const firstNew = chunks[0]?.[0] ?? Number.POSITIVE_INFINITY;
    let isWanted = true;
    let isEmpty = true;
    if (from < firstNew) {
      this.#tables.scanLog(from, (revision, bytes) => {
        isEmpty = false;
        // During a flush, chunks may be in both places.
        if (revision >= firstNew) return false;
        isWanted = visit(revision, revision === FIRST_REVISION && superblock !== undefined ? superblock : bytes);
        return isWanted;
      });
      if (isEmpty && superblock !== undefined) isWanted = visit(FIRST_REVISION, superblock);
    }
    const start = Math.max(
      0,
      chunks.findLastIndex(([revision]) => revision <= from),
    );
    for (let i = start; isWanted && i < chunks.length; i++) isWanted = visit(...chunks[i]!);
  }

  async write(batch: EngineBatch): Promise<void> {
    this.#refuseAfterFailure();
    const length = lengthOfRecord(batch, this.#salt);
    if (removes(batch) || length > MAX_RECORD_BYTES) {
      await this.#flushAll(batch.reclaims === true);
      await this.#tables.write({ ...batch, journaled: this.#sequence });
      return;
    }
    // The journal's content must fit into the tables later.
    const { isForDeletion = false } = batch;
    this.#tables.requireRoom(this.#pending.bytes + (this.#flushing?.bytes ?? 0) + length, { isForDeletion });
    if (!this.#journal.fits(length)) await this.#switchSegment(length);
    const room = length <= this.#room.length ? this.#room : undefined;
    await this.#journal.append(this.#sequence + 1, encodeRecord(this.#salt, this.#sequence + 1, batch, room));
    this.#sequence++;
    this.#pending.add(this.#sequence, batch, length);
    if (this.#pending.bytes >= this.#journal.segmentBytes * CHECKPOINT_SHARE) this.#startCheckpoint();
    else this.#timer ??= realClock.setTimer(CHECKPOINT_MS, () => this.#startCheckpoint());
  }

  /** Closes the engine. Records that cannot be flushed now are safe in the journal. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    if (this.#failure === undefined) await this.#flushAll(false).catch(() => {});
    await this.#checkpoint;
    await this.#journal.close();
    await this.#tables.close();
  }

  /** Flushes the records that a crash has left in the journal. */
  async #replay(records: readonly JournalRecord[]): Promise<void> {
    for (const { sequence, batch, length } of records) {
      this.#sequence = sequence;
      this.#pending.add(sequence, batch, length);
    }
    await this.#flushAll(true);
  }

  async #switchSegment(length: number): Promise<void> {
    if (this.#journal.lastOfOther > this.#tables.journaled) await this.#flushAll(false);
    await this.#journal.switchSegment(length, { isGrowing: this.#tables.canSpare(MAX_RECORD_BYTES) });
    await this.#storeSizes();
  }

  /**
   * Stores the sizes of the segments in the tables before they are written, so that a truncated segment is detected
   * later.
   */
  async #storeSizes(): Promise<void> {
    const { sizes } = this.#journal;
    const known = this.#tables.journal?.segmentBytes ?? [];
    if (known.length === sizes.length && sizes.every((size, i) => size <= known[i]!)) return;
    await this.#checkpoint;
    const journal = { salt: this.#salt, segmentBytes: sizes };
    this.#checkpoint = this.#tables.write({ log: [], values: [], journal, reclaims: true }).finally(() => {
      this.#checkpoint = undefined;
    });
    await this.#checkpoint;
  }

  /** Resolves when everything that is in the journal now is in the tables too. */
  async #flushAll(reclaims: boolean): Promise<void> {
    await this.#checkpoint;
    if (!this.#pending.isEmpty) await this.#flush(reclaims);
  }

  #startCheckpoint(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#checkpoint !== undefined || this.#pending.isEmpty || this.#failure !== undefined) return;
    // A lack of space is reported to the writer that finds no room in the journal.
    this.#checkpoint = this.#flush(false)
      .catch(() => {})
      .finally(() => {
        this.#checkpoint = undefined;
      });
  }

  async #flush(reclaims: boolean): Promise<void> {
    this.#refuseAfterFailure();
    const flushing = this.#pending;
    this.#pending = new Pending();
    this.#flushing = flushing;
    try {
      // Acknowledged writes may use the space that is held back: their room was checked before.
      await this.#tables.write({ ...flushing.toBatch(), journaled: flushing.last, reclaims, isForDeletion: true });
    } catch (error) {
      if (!(error instanceof StoreError && error.failure.code === 'NoSpace')) this.#failure = { error };
      flushing.append(this.#pending);
      this.#pending = flushing;
      throw error;
    } finally {
      this.#flushing = undefined;
    }
  }

  #newLog(): { readonly superblock: Buffer | undefined; readonly chunks: [Revision, Buffer][] } {
    const all = [...(this.#flushing?.disk.log ?? []), ...this.#pending.disk.log];
    const superblock = all.findLast(([revision]) => revision === FIRST_REVISION)?.[1];
    return { superblock, chunks: all.filter(([revision]) => revision !== FIRST_REVISION) };
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Batches that are durable in the journal and not in the tables yet. */
class Pending {
  readonly disk = new MemoryDisk();
  bytes = 0;
  last = 0;

  get isEmpty(): boolean {
    return this.last === 0;
  }

  add(sequence: number, batch: EngineBatch, bytes: number): void {
    this.disk.apply(batch);
    this.bytes += bytes;
    this.last = sequence;
  }

  append(later: Pending): void {
    if (!later.isEmpty) this.add(later.last, later.toBatch(), later.bytes);
  }

  toBatch(): EngineBatch {
    const { log, values } = this.disk;
    return {
      log: log.map(([revision, bytes]) => ({ revision, bytes })),
      values: [...values].flatMap(([revision, subs]) => [...subs].map(([sub, bytes]) => ({ revision, sub, bytes }))),
    };
  }
}

function removes({ log, values, reclaims }: EngineBatch): boolean {
  const isRemoval = ({ bytes }: { readonly bytes: Uint8Array | undefined }): boolean => bytes === undefined;
  return reclaims === true || log.some(isRemoval) || values.some(isRemoval);
}

import { constants, write } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import type { JournalRecord, JournalSalt } from './journal-record.ts';
import { beginsWithSaltedRecord, brokenJournal, findRecords, NO_SALT, recordsAfter } from './journal-record.ts';

/** Records that are longer bypass the journal. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
const GROWTH = 4;
const SEGMENTS = 2;

/** Metadata of the journal that the tables keep, by which a damaged journal is detected. */
export interface JournalMetadata {
  readonly salt: JournalSalt;
  /** Minimum length of each segment that was written to. */
  readonly segmentBytes: readonly number[];
}

/**
 * A file of records, each durable when `append` resolves: one write into preallocated space, which is all that a disk
 * has to do. There are two segments; while one is written, the other is flushed into the tables.
 */
export class Journal {
  readonly #segments: readonly Segment[];
  #active = 0;

  private constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  /**
   * Opens the journal and returns the records after number `last`. Throws Corrupt when one of them is damaged or
   * missing although a later one is there, or when a segment is shorter than `metadata` has it. `metadata` is undefined for a
   * new journal.
   *
   * A damaged last record cannot be distinguished from one that was being written at a power loss, which was never
   * acknowledged: it is ignored.
   */
  static async open(
    directory: string,
    last: number,
    metadata: JournalMetadata | undefined,
  ): Promise<{ readonly journal: Journal; readonly records: JournalRecord[] }> {
    const segments: Segment[] = [];
    try {
      for (let i = 0; i < SEGMENTS; i++) segments.push(await Segment.open(join(directory, `journal.${i}`)));
      if (segments.some(({ bytes }) => bytes === 0)) await syncDirectory(directory);
      const found: JournalRecord[] = [];
      for (const [i, segment] of segments.entries()) {
        for (const record of await segment.read(metadata, i)) found.push(record);
      }
      return { journal: new Journal(segments), records: recordsAfter(last, found) };
    } catch (error) {
      for (const segment of segments) await segment.close();
      throw error;
    }
  }

  /** Sizes of the segments, in order. */
  get sizes(): readonly number[] {
    return this.#segments.map(({ bytes }) => bytes);
  }

  /** Size of the active segment. */
  get segmentBytes(): number {
    return this.#current.bytes;
  }

  /** Number of the last record of the other segment, which is overwritten next: it must not be needed by then. */
  get lastOfOther(): number {
    return this.#other.last;
  }

  fits(length: number): boolean {
    return this.#current.fits(length);
  }

  /** Resolves when the record is durable. `record` must not change until then. */
  append(sequence: number, record: Buffer): Promise<void> {
    return this.#current.append(sequence, record);
  }

  /** Continues at the beginning of the other segment, and grows it when there is plenty of space. */
  async switchSegment(length: number, { isGrowing }: { readonly isGrowing: boolean }): Promise<void> {
    await this.#other.begin(length, Math.max(isGrowing ? this.#current.bytes * GROWTH : 0, FIRST_BYTES));
    this.#active = (this.#active + 1) % SEGMENTS;
  }

  async close(): Promise<void> {
    for (const segment of this.#segments) await segment.close();
  }

  get #current(): Segment {
    return this.#segments[this.#active]!;
  }

  get #other(): Segment {
    return this.#segments[(this.#active + 1) % SEGMENTS]!;
  }
}

/** Syncs the directory, which makes a new file durable. Some systems cannot open directories. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

class Segment {
  readonly #file: FileHandle;
  readonly #path: string;
  bytes: number;
  #at = 0;
  /** Number of the last record that was written here. */
  last = 0;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.#path = path;
    this.#file = file;
    this.bytes = bytes;
  }

  static async open(path: string): Promise<Segment> {
    const { O_RDWR, O_CREAT } = constants;
    const file = await open(path, O_RDWR | O_CREAT | (SYNCHRONOUS ?? 0), 0o600);
    const { size } = await file.stat();
    return new Segment(path, file, size);
  }

  fits(length: number): boolean {
    return this.#at + length <= this.bytes;
  }

  /** Returns all complete records, also those of earlier uses. */
  async read(metadata: JournalMetadata | undefined, index: number): Promise<JournalRecord[]> {
    const expected = metadata?.segmentBytes[index] ?? 0;
    if (this.bytes < expected) throw brokenJournal(`${this.#path} has ${this.bytes} bytes instead of ${expected}`);
    const bytes = Buffer.alloc(this.bytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    if (metadata === undefined && beginsWithSaltedRecord(bytes))
      throw brokenJournal(`the tables that ${this.#path} belongs to are gone`);
    return findRecords(bytes, metadata?.salt ?? NO_SALT);
  }

  /** Fills the space with zeros once, so that later writes change nothing but these bytes. */
  async begin(length: number, wantedBytes: number): Promise<void> {
    this.#at = 0;
    const wanted = Math.min(Math.max(wantedBytes, length), MAX_RECORD_BYTES);
    if (wanted <= this.bytes) return;
    try {
      await this.#write(Buffer.alloc(wanted - this.bytes), this.bytes);
      await this.#file.sync();
      this.bytes = wanted;
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      if (length > this.bytes) throw new StoreError({ code: 'NoSpace' }, { cause: error });
    }
  }

  async append(sequence: number, record: Buffer): Promise<void> {
    await this.#write(record, this.#at);
    if (SYNCHRONOUS === undefined) await this.#file.datasync();
    this.#at += record.length;
    this.last = sequence;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += await new Promise<number>((resolve, reject) => {
        write(this.#file.fd, bytes, done, bytes.length - done, position + done, (error, written) => {
          if (error) reject(error);
          else resolve(written);
        });
      });
    }
  }
}

/** Writes return when they are on the disk. Some systems lack the flag. */
const SYNCHRONOUS = constants.O_DSYNC as number | undefined;

function isNoSpace(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

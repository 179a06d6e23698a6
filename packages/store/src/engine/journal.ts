import { constants, write } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import type { JournalRecord, JournalSalt } from './journal-record.ts';
import { beginsWithSaltedRecord, brokenJournal, findRecords, NO_SALT, recordsAfter } from './journal-record.ts';

/** A record that is longer does not go into the journal. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
const GROWTH = 4;
const SEGMENTS = 2;

/** The tables' record of the journal, by which a journal that lost something is noticed. */
export interface JournalFacts {
  readonly salt: JournalSalt;
  /** A segment that is written to has at least so many bytes. */
  readonly segmentBytes: readonly number[];
}

/**
 * A file of records, each on the disk for good when `append` resolves: one write into room that is already there, which
 * is all a disk has to do. There are two segments; while one is written to, the other is emptied into the tables.
 */
export class Journal {
  readonly #segments: readonly Segment[];
  #active = 0;

  private constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  /**
   * Gives the records after number `last`. Throws Corrupt when one of them is damaged or missing though a later one is
   * there, or when a segment is shorter than `facts` says. `facts` is undefined for a journal that has none yet.
   *
   * A damaged last record cannot be told from one that was being written when the power failed, which nobody was
   * promised: it does not count.
   */
  static async open(
    directory: string,
    last: number,
    facts: JournalFacts | undefined,
  ): Promise<{ readonly journal: Journal; readonly records: JournalRecord[] }> {
    const segments: Segment[] = [];
    try {
      for (let i = 0; i < SEGMENTS; i++) segments.push(await Segment.open(join(directory, `journal.${i}`)));
      if (segments.some(({ bytes }) => bytes === 0)) await syncDirectory(directory);
      const found: JournalRecord[] = [];
      for (const [i, segment] of segments.entries()) {
        for (const record of await segment.read(facts, i)) found.push(record);
      }
      return { journal: new Journal(segments), records: recordsAfter(last, found) };
    } catch (error) {
      for (const segment of segments) await segment.close();
      throw error;
    }
  }

  /** How large the segments are, in order. */
  get sizes(): readonly number[] {
    return this.#segments.map(({ bytes }) => bytes);
  }

  /** How much the segment takes that is written to. */
  get segmentBytes(): number {
    return this.#current.bytes;
  }

  /** The last record of the segment that would be written to next: it must not be needed any more by then. */
  get nextHolds(): number {
    return this.#other.last;
  }

  fits(length: number): boolean {
    return this.#current.fits(length);
  }

  /** `record` must stay as it is until then. */
  append(sequence: number, record: Buffer): Promise<void> {
    return this.#current.append(sequence, record);
  }

  /** Goes on in the other segment, from its beginning, and with more room when there is plenty. */
  async turnOver(length: number, { isGrowing }: { readonly isGrowing: boolean }): Promise<void> {
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

/** A new file is there for good only when its directory is. Some systems do not let directories be opened. */
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
  /** The number of the record that was written here last. */
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

  /** All whole records, also those of earlier uses. */
  async read(facts: JournalFacts | undefined, place: number): Promise<JournalRecord[]> {
    const expected = facts?.segmentBytes[place] ?? 0;
    if (this.bytes < expected) throw brokenJournal(`${this.#path} has ${this.bytes} bytes instead of ${expected}`);
    const bytes = Buffer.alloc(this.bytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    if (facts === undefined && beginsWithSaltedRecord(bytes))
      throw brokenJournal(`the tables that ${this.#path} belongs to are gone`);
    return findRecords(bytes, facts?.salt ?? NO_SALT);
  }

  /** The room is written once with nothing in it: taking it up later changes nothing but these bytes. */
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

/** Writes return when they are on the disk. Some systems have no such files. */
const SYNCHRONOUS = constants.O_DSYNC as number | undefined;

function isNoSpace(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

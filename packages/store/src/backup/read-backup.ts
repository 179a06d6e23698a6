import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toRevision } from '../revision.ts';
import { BackupError, damaged } from './backup-error.ts';
import {
  type BackupEnd,
  type BackupHeader,
  type BackupRecord,
  decodeRecords,
  FORMAT_VERSION,
  MAGIC,
  MAX_FRAME_BYTES,
  MAX_JSON_BYTES,
  MAX_REVISION,
} from './backup-format.ts';

const DIGEST_BYTES = 32;

/**
 * Reads a backup once, from its beginning to its end. What `records` yields is only known to be complete when it ends: a caller
 * that acts on it either reads the whole backup before, or drops what it made when this throws.
 */
export class BackupReader {
  readonly header: BackupHeader;
  readonly #bytes: ByteReader;
  #end: BackupEnd | undefined;

  private constructor(header: BackupHeader, bytes: ByteReader) {
    this.header = header;
    this.#bytes = bytes;
  }

  /** Reads the header. Throws BackupError for something else than a backup, or one that is newer, and what the source throws. */
  static async open(source: AsyncIterable<Uint8Array>): Promise<BackupReader> {
    const bytes = new ByteReader(source);
    const magic = await bytes.take(MAGIC.length).catch((error: unknown) => {
      if (error instanceof BackupError) return undefined;
      throw error;
    });
    if (magic === undefined || !magic.equals(MAGIC)) throw new BackupError({ code: 'NotABackup' });
    const json = await bytes.take(await bytes.length(MAX_JSON_BYTES));
    if ((await bytes.uint32()) !== crc32(json)) throw damaged('the checksum of its header is wrong');
    return new BackupReader(readHeader(json), bytes);
  }

  /** Known once `records` has ended. */
  get end(): BackupEnd | undefined {
    return this.#end;
  }

  async *records(): AsyncGenerator<BackupRecord[]> {
    const order = new RecordOrder(this.header);
    let crc = 0;
    for (;;) {
      const length = await this.#bytes.length(MAX_FRAME_BYTES);
      if (length === 0) break;
      const expected = await this.#bytes.uint32();
      const frame = await this.#bytes.take(length);
      crc = crc32(frame, crc);
      if (crc !== expected) throw damaged('the checksum of some records is wrong');
      const records = decodeRecords(frame);
      order.check(records);
      yield records;
    }
    const end = readEnd(await this.#bytes.take(await this.#bytes.length(MAX_JSON_BYTES)));
    const digest = this.#bytes.digest();
    if (!(await this.#bytes.take(DIGEST_BYTES)).equals(digest)) throw damaged('its digest is wrong');
    if (end.records !== order.count) throw damaged(`it has ${order.count} records instead of ${end.records}`);
    if (!(await this.#bytes.isAtEnd())) throw damaged('something follows its end');
    this.#end = end;
  }
}

/** Checks that records are in key order, each once, and of revisions that the store had reached. */
class RecordOrder {
  readonly #revision: number;
  #last: Buffer | undefined;
  count = 0;

  constructor({ revision }: BackupHeader) {
    this.#revision = revision;
  }

  check(records: readonly BackupRecord[]): void {
    for (const { key, modRevision, createRevision, version, expiresAt = 0 } of records) {
      const bytes = Buffer.from(key);
      if (this.#last !== undefined && Buffer.compare(this.#last, bytes) >= 0)
        throw damaged('its keys are not in order');
      const isPossible = createRevision >= 1 && createRevision <= modRevision && modRevision <= this.#revision;
      if (!isPossible || version < 1) throw damaged(`the revisions of ${JSON.stringify(key)} are impossible`);
      if (!Number.isFinite(expiresAt)) throw damaged(`the end of ${JSON.stringify(key)} is no time`);
      this.#last = bytes;
      this.count++;
    }
  }
}

/** Checksums show what was spoilt, not who wrote it: each field must have its type. */
function readHeader(json: Buffer): BackupHeader {
  const { version, revision, writtenAt, sealedWith } = parse(json);
  if (!isCount(version)) throw damaged('its header has no format');
  if (version > FORMAT_VERSION) throw new BackupError({ code: 'Newer', version, known: FORMAT_VERSION });
  const isTime = typeof writtenAt === 'string' && RFC_3339.test(writtenAt);
  if (!isCount(revision) || revision > MAX_REVISION || !isTime || !areTexts(sealedWith))
    throw damaged('its header is malformed');
  return { version, revision: toRevision(revision), writtenAt, sealedWith };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT[\d:.]{1,30}Z$/;

function readEnd(json: Buffer): BackupEnd {
  const { records, damagedKeys } = parse(json);
  if (!isCount(records) || !areTexts(damagedKeys)) throw damaged('its end is malformed');
  return { records, damagedKeys };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function parse(json: Buffer): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(json.toString()));
  } catch (cause) {
    throw new BackupError({ code: 'Damaged', problem: 'its header or end is not JSON' }, { cause });
  }
}

/** Takes so many bytes at a time from chunks of any size, and digests what was taken. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw new BackupError({ code: 'Incomplete' });
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    const taken = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#hash.update(taken);
    return taken;
  }

  async uint32(): Promise<number> {
    return (await this.take(4)).readUInt32LE();
  }

  /** Reads a length. Throws Damaged when it is more than `max`, before anything of that size is held. */
  async length(max: number): Promise<number> {
    const length = await this.uint32();
    if (length > max) throw damaged(`a part of ${length} bytes is longer than any that is written`);
    return length;
  }

  /** Returns the digest of what was taken so far. */
  digest(): Buffer {
    return this.#hash.copy().digest();
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#fill());
  }

  /** Fetches the next chunk that is not empty; false at the end. */
  async #fill(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#source.next();
      if (done) return false;
      if (value.length === 0) continue;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      return true;
    }
  }
}

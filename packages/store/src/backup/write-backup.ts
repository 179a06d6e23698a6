import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StoreError } from '../errors.ts';
import { keyAfter } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { Store, StoreRecord, ValueSeal } from '../store.ts';
import {
  type BackupEnd,
  type BackupHeader,
  type BackupRecord,
  encodeRecords,
  FORMAT_VERSION,
  MAGIC,
} from './backup-format.ts';

export interface BackupOptions {
  /** Seals values in the backup as they are sealed in the store. Default: values are written as they are. */
  readonly seal?: ValueSeal;
  /** Identifies the keys of `seal`. */
  readonly sealedWith?: readonly string[];
  readonly now: Date;
  readonly signal?: AbortSignal;
}

const PAGE_BYTES = 2 * 1024 * 1024;
const PAGE_RECORDS = 5_000;
const MAX_NAMED_DAMAGED = 100;

/**
 * Yields the bytes of a backup of a running store, at the revision that is the latest when it begins. Records that cannot be
 * read are left out and named at the end. Throws Compacted when history ends faster than the backup is taken.
 */
export async function* writeBackup(store: Store, options: BackupOptions): AsyncGenerator<Uint8Array> {
  const revision = await store.latest();
  const digest = createHash('sha256');
  const measured = (bytes: Buffer): Buffer => {
    digest.update(bytes);
    return bytes;
  };
  yield measured(encodeHeader(headerOf(revision, options)));
  let crc = 0;
  let records = 0;
  const damagedKeys: string[] = [];
  for await (const page of pagesOf(store, revision, options, damagedKeys)) {
    const bytes = encodeRecords(page);
    crc = crc32(bytes, crc);
    records += page.length;
    yield measured(Buffer.concat([uint32(bytes.length), uint32(crc), bytes]));
  }
  yield measured(encodeEnd({ records, damagedKeys }));
  yield digest.digest();
}

function headerOf(revision: Revision, { now, sealedWith = [] }: BackupOptions): BackupHeader {
  return { version: FORMAT_VERSION, revision, writtenAt: now.toISOString(), sealedWith };
}

async function* pagesOf(
  store: Store,
  revision: Revision,
  { seal, signal }: BackupOptions,
  damagedKeys: string[],
): AsyncGenerator<BackupRecord[]> {
  const expirations = await store.expirations();
  const onDamaged = ({ failure }: StoreError): void => {
    const isNamed = failure.code === 'Corrupt' && failure.key !== undefined;
    if (isNamed && damagedKeys.length < MAX_NAMED_DAMAGED) damagedKeys.push(failure.key);
  };
  for (let start = '', more = true; more; ) {
    signal?.throwIfAborted();
    const page = await store.range({ start }, { revision, limit: PAGE_RECORDS, maxBytes: PAGE_BYTES, onDamaged });
    if (page.records.length > 0) yield page.records.map((record) => sealed(record, expirations.get(record.key), seal));
    more = page.more;
    const last = page.records.at(-1);
    if (more && last === undefined) throw new StoreError({ code: 'Corrupt', problem: 'a page has no records' });
    if (last !== undefined) start = keyAfter(last.key);
  }
}

function sealed(record: StoreRecord, expiresAt: number | undefined, seal: ValueSeal | undefined): BackupRecord {
  const { key, value, modRevision, createRevision, version } = record;
  return { key, value: seal?.seal(key, value) ?? value, modRevision, createRevision, version, expiresAt };
}

function encodeHeader(header: BackupHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  return Buffer.concat([MAGIC, uint32(json.length), json, uint32(crc32(json))]);
}

function encodeEnd(end: BackupEnd): Buffer {
  const json = Buffer.from(JSON.stringify(end));
  return Buffer.concat([uint32(0), uint32(json.length), json]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Revision, type StoreLayout, toRevision } from '@pintle/store';
import type { BackupRecord } from '@pintle/store/backup';
import { KeySpace } from '../key-space.ts';
import { message } from '../rpc/message.ts';
import { KeyValue } from '../rpc/messages.ts';
import { BoltFile } from './bolt-file.ts';
import { EtcdSnapshotError } from './snapshot-error.ts';

export interface EtcdSnapshotOptions {
  /** Prefix of the keys to read, which ends in `/`. */
  readonly prefix: string;
  /** Keys and values as they lie in etcd. */
  readonly layout: StoreLayout;
  /** Time from which leases last, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The newest version of every key under a prefix. */
export interface EtcdSnapshot {
  readonly revision: Revision;
  readonly records: readonly BackupRecord[];
  /** Keys whose values cannot be read, with the reasons; they are left out. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** The digest that etcd appends to the database, whose size is a multiple of a page. */
const DIGEST_BYTES = 32;
const MIN_PAGE_BYTES = 512;
/** `revision _ sub`, big-endian, and `t` where the key was deleted. */
const REVISION_BYTES = 17;
const TOMBSTONE = 0x74;
const Lease = message({ id: [1, 'id'], ttl: [2, 'int64'], remainingTtl: [3, 'int64'] });

/**
 * Reads a snapshot that `etcdctl snapshot save` wrote, without an etcd. Its digest is checked first. Throws EtcdSnapshotError when the
 * file is incomplete, damaged, or something else. Holds the newest values in memory.
 */
export async function readEtcdSnapshot(path: string, options: EtcdSnapshotOptions): Promise<EtcdSnapshot> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new EtcdSnapshotError(error.code === 'ENOENT' ? `there is no file ${path}` : error.message, { cause: error });
  });
  try {
    const size = await checkDigest(path, file);
    return await readRecords(await BoltFile.open(file, size), options);
  } finally {
    await file.close();
  }
}

/** Returns the size of the database. */
async function checkDigest(path: string, file: FileHandle): Promise<number> {
  const size = (await file.stat()).size - DIGEST_BYTES;
  if (size < MIN_PAGE_BYTES) throw new EtcdSnapshotError('it is too short');
  if (size % MIN_PAGE_BYTES !== 0)
    throw new EtcdSnapshotError(
      size % MIN_PAGE_BYTES === MIN_PAGE_BYTES - DIGEST_BYTES
        ? 'it has no digest at its end: it is the database of a member, not a snapshot. Take one with etcdctl snapshot save'
        : 'its end is missing',
    );
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: size - 1 })) digest.update(chunk);
  const { buffer } = await file.read(Buffer.alloc(DIGEST_BYTES), 0, DIGEST_BYTES, size);
  if (!digest.digest().equals(buffer)) throw new EtcdSnapshotError('its digest is wrong: it is damaged or incomplete');
  return size;
}

interface Found {
  readonly name: string;
  readonly kv: ReturnType<typeof KeyValue.decode>;
}

async function readRecords(bolt: BoltFile, options: EtcdSnapshotOptions): Promise<EtcdSnapshot> {
  const keys = new KeySpace(options.prefix, options.layout);
  const found = new Map<string, Found>();
  let revision = 1;
  // Entries are in the order of revisions: the last one of a key is its newest.
  for await (const { key, value } of bolt.entries('key')) {
    if (key.length < REVISION_BYTES) throw new EtcdSnapshotError('a revision is malformed');
    revision = Math.max(revision, revisionOf(key));
    const kv = decoded(() => KeyValue.decode(value));
    const bytes = Buffer.from(kv.key);
    if (bytes.compare(keys.prefix) < 0 || bytes.compare(keys.end) >= 0) continue;
    const path = bytes.toString('latin1');
    if (key[REVISION_BYTES] === TOMBSTONE) {
      found.delete(path);
      continue;
    }
    const name = keys.fromEtcd(bytes);
    if (name === undefined) refuse(keys, bytes);
    else found.set(path, { name, kv: { ...kv, value: Buffer.from(kv.value) } });
  }
  const leases = await readLeases(bolt);
  const damaged = new Map<string, string>();
  const records: BackupRecord[] = [];
  for (const { name, kv } of found.values()) {
    try {
      checkRevisions(kv, revision);
      records.push({
        key: name,
        value: options.layout.open(name, kv.value),
        modRevision: kv.modRevision,
        createRevision: kv.createRevision,
        version: kv.version,
        expiresAt: kv.lease === 0n ? undefined : options.nowMs + (leases.get(kv.lease) ?? 0) * 1000,
      });
    } catch (error) {
      damaged.set(name, (error as Error).message);
    }
  }
  records.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { revision: toRevision(revision), records, damaged };
}

/** Refuses the snapshot for a key beside which no store may be opened. */
function refuse(keys: KeySpace, bytes: Uint8Array): void {
  try {
    keys.refuse(bytes);
  } catch (error) {
    throw new EtcdSnapshotError((error as Error).message, { cause: error });
  }
}

function revisionOf(key: Buffer): number {
  const revision = key.readBigUInt64BE(0);
  if (revision > BigInt(Number.MAX_SAFE_INTEGER)) throw new EtcdSnapshotError('a revision is too large');
  return Number(revision);
}

function checkRevisions({ createRevision, modRevision, version }: Found['kv'], revision: number): void {
  const isPossible = version >= 1 && createRevision >= 1 && createRevision <= modRevision && modRevision <= revision;
  if (!isPossible) throw new RangeError('its revisions are impossible');
}

function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new EtcdSnapshotError(`a value is malformed: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the times to live of leases in seconds. */
async function readLeases(bolt: BoltFile): Promise<ReadonlyMap<bigint, number>> {
  const leases = new Map<bigint, number>();
  for await (const { value } of bolt.entries('lease')) {
    const { id, ttl } = decoded(() => Lease.decode(value));
    leases.set(id, ttl);
  }
  return leases;
}

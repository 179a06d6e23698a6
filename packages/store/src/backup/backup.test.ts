import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { SteppedClock } from '@pintle/async';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryDisk, MemoryEngine } from '../engine/memory-engine.ts';
import { openLmdbStore, openMemoryStore, openStore } from '../open-store.ts';
import { FIRST_REVISION, toRevision } from '../revision.ts';
import type { Store, StoreRecord, ValueSeal } from '../store.ts';
import { BackupError } from './backup-error.ts';
import { encodeRecords, MAGIC } from './backup-format.ts';
import { importRecords } from './import-records.ts';
import { BackupReader } from './read-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { writeBackup } from './write-backup.ts';

const now = new Date('2026-11-18T12:00:00Z');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pintle-backup-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a restored store has every key with its value, revisions and version, and goes on from there', async () => {
  await using store = await openMemoryStore();
  await fill(store);
  const backup = await backupOf(store);
  const directory = join(folder, 'store');
  const { revision, header, end } = await restoreBackup(directory, { source: chunked(backup, 100), bumpBy: 0 });
  expect({ revision, backedUp: header.revision, records: end.records }).toEqual({
    revision: store.revision,
    backedUp: store.revision,
    records: 3,
  });
  await using restored = await openLmdbStore(directory);
  expect(await recordsOf(restored)).toEqual(await recordsOf(store));
  expect(restored.compactedRevision).toBe(store.revision);
  const { revision: next } = await restored.commit([{ type: 'put', key: 'a', value: Buffer.from('new') }]);
  expect(next).toBe(store.revision + 1);
  expect(await restored.get('a')).toMatchObject({ createRevision: 1, version: 3 });
});

test('a bumped store knows no revision that was given away after the backup', async () => {
  await using store = await openMemoryStore();
  await fill(store);
  const backup = await backupOf(store);
  await store.commit([{ type: 'put', key: 'later', value: Buffer.from('1') }]);
  const directory = join(folder, 'store');
  await restoreBackup(directory, { source: chunked(backup), bumpBy: 1000 });
  await using restored = await openLmdbStore(directory);
  expect(restored.revision).toBe(1000 + store.revision - 1);
  await expect(restored.watch({ start: '' }, { after: store.revision }).next()).rejects.toThrow(
    `history starts at ${restored.revision}`,
  );
  expect((await restored.get('a'))?.modRevision).toBeLessThan(store.revision);
});

test('a restored store can be compacted, opened again and backed up', async () => {
  await using store = await openMemoryStore();
  for (let i = 0; i < 3000; i++) await store.commit([put(`k${i % 1500}`, i), put(`both${i % 10}`, i)]);
  const directory = join(folder, 'store');
  await restoreBackup(directory, { source: chunked(await backupOf(store)), bumpBy: 7 });
  {
    await using restored = await openLmdbStore(directory);
    for (let i = 0; i < 1500; i += 2) await restored.commit([{ type: 'delete', key: `k${i}` }]);
    await restored.compact(restored.revision);
  }
  await using again = await openLmdbStore(directory);
  expect(await again.count({ start: '' })).toBe(750 + 10);
  const second = join(folder, 'second');
  await restoreBackup(second, { source: chunked(await backupOf(again)), bumpBy: 0 });
  await using copy = await openLmdbStore(second);
  expect(await recordsOf(copy)).toEqual(await recordsOf(again));
});

test('a backup shows one revision, whatever is written meanwhile', async () => {
  await using store = await openMemoryStore();
  for (let i = 0; i < 200; i++) await store.commit([put(`key-${i}`, 0, 50_000)]);
  const parts: Uint8Array[] = [];
  for await (const part of writeBackup(store, { now })) {
    parts.push(part);
    for (let i = 0; i < 200; i += 20)
      await store.commit([put(`key-${i}`, parts.length), put(`new-${parts.length}-${i}`, 1)]);
  }
  const reader = await BackupReader.open(chunked(Buffer.concat(parts)));
  const records = (await all(reader.records())).flat();
  expect(records).toHaveLength(200);
  expect(records.every(({ value, modRevision }) => value.length === 50_000 && modRevision <= 200)).toBe(true);
});

test('sealed values are sealed in the backup', async () => {
  const seal: ValueSeal = { seal: (_, value) => flipped(value), open: (_, value) => flipped(value) };
  await using store = await openMemoryStore({ seal });
  await store.commit([{ type: 'put', key: 'secret', value: Buffer.from('password') }]);
  const backup = await backupOf(store, seal);
  expect(backup.includes('password')).toBe(false);
  const directory = join(folder, 'store');
  await restoreBackup(directory, { source: chunked(backup), bumpBy: 0 });
  await using restored = await openLmdbStore(directory, { seal });
  expect(Buffer.from((await restored.get('secret'))!.value).toString()).toBe('password');
});

test('keys that end by themselves end at the same time', async () => {
  const clock = new SteppedClock();
  await using store = await openMemoryStore({ clock });
  await store.commit([{ type: 'put', key: 'event', value: Buffer.from('1'), ttlMs: 10_000 }, put('stays', 1)]);
  await clock.advance(4000);
  const backup = await backupOf(store);
  const disk = new MemoryDisk();
  const reader = await BackupReader.open(chunked(backup));
  const { revision } = reader.header;
  await importRecords(new MemoryEngine(disk), { records: reader.records(), revision, bumpBy: 0 });
  await clock.advance(5000);
  await using restored = await openStore(new MemoryEngine(disk), { clock });
  expect(await restored.count({ start: '' })).toBe(2);
  await clock.advance(1000);
  expect((await recordsOf(restored)).map(({ key }) => key)).toEqual(['stays']);
});

test('an empty store can be backed up', async () => {
  await using store = await openMemoryStore();
  const directory = join(folder, 'store');
  await restoreBackup(directory, { source: chunked(await backupOf(store)), bumpBy: 5 });
  await using restored = await openLmdbStore(directory);
  expect([restored.revision, await restored.count({ start: '' })]).toEqual([5, 0]);
});

test('records that are damaged in the store are left out and named', async () => {
  const disk = new MemoryDisk();
  await using store = await openStore(new MemoryEngine(disk), { seal: unreadable('b') });
  await store.commit([put('a', 1), put('b', 1), put('c', 1)]);
  await using damaged = await openStore(new MemoryEngine(disk), { seal: unreadable('b') });
  const reader = await BackupReader.open(chunked(await backupOf(damaged)));
  const keys = (await all(reader.records())).flat().map(({ key }) => key);
  expect([keys, reader.end]).toEqual([['a', 'c'], { records: 2, damagedKeys: ['b'] }]);
});

describe('what is refused', () => {
  test('every flipped bit and every missing end, and nothing is left behind', async () => {
    await using store = await openMemoryStore();
    await fill(store);
    const backup = await backupOf(store);
    const spoilt = fc.oneof(
      fc.nat(backup.length * 8 - 1).map((bit) => withFlippedBit(backup, bit)),
      fc.nat(backup.length - 1).map((length) => backup.subarray(0, length)),
      fc.uint8Array({ minLength: 1, maxLength: 10 }).map((more) => Buffer.concat([backup, more])),
    );
    await fc.assert(
      fc.asyncProperty(spoilt, fc.integer({ min: 1, max: 300 }), async (bytes, size) => {
        const restoring = restoreBackup(join(folder, 'store'), { source: chunked(bytes, size), bumpBy: 0 });
        await expect(restoring).rejects.toThrow(BackupError);
        expect(readdirSync(folder)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('what cannot be read, with the reason', async () => {
    const refused: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('you may not read it')) }),
    };
    await expect(BackupReader.open(refused)).rejects.toThrow('you may not read it');
  });

  test('a file that is something else, and one that a newer version wrote', async () => {
    const restore = (bytes: Buffer) => restoreBackup(join(folder, 'store'), { source: chunked(bytes), bumpBy: 0 });
    await expect(restore(Buffer.from('hello'))).rejects.toThrow('the file is not a backup of Pintle');
    await expect(restore(Buffer.alloc(0))).rejects.toThrow('the file is not a backup of Pintle');
    await using store = await openMemoryStore();
    const newer = (await backupOf(store)).toString('latin1').replace('"version":1', '"version":2');
    await expect(BackupReader.open(chunked(withHeaderSum(Buffer.from(newer, 'latin1'))))).rejects.toThrow(
      'its format 2 is newer than 1, the newest known here',
    );
  });

  test.each([
    ['a revision that is a text', { revision: '7' }, 'its header is malformed'],
    ['a revision that is not whole', { revision: 7.5 }, 'its header is malformed'],
    ['a negative revision', { revision: -7 }, 'its header is malformed'],
    ['a revision beyond six bytes', { revision: 2 ** 48 }, 'its header is malformed'],
    ['a last revision', { revision: 2 ** 48 - 1 }, 'there are no 5 revisions after 281474976710655'],
    ['a format that is a text', { version: 'one' }, 'its header has no format'],
    ['a time that steers the terminal', { writtenAt: '\u001b[2J' }, 'its header is malformed'],
    ['no keys', { sealedWith: null }, 'its header is malformed'],
    ['a number of records that is a text', { end: { records: '1', damagedKeys: [] } }, 'its end is malformed'],
    ['damaged keys that are none', { end: { records: 1, damagedKeys: 5 } }, 'its end is malformed'],
    ['an end that is null', { end: null }, 'its end is malformed'],
    ['a key that ends at no time', { expiresAt: Number.NaN }, 'the end of "a" is no time'],
  ])(
    '%s, with the right checksums',
    async (_what, { end = { records: 1, damagedKeys: [] }, expiresAt, ...header }: Crafted, problem) => {
      const source = chunked(
        crafted(
          { version: 1, revision: 9, writtenAt: now.toISOString(), sealedWith: [], ...header },
          { end, expiresAt },
        ),
      );
      await expect(restoreBackup(join(folder, 'store'), { source, bumpBy: 5 })).rejects.toThrow(problem);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('a directory with a store in it', async () => {
    const directory = join(folder, 'store');
    await using store = await openLmdbStore(directory);
    await fill(store);
    const source = chunked(await backupOf(store));
    await expect(restoreBackup(directory, { source, bumpBy: 0 })).rejects.toThrow('there is a store already');
    expect(await store.count({ start: '' })).toBe(3);
  });

  test('a store that the check does not like', async () => {
    await using store = await openMemoryStore();
    mkdirSync(join(folder, 'store'));
    const check = async (made: string): Promise<void> => {
      expect(existsSync(join(made, 'data.mdb'))).toBe(true);
      throw new Error('other keys');
    };
    const source = chunked(await backupOf(store));
    await expect(restoreBackup(join(folder, 'store'), { source, bumpBy: 0, check })).rejects.toThrow('other keys');
    expect(readdirSync(folder)).toEqual(['store']);
  });
});

test('an import that is cut short leaves no store', async () => {
  const disk = new MemoryDisk();
  async function* cut() {
    const record = { key: 'a', value: Buffer.alloc(3_000_000), version: 1, expiresAt: undefined };
    yield [{ ...record, modRevision: toRevision(1), createRevision: toRevision(1) }];
    throw new Error('killed');
  }
  const importing = importRecords(new MemoryEngine(disk), { records: cut(), revision: toRevision(1), bumpBy: 0 });
  await expect(importing).rejects.toThrow('killed');
  await using store = await openStore(new MemoryEngine(disk));
  expect([store.revision, await store.count({ start: '' })]).toEqual([FIRST_REVISION, 0]);
});

interface Crafted {
  readonly end?: object | null;
  readonly expiresAt?: number | undefined;
  readonly [field: string]: unknown;
}

/** A backup of one key that says what it wants, with checksums as they must be. */
function crafted(header: object, { end, expiresAt }: Pick<Crafted, 'end' | 'expiresAt'>): Buffer {
  const revision = toRevision(3);
  const record = {
    key: 'a',
    value: Buffer.from('1'),
    modRevision: revision,
    createRevision: revision,
    version: 1,
    expiresAt,
  };
  const [records, head, last] = [encodeRecords([record]), json(header), json(end)];
  const parts = [MAGIC, uint32(head.length), head, uint32(crc32(head))];
  parts.push(uint32(records.length), uint32(crc32(records)), records, uint32(0), uint32(last.length), last);
  const all = Buffer.concat(parts);
  return Buffer.concat([all, createHash('sha256').update(all).digest()]);
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

async function fill(store: Store): Promise<void> {
  await store.commit([put('a', 1), put('b', 1)]);
  await store.commit([put('a', 2), { type: 'put', key: 'ä/ß', value: Buffer.alloc(0) }]);
  await store.commit([put('gone', 1)]);
  await store.commit([{ type: 'delete', key: 'gone' }]);
}

function put(key: string, fillWith: number, bytes = 20) {
  return { type: 'put', key, value: Buffer.alloc(bytes, fillWith) } as const;
}

async function backupOf(store: Store, seal?: ValueSeal): Promise<Buffer> {
  return Buffer.concat(await all(writeBackup(store, { now, ...(seal && { seal }) })));
}

async function recordsOf(store: Store): Promise<StoreRecord[]> {
  const { records } = await store.range({ start: '' });
  return records.map((record) => ({ ...record, value: Buffer.from(record.value) }));
}

async function* chunked(bytes: Buffer, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function flipped(value: Uint8Array): Uint8Array {
  return value.map((byte) => byte ^ 0xff);
}

function unreadable(damagedKey: string): ValueSeal {
  const open = (key: string, value: Uint8Array): Uint8Array => {
    if (key === damagedKey) throw new Error('it is damaged');
    return value;
  };
  return { seal: (_, value) => value, open };
}

function withFlippedBit(bytes: Buffer, bit: number): Buffer {
  const spoilt = Buffer.from(bytes);
  spoilt[bit >> 3]! ^= 1 << (bit & 7);
  return spoilt;
}

/** Corrects the checksum of a header that was changed. */
function withHeaderSum(bytes: Buffer): Buffer {
  const length = bytes.readUInt32LE(8);
  bytes.writeUInt32LE(crc32(bytes.subarray(12, 12 + length)), 12 + length);
  return bytes;
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

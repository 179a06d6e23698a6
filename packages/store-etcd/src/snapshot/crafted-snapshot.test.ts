import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreLayout } from '@pintle/store';
import { afterAll, expect, test } from 'vitest';
import { KeyValue } from '../rpc/messages.ts';
import { readEtcdSnapshot } from './etcd-snapshot.ts';
import { EtcdSnapshotError } from './snapshot-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-snapshot-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = 4096;
const FIRST_ENTRIES = 4;
const layout = { pathOf: same, keyOf: same, seal: value, open: value };

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags?: number;
}

test('a snapshot that was made by hand is read', async () => {
  const { records, revision } = await read(snapshotOf(leafPage(FIRST_ENTRIES, [at(3, keyValue())])));
  expect([records.map(({ key }) => key), revision]).toEqual([['a'], 3]);
});

test('entries that share the bytes of their page are refused before they fill the memory', async () => {
  const page = leafPage(FIRST_ENTRIES, [at(3, keyValue({ value: Buffer.alloc(1_000_000) }))], { room: 500 });
  // Further elements stand for the same entry.
  for (let index = 1; index < 500; index++) {
    page.copy(page, 16 + 16 * index, 16, 32);
    page.writeUInt32LE(page.readUInt32LE(20) - 16 * index, 16 + 16 * index + 4);
  }
  page.writeUInt16LE(500, 10);
  await expect(read(snapshotOf(page))).rejects.toThrow('its entries are longer than their page');
});

test('a page that is met again and again is read no more often than a file has pages', async () => {
  const large = leafPage(FIRST_ENTRIES + 1, [at(3, keyValue({ value: Buffer.alloc(1_000_000) }))]);
  const branch = pageOf(FIRST_ENTRIES, { flags: 1, count: 200, bytes: PAGE });
  for (let index = 0; index < 200; index++) branch.writeBigUInt64LE(BigInt(FIRST_ENTRIES + 1), 24 + 16 * index);
  await expect(read(snapshotOf(branch, large))).rejects.toThrow('its tree is a circle');
});

test.each<[string, Entry]>([
  ['a revision that no number holds', at(2n ** 63n, keyValue())],
  ['a value that is no message', at(3, Buffer.from('ffff', 'hex'))],
  ['a negative revision', at(3, keyValue({ createRevision: -1 }))],
])('with %s it is refused', async (_what, entry) => {
  await expect(read(snapshotOf(leafPage(FIRST_ENTRIES, [entry])))).rejects.toThrow(EtcdSnapshotError);
});

test('a key that no store may be opened beside refuses it', async () => {
  const refusing = { ...layout, keyOf: () => undefined, refusalOf: () => 'the prefix holds something else' };
  const reading = read(snapshotOf(leafPage(FIRST_ENTRIES, [at(3, keyValue())])), refusing);
  await expect(reading).rejects.toThrow(EtcdSnapshotError);
});

test.each([
  ['no version', { version: 0 }],
  ['a later revision than the snapshot', { modRevision: 9 }],
  ['a change before its creation', { createRevision: 3, modRevision: 2 }],
])('a key with %s is left out', async (_what, change) => {
  const { records, damaged } = await read(snapshotOf(leafPage(FIRST_ENTRIES, [at(3, keyValue(change))])));
  expect([records, [...damaged]]).toEqual([[], [['a', 'its revisions are impossible']]]);
});

async function read(bytes: Buffer, of: StoreLayout = layout) {
  const path = join(folder, 'snapshot.db');
  writeFileSync(path, bytes);
  return await readEtcdSnapshot(path, { prefix: '/p/', layout: of, nowMs: 0 });
}

function same(text: string): string {
  return text;
}

function value(_key: string, bytes: Uint8Array): Uint8Array {
  return bytes;
}

function at(revision: number | bigint, bytes: Buffer): Entry {
  const key = Buffer.alloc(17);
  key.writeBigUInt64BE(BigInt(revision));
  key[8] = 0x5f;
  return { key, value: bytes };
}

function keyValue(change: object = {}): Buffer {
  const usual = { key: Buffer.from('/p/a'), createRevision: 3, modRevision: 3, version: 1, value: Buffer.from('1') };
  return Buffer.from(KeyValue.encode({ ...usual, ...change }));
}

/** A database whose bucket of keys has these pages, the first of them its root. */
function snapshotOf(...pages: readonly Buffer[]): Buffer {
  const bucket = Buffer.alloc(16);
  bucket.writeBigUInt64LE(BigInt(FIRST_ENTRIES));
  const root = leafPage(3, [{ key: Buffer.from('key'), value: bucket, flags: 1 }]);
  const rest = Buffer.concat([leafPage(2, []), root, ...pages]);
  const count = 2 + rest.length / PAGE;
  const database = Buffer.concat([metaPage(0, count), metaPage(1, count), rest]);
  return Buffer.concat([database, createHash('sha256').update(database).digest()]);
}

function metaPage(id: number, pages: number): Buffer {
  const page = pageOf(id, { flags: 4, count: 0, bytes: PAGE });
  page.writeUInt32LE(0xed0cdaed, 16);
  page.writeUInt32LE(2, 20);
  page.writeUInt32LE(PAGE, 24);
  page.writeBigUInt64LE(3n, 32);
  page.writeBigUInt64LE(BigInt(pages), 56);
  page.writeBigUInt64LE(BigInt(id), 64);
  let hash = 0xcbf29ce484222325n;
  for (const byte of page.subarray(16, 72)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  page.writeBigUInt64LE(hash, 72);
  return page;
}

/** `room`: number of elements for which there is room before the entries. */
function leafPage(id: number, entries: readonly Entry[], { room = entries.length } = {}): Buffer {
  let next = 16 + 16 * room;
  const bytes = entries.reduce((sum, { key, value: of }) => sum + key.length + of.length, next);
  const page = pageOf(id, { flags: 2, count: entries.length, bytes });
  for (const [index, { key, value: of, flags = 0 }] of entries.entries()) {
    const element = 16 + 16 * index;
    for (const [offset, field] of [flags, next - element, key.length, of.length].entries())
      page.writeUInt32LE(field, element + 4 * offset);
    Buffer.concat([key, of]).copy(page, next);
    next += key.length + of.length;
  }
  return page;
}

function pageOf(id: number, { flags, count, bytes }: Readonly<Record<'flags' | 'count' | 'bytes', number>>): Buffer {
  const pages = Math.ceil(bytes / PAGE);
  const page = Buffer.alloc(pages * PAGE);
  page.writeBigUInt64LE(BigInt(id));
  page.writeUInt16LE(flags, 8);
  page.writeUInt16LE(count, 10);
  page.writeUInt32LE(pages - 1, 12);
  return page;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openLmdbStore, openMemoryStore } from './open-store.ts';
import { describeStore, type OpenEmptyStore } from './testing/describe-store.ts';
import { commit, put } from './testing/store-cases.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-store-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const openLmdb: OpenEmptyStore = (options) => openLmdbStore(mkdtempSync(join(parent, 'store-')), options);

describeStore('memory store', openMemoryStore);
describeStore('LMDB store', openLmdb);

test.each([
  ['memory', openMemoryStore],
  ['LMDB', openLmdb],
])('transactions of the %s store take revisions in the order they were committed', async (_, open) => {
  await using store = await open();
  const revisions = await Promise.all(Array.from({ length: 200 }, (_, index) => commit(store, put(`k${index}`, ''))));
  expect(revisions).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
});

test('a store that one process has to itself tells the latest revision at once', async () => {
  await using store = await openMemoryStore();
  const revision = await commit(store, put('a', '1'));
  expect([store.latest(), store.isShared]).toEqual([revision, false]);
});

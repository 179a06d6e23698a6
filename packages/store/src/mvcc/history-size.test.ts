import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { yieldToEventLoop } from '@pintle/async';
import { afterAll, describe, expect, test } from 'vitest';
import { openLmdbStore, openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { Store } from '../store.ts';
import { commit, contents, put } from '../testing/store-cases.ts';
import { HistorySize } from './history-size.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-history-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const KIB = 1024;

/** Bytes of buffers after a collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What the first collection finds is freed beside it.
  collect();
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Overwrites a few keys until so many bytes were written, and tells the most that history took meanwhile. */
async function churn(store: Store, totalBytes: number): Promise<{ memoryBytes: number; diskBytes: number }> {
  const most = { memoryBytes: 0, diskBytes: 0 };
  const value = 'x'.repeat(2 * KIB);
  for (let written = 0, count = 0; written < totalBytes; written += value.length, count++) {
    await commit(store, put(`k${count % 20}`, value));
    // As between two requests.
    await yieldToEventLoop();
    const { memoryBytes, diskBytes } = store.history;
    most.memoryBytes = Math.max(most.memoryBytes, memoryBytes);
    most.diskBytes = Math.max(most.diskBytes, diskBytes);
  }
  return most;
}

describe('history under churn takes no more than it may, and what is written while it is forgotten', () => {
  test('in memory', async () => {
    const history = { maxMemoryBytes: 512 * KIB, maxDiskBytes: 512 * KIB };
    await using store = await openMemoryStore({ history });
    const most = await churn(store, 16 * 1024 * KIB);
    expect(most.memoryBytes).toBeGreaterThan(256 * KIB);
    expect(most.memoryBytes).toBeLessThan(1024 * KIB);
    expect(most.diskBytes).toBe(0);
    expect(await contents(store)).toHaveLength(20 * (2 * KIB + 4) - 11 + 20);
  });

  test('on disk', async () => {
    const history = { maxMemoryBytes: 512 * KIB, maxDiskBytes: 512 * KIB };
    await using store = await openLmdbStore(join(parent, 'disk'), { history });
    const most = await churn(store, 4 * 1024 * KIB);
    expect(most.diskBytes).toBeGreaterThan(256 * KIB);
    expect(most.diskBytes).toBeLessThan(1024 * KIB);
  });

  test('compaction lets go of values that were held in memory', async () => {
    await using store = await openLmdbStore(join(parent, 'held'));
    await churn(store, 64 * KIB);
    const before = heldBytes();
    await churn(store, 8 * 1024 * KIB);
    await store.compact(store.revision);
    expect(heldBytes() - before).toBeLessThan(1024 * KIB);
  });

  test('by the number of versions, however small their values are', async () => {
    const history = { maxMemoryBytes: 256 * KIB, maxDiskBytes: 256 * KIB };
    await using store = await openLmdbStore(join(parent, 'small'), { history });
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => commit(store, put(`k${index % 10}`, 'x'))));
      await yieldToEventLoop();
    }
    expect(store.history.revisions).toBeLessThan(2000);
    expect(store.revision).toBe(4000);
  });
});

test('history is known again when a store is opened', async () => {
  const directory = join(parent, 'again');
  const store = await openLmdbStore(directory);
  for (let count = 0; count < 100; count++) await commit(store, put('k', `${count}`));
  await store.compact(40 as Revision);
  const { revisions, memoryBytes } = store.history;
  await store.close();
  await using again = await openLmdbStore(directory);
  expect(revisions).toBe(60);
  expect(again.history.revisions).toBe(60);
  expect(again.history.memoryBytes).toBeGreaterThan(60 * 256);
  expect(memoryBytes).toBeGreaterThanOrEqual(again.history.memoryBytes);
});

test('the middle of history is where half of it lies before', () => {
  const size = new HistorySize({ maxMemoryBytes: 6400, maxDiskBytes: 6400 });
  for (let revision = 1; revision <= 60; revision++) size.add(revision as Revision, 100, 0);
  expect(size.isOverLimit).toBe(false);
  expect(size.middle).toBe(30);
  size.forget(30 as Revision);
  expect([size.memoryBytes, size.middle]).toEqual([3000, 45]);
});

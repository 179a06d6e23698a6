import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openLmdbStore } from '../open-store.ts';
import { childPath } from '../testing/crash/kill-test.ts';
import { commit, contents, del, failure, leased, nextBatch, put, revisionOf } from '../testing/store-cases.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-lmdb-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(parent, 'case-')), 'a', 'store.d');
});

test('what was written is there when the store is opened again', async () => {
  const store = await openLmdbStore(directory);
  for (let index = 0; index < 50; index++)
    await commit(store, put(`k${index % 7}`, `${index}`), put('é\u{1f600}', `${index}`));
  await commit(store, del('k3'));
  await store.compact(revisionOf(20));
  const expected = await Promise.all([20, 33, 51].map((revision) => contents(store, revision)));
  await store.close();
  await using again = await openLmdbStore(directory);
  expect([again.revision, again.compactedRevision]).toEqual([51, 20]);
  expect(await Promise.all([20, 33, 51].map((revision) => contents(again, revision)))).toEqual(expected);
  expect(await commit(again, put('k3', 'new', 0))).toBe(52);
});

test('the directory and its files are for the owner alone', async () => {
  await using store = await openLmdbStore(directory);
  await commit(store, put('a', '1'));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const file of ['data.mdb', 'lock.mdb', 'holder']) expect(statSync(join(directory, file)).mode & 0o077).toBe(0);
});

test('values of every size come back, however large the map must grow', async () => {
  await using store = await openLmdbStore(directory);
  const sizes = [0, 1, 500, 2000, 4096, 70_000, 1_500_000];
  for (const size of sizes) await commit(store, put(`s${size}`, 'x'.repeat(size)));
  const records = await Promise.all(sizes.map((size) => store.get(`s${size}`)));
  expect(records.map((record) => record?.value.length)).toEqual(sizes);
  expect(records.every((record) => record?.value.every((byte) => byte === 120))).toBe(true);
});

test('compaction gives space back to later writes', async () => {
  await using store = await openLmdbStore(directory);
  const churn = async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 100 }, (_, index) => commit(store, put(`k${index}`, 'x'.repeat(1000)))));
    await store.compact(store.revision);
  };
  for (let warmUp = 0; warmUp < 2; warmUp++) await churn();
  const { size } = statSync(join(directory, 'data.mdb'));
  for (let more = 0; more < 3; more++) await churn();
  expect(statSync(join(directory, 'data.mdb')).size).toBeLessThanOrEqual(size * 1.5);
});

test('a lease goes on where the last run left it, and never gets more than its full time', async () => {
  const clock = new SteppedClock();
  const first = await openLmdbStore(directory, { clock });
  await commit(first, leased('a', '1', 10_000));
  await clock.advance(4_000);
  await first.close();
  clock.setNow(clock.now() - 1_000_000);
  await using second = await openLmdbStore(directory, { clock });
  const watch = second.watch({ start: '' });
  await clock.advance(9_999);
  expect(await contents(second)).toBe('a=1');
  await clock.advance(1);
  expect(await nextBatch(watch)).toBe('2: -a=1');
  await commit(second, leased('b', '1', 1_000));
  await second.close();
  await clock.advance(5_000);
  await using third = await openLmdbStore(directory, { clock });
  const late = third.watch({ start: '' });
  await clock.advance(0);
  expect(await nextBatch(late)).toBe('4: -b=1');
});

describe('the lock', () => {
  test('refuses a second store in this process and lets it in after the first has closed', async () => {
    const first = await openLmdbStore(directory);
    expect(await failure(openLmdbStore(directory))).toEqual({
      code: 'Locked',
      path: directory,
      holder: `process ${process.pid}`,
    });
    await first.close();
    await (await openLmdbStore(directory)).close();
  });

  test('refuses a second process, names the first, and is gone with it after kill -9', async () => {
    const child = spawn(process.execPath, [childPath(), directory, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.stdout.resume();
    expect(await failure(openLmdbStore(directory))).toMatchObject({ code: 'Locked', holder: `process ${child.pid}` });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(join(directory, 'holder'))).toBe(true);
    await using store = await openLmdbStore(directory);
    expect(store.revision).toBeGreaterThanOrEqual(0);
    expect(readFileSync(join(directory, 'holder'), 'utf8')).toBe(`process ${process.pid}`);
  });

  test('is waited for while one who has left is still on the way out', async () => {
    const store = await openLmdbStore(directory);
    rmSync(join(directory, 'holder'));
    const next = openLmdbStore(directory);
    await store.close();
    await (await next).close();
  });

  test('of many openers at once exactly one gets in', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => openLmdbStore(directory)));
    const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(opened).toHaveLength(1);
    await opened[0]!.value.close();
  });

  test('is released when the store cannot be opened', async () => {
    await (await openLmdbStore(directory)).close();
    writeFileSync(join(directory, 'data.mdb'), 'this is not a database'.repeat(1000));
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await failure(openLmdbStore(directory))).toMatchObject({ code: 'Corrupt' });
  });
});

test('a directory that held a store and lost its file is not taken for a new one', async () => {
  const store = await openLmdbStore(directory);
  await commit(store, put('a', '1'));
  await store.close();
  rmSync(join(directory, 'data.mdb'));
  rmSync(join(directory, 'lock.mdb'), { force: true });
  expect(await failure(openLmdbStore(directory))).toMatchObject({ code: 'Corrupt' });
});

import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextTurn, SeededRandom } from '@pintle/async';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Revision } from '../revision.ts';
import { failure } from '../testing/store-cases.ts';
import type { Engine, EngineBatch } from './engine.ts';
import { JournaledEngine } from './journaled-engine.ts';
import { LmdbEngine } from './lmdb-engine.ts';
import { MemoryEngine } from './memory-engine.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-journal-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(parent, 'case-'));
});

const revisionOf = (revision: number): Revision => revision as Revision;

/** As the store writes them: a superblock, the next chunk of the log and its values. */
function batchOf(revision: number, size = 100): EngineBatch {
  return {
    log: [
      { revision: revisionOf(0), bytes: Buffer.from(`superblock ${revision}`) },
      { revision: revisionOf(revision), bytes: Buffer.from(`chunk ${revision}`) },
    ],
    values: [0, 1].map((sub) => ({ revision: revisionOf(revision), sub, bytes: Buffer.alloc(size, revision + sub) })),
  };
}

function removalOf(revision: number): EngineBatch {
  return {
    log: [{ revision: revisionOf(revision), bytes: undefined }],
    values: [{ revision: revisionOf(revision), sub: 0, bytes: undefined }],
    reclaims: true,
  };
}

function logFrom(engine: Engine, from: number, limit = Number.POSITIVE_INFINITY): string[] {
  const seen: string[] = [];
  engine.scanLog(revisionOf(from), (revision, bytes) => seen.push(`${revision} ${bytes}`) < limit);
  return seen;
}

function look(engine: Engine, last: number): unknown[] {
  const values = Array.from({ length: last }, (_, index) => [0, 1].map((sub) => hex(engine, index + 1, sub)));
  return [values, ...Array.from({ length: last + 2 }, (_, from) => logFrom(engine, from)), logFrom(engine, 1, 2)];
}

function hex(engine: Engine, revision: number, sub: number): string | undefined {
  const bytes = engine.readValue(revisionOf(revision), sub);
  return bytes && Buffer.from(bytes).toString('hex');
}

test('shows what an engine without a journal shows, while it is carried over and after it was opened again', async () => {
  const random = new SeededRandom(3);
  const model = new MemoryEngine();
  let engine = await JournaledEngine.open(directory);
  for (let revision = 1; revision <= 120; revision++) {
    // Large enough for segments to fill up and be used again.
    const size = random.below(10) === 0 ? 40_000 : 50;
    const batch = revision % 17 === 0 ? removalOf(revision - 9) : batchOf(revision, size);
    await Promise.all([engine.write(batch), model.write(batch)]);
    if (revision % 10 === 0) expect(look(engine, revision)).toEqual(look(model, revision));
    if (random.below(20) > 0) continue;
    await engine.close();
    engine = await JournaledEngine.open(directory);
  }
  expect(look(engine, 120)).toEqual(look(model, 120));
  await engine.close();
});

test('a batch that is longer than the journal can hold goes into the tables', async () => {
  await using store = await opened();
  await store.engine.write(batchOf(1));
  await store.engine.write(batchOf(2, 3_000_000));
  await store.engine.write(batchOf(3));
  expect(Buffer.alloc(3_000_000, 3).equals(store.engine.readValue(revisionOf(2), 1)!)).toBe(true);
  expect(logFrom(store.engine, 0)).toEqual(['0 superblock 3', '1 chunk 1', '2 chunk 2', '3 chunk 3']);
});

test('what was written is in the journal before it is in the tables', async () => {
  await using store = await opened();
  await store.engine.write(batchOf(1));
  const crashed = join(parent, 'crashed');
  cpSync(directory, crashed, { recursive: true });
  const recovered = await JournaledEngine.open(crashed);
  expect(look(recovered, 1)).toEqual(look(store.engine, 1));
  await recovered.close();
});

test('what fills half a segment is carried over once, not with every write from there on', async () => {
  await using store = await opened();
  const carryingOver = vi.spyOn(LmdbEngine.prototype, 'write');
  try {
    let revision = 0;
    // The first record opens a segment of 64 KiB.
    await store.engine.write(batchOf(++revision));
    while (carryingOver.mock.calls.length === 0) await store.engine.write(batchOf(++revision, 1_000));
    await Promise.all(carryingOver.mock.results.map(({ value }) => value));
    await nextTurn();
    const before = carryingOver.mock.calls.length;
    await store.engine.write(batchOf(++revision));
    expect(carryingOver.mock.calls.length).toBe(before);
  } finally {
    carryingOver.mockRestore();
  }
});

test('a journal that lost a record which others follow is corrupt', async () => {
  await using store = await opened();
  await store.engine.write(batchOf(1));
  for (let revision = 2; revision < 5; revision++) await store.engine.write(batchOf(revision));
  const crashed = join(parent, 'damaged');
  cpSync(directory, crashed, { recursive: true });
  const path = join(crashed, 'journal.1');
  const segment = readFileSync(path);
  segment[segment.indexOf('chunk 2')]! ^= 1;
  writeFileSync(path, segment);
  expect(await failure(JournaledEngine.open(crashed))).toMatchObject({ code: 'Corrupt' });
});

test('its files are for the owner alone and of bounded size', async () => {
  await using store = await opened();
  for (let revision = 1; revision < 200; revision++) await store.engine.write(batchOf(revision, 40_000));
  for (const name of ['journal.0', 'journal.1']) {
    const { mode, size } = statSync(join(directory, name));
    expect(mode & 0o077).toBe(0);
    expect(size).toBeLessThanOrEqual(4 * 1024 * 1024);
  }
});

async function opened(): Promise<AsyncDisposable & { readonly engine: JournaledEngine }> {
  const engine = await JournaledEngine.open(directory);
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

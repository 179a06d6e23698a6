import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SeededRandom, yieldToEventLoop } from '@pintle/async';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Revision } from '../revision.ts';
import { failure } from '../testing/store-cases.ts';
import type { Engine, EngineBatch } from './engine.ts';

import { encodeRecord, NO_SALT } from './journal-record.ts';
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
  let revision = 0;
  // The first record opens a segment of 64 KiB.
  await store.engine.write(batchOf(++revision));
  const carryingOver = vi.spyOn(LmdbEngine.prototype, 'write');
  try {
    while (carryingOver.mock.calls.length === 0) await store.engine.write(batchOf(++revision, 1_000));
    await Promise.all(carryingOver.mock.results.map(({ value }) => value));
    await yieldToEventLoop();
    const before = carryingOver.mock.calls.length;
    await store.engine.write(batchOf(++revision));
    expect(carryingOver.mock.calls.length).toBe(before);
  } finally {
    carryingOver.mockRestore();
  }
});

describe('a journal that lost an acknowledged record', () => {
  /** As a crash leaves it: four records in a segment that was never carried over. */
  async function crashed(): Promise<string> {
    await using store = await opened();
    for (let revision = 1; revision < 5; revision++) await store.engine.write(batchOf(revision));
    const copy = mkdtempSync(join(parent, 'crashed-'));
    cpSync(directory, copy, { recursive: true });
    return join(copy, 'journal.1');
  }

  test.each([1, 2, 3])('is corrupt when record %d is damaged, the first of the segment too', async (revision) => {
    const path = await crashed();
    const segment = readFileSync(path);
    segment[segment.indexOf(`chunk ${revision}`)]! ^= 1;
    writeFileSync(path, segment);
    expect(await failure(JournaledEngine.open(dirname(path)))).toMatchObject({ code: 'Corrupt' });
  });

  test('is corrupt when its beginning is overwritten with zeros', async () => {
    const path = await crashed();
    const segment = readFileSync(path);
    writeFileSync(path, segment.fill(0, 0, 512));
    expect(await failure(JournaledEngine.open(dirname(path)))).toMatchObject({ code: 'Corrupt' });
  });

  test.each(['cut off', 'gone'])('is corrupt when a segment is %s', async (fate) => {
    const path = await crashed();
    if (fate === 'gone') rmSync(path);
    else truncateSync(path, 100);
    expect(await failure(JournaledEngine.open(dirname(path)))).toMatchObject({ code: 'Corrupt' });
  });

  test('is corrupt when the tables it belongs to are gone', async () => {
    const path = await crashed();
    for (const name of ['data.mdb', 'created']) rmSync(join(dirname(path), name), { force: true });
    expect(await failure(JournaledEngine.open(dirname(path)))).toMatchObject({ code: 'Corrupt' });
  });
});

test('a value that looks like records of the journal is only a value, whole or torn', async () => {
  const fake = encodeRecord(Buffer.alloc(8), 1_000_000, batchOf(7));
  const oldFake = encodeRecord(NO_SALT, 1_000_000, batchOf(7));
  const value = Buffer.concat([fake, oldFake, fake, oldFake]);
  await using store = await opened();
  for (let shift = 0; shift < 8; shift++) {
    const bytes = Buffer.concat([Buffer.alloc(shift), value]);
    await store.engine.write({ log: [], values: [{ revision: revisionOf(1 + shift), sub: 0, bytes }] });
  }
  const copy = mkdtempSync(join(parent, 'crashed-'));
  cpSync(directory, copy, { recursive: true });
  const path = join(copy, 'journal.1');
  const segment = readFileSync(path);
  // The last record is torn, so that what it holds is looked at on its own.
  segment.fill(0, segment.lastIndexOf(value) - 30, segment.lastIndexOf(value));
  writeFileSync(path, segment);
  const recovered = await JournaledEngine.open(copy);
  expect([7, 8].map((revision) => recovered.readValue(revisionOf(revision), 0)?.length)).toEqual([
    value.length + 6,
    undefined,
  ]);
  await recovered.close();
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

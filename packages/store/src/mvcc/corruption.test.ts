import { SeededRandom } from '@pintle/async';
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryDisk } from '../engine/memory-engine.ts';
import { StoreError } from '../errors.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import { commit, contents, del, failure, put, revisionOf } from '../testing/store-cases.ts';

let original: MemoryDisk;
let expected: string;

beforeAll(async () => {
  original = new MemoryDisk();
  await using store = await openMemoryStore({ disk: original });
  for (let index = 0; index < 30; index++)
    await Promise.all([
      commit(store, put(`k${index % 5}`, `value-${index}`)),
      commit(store, put(`x${index}`, 'y'), put(`z${index % 3}`, 'y')),
      commit(store, del(`x${index - 2}`)),
    ]);
  await store.compact(revisionOf(40));
  expected = await dump(original);
});

test('the store under test has survivors of compaction and history', async () => {
  await using store = await openMemoryStore({ disk: copy(original) });
  expect(store.compactedRevision).toBe(40);
  expect(original.log.filter(([revision]) => revision > 0 && revision <= 40).length).toBeGreaterThan(3);
  expect(original.log.filter(([revision]) => revision > 40).length).toBeGreaterThan(10);
});

describe('damage is noticed', () => {
  test('every flipped bit of every record', async () => {
    const random = new SeededRandom(11);
    for (let flip = 0; flip < 1500; flip++) {
      const disk = copy(original);
      const records = [...disk.log.map(([, bytes]) => bytes), ...valuesOf(disk)];
      const record = records[random.below(records.length)]!;
      if (record.length === 0) continue;
      const at = random.below(record.length);
      record[at]! ^= 1 << random.below(8);
      await expectNoticed(disk);
    }
  });

  test('a missing log record', async () => {
    for (let at = 0; at < original.log.length; at++) {
      const disk = copy(original);
      disk.log.splice(at, 1);
      await expectNoticed(disk);
    }
  });

  test('a log record that lies in the place of another', async () => {
    for (let at = 2; at < original.log.length; at++) {
      const disk = copy(original);
      disk.log[at]![1] = disk.log[at - 1]![1];
      await expectNoticed(disk);
    }
  });

  test('a log record that is older than it should be', async () => {
    const disk = copy(original);
    await using store = await openMemoryStore({ disk });
    const before = disk.log.map(([revision, bytes]) => [revision, Buffer.from(bytes)] as const);
    await store.compact(revisionOf(60));
    const changed = disk.log.findIndex(([revision, bytes]) =>
      before.some(([old, oldBytes]) => old === revision && revision > 0 && !oldBytes.equals(bytes)),
    );
    const [revision] = disk.log[changed]!;
    disk.log[changed]![1] = before.find(([old]) => old === revision)![1];
    await expectNoticed(disk);
  });

  test('a value that is cut short, exchanged or missing', async () => {
    const positions = [...original.values].flatMap(([revision, subs]) =>
      [...subs.keys()].map((sub) => ({ revision, sub })),
    );
    for (const { revision, sub } of positions) {
      for (const damage of [Buffer.alloc(0), Buffer.from('something else'), undefined]) {
        const disk = copy(original);
        disk.apply({ log: [], values: [{ revision, sub, bytes: damage }] });
        await expectNoticed(disk);
      }
    }
  });

  test('a format from the future', async () => {
    const disk = copy(original);
    disk.log[0]![1].writeUInt32LE(2, 8);
    await expect(openMemoryStore({ disk })).rejects.toThrow(StoreError);
  });
});

test('a damaged value is refused alone: others are read, and it can be replaced or deleted', async () => {
  const disk = copy(original);
  const modRevision = await newestOf(disk, 'k1');
  damage(disk, modRevision);
  await using store = await openMemoryStore({ disk });
  expect(await failure(async () => await store.get('k1'))).toMatchObject({
    code: 'Corrupt',
    key: 'k1',
    revision: modRevision,
  });
  expect(await failure(store.range({ start: 'k1', end: 'k2' }))).toMatchObject({ code: 'Corrupt' });
  expect(await store.get('k2')).toBeDefined();
  expect(await store.count({ start: 'k1', end: 'k2' })).toBe(1);
  const watch = store.watch({ start: '' });
  await commit(store, del('k1', modRevision));
  expect(await failure(watch.next())).toMatchObject({ code: 'Corrupt', key: 'k1' });
  expect(await store.get('k1')).toBeUndefined();
});

test('what was read before its value was damaged is served as it was written', async () => {
  const disk = copy(original);
  await using store = await openMemoryStore({ disk });
  const { modRevision, value } = (await store.get('k1'))!;
  const before = Buffer.from(value);
  damage(disk, modRevision);
  expect((await store.get('k1'))?.value).toEqual(before);
});

async function newestOf(disk: MemoryDisk, key: string): Promise<Revision> {
  await using store = await openMemoryStore({ disk });
  return (await store.get(key))!.modRevision;
}

/** As a disk does it: whoever read the bytes before keeps what they read. */
function damage(disk: MemoryDisk, revision: Revision): void {
  for (const [sub, value] of [...disk.values.get(revision)!]) {
    const bytes = Buffer.from(value);
    bytes[0]! ^= 1;
    disk.apply({ log: [], values: [{ revision, sub, bytes }] });
  }
}

/** Opening, reading or watching says Corrupt, or everything is as it was. */
async function expectNoticed(disk: MemoryDisk): Promise<void> {
  try {
    expect(await dump(disk)).toBe(expected);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error.failure.code).toBe('Corrupt');
    return;
  }
  throw new Error('The damage was not noticed');
}

/** Everything a store will tell: all snapshots and all events. */
async function dump(disk: MemoryDisk): Promise<string> {
  await using store = await openMemoryStore({ disk });
  const told: string[] = [`${store.revision} ${store.compactedRevision}`];
  for (const revision of [40, 63, store.revision]) told.push(await contents(store, revision));
  const watch = store.watch({ start: '' }, { after: store.compactedRevision });
  while (watch.progress < store.revision) told.push(JSON.stringify((await watch.next()).value));
  return told.join('\n');
}

function copy(disk: MemoryDisk): MemoryDisk {
  const other = new MemoryDisk();
  for (const [revision, bytes] of disk.log) other.log.push([revision, Buffer.from(bytes)]);
  for (const [revision, subs] of disk.values)
    other.values.set(revision, new Map([...subs].map(([sub, bytes]) => [sub, Buffer.from(bytes)])));
  return other;
}

function valuesOf(disk: MemoryDisk): Uint8Array[] {
  return [...disk.values.values()].flatMap((subs) => [...subs.values()]);
}

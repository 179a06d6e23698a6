import { SeededRandom } from '@pintle/async';
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryDisk } from '../engine/memory-engine.ts';
import { StoreError } from '../errors.ts';
import { keyAfter } from '../key-range.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { ValueSeal } from '../store.ts';
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

test('a range goes on without damaged values when somebody is told of them', async () => {
  const disk = copy(original);
  for (const key of ['k1', 'k3']) damage(disk, await newestOf(disk, key));
  await using store = await openMemoryStore({ disk });
  const damaged: unknown[] = [];
  const onDamaged = (error: StoreError) => damaged.push(error.failure.code === 'Corrupt' && error.failure.key);
  const first = await store.range({ start: 'k', end: 'l' }, { limit: 2, onDamaged });
  expect([first.records.map(({ key }) => key), first.more, damaged]).toEqual([['k0', 'k2'], true, ['k1']]);
  const rest = await store.range({ start: keyAfter('k2'), end: 'l' }, { limit: 2, onDamaged });
  expect([rest.records.map(({ key }) => key), rest.more, damaged]).toEqual([['k4'], false, ['k1', 'k3']]);
  expect([...store.damagedKeys]).toEqual(['k1', 'k3']);
  await commit(store, del('k1'));
  await commit(store, put('k3', 'new'));
  expect([...store.damagedKeys]).toEqual([]);
});

test('a value that was sealed with another key is damaged, too', async () => {
  const disk = new MemoryDisk();
  const sealOf = (name: string): ValueSeal => ({
    seal: (_, value) => Buffer.concat([Buffer.from(name), value]),
    open: (_, kept) => {
      if (kept[0] !== name.charCodeAt(0)) throw new Error('it is sealed with another key');
      return kept.subarray(1);
    },
  });
  {
    await using store = await openMemoryStore({ disk, seal: sealOf('a') });
    await commit(store, put('secret', '1'));
  }
  await using store = await openMemoryStore({ disk, seal: sealOf('b') });
  const damaged: string[] = [];
  await store.range({ start: '' }, { onDamaged: ({ message }) => damaged.push(message) });
  expect(damaged).toEqual(['Cannot read "secret": it is sealed with another key']);
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

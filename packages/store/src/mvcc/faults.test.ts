import { SeededRandom } from '@pintle/async';
import { describe, expect, test, vi } from 'vitest';
import { MemoryDisk } from '../engine/memory-engine.ts';
import { StoreError } from '../errors.ts';
import { openMemoryStore, openStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { Store } from '../store.ts';
import { diskAfter, FaultyEngine } from '../testing/faulty-engine.ts';
import { readTruth } from '../testing/history.ts';
import { checkLinearizability } from '../testing/linearizability.ts';
import { RecordingClient } from '../testing/recorder.ts';
import { commit, contents, del, failure, nextBatch, put, revisionOf } from '../testing/store-cases.ts';

describe('no space', () => {
  test('a write without room leaves no trace; reads go on, and writes when there is room again', async () => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    const watch = store.watch({ start: '' });
    await commit(store, put('a', '1'));
    engine.faultOf = () => 'no-space';
    expect(await failure(store.commit([put('a', '2')]))).toEqual({ code: 'NoSpace' });
    expect(await contents(store)).toBe('a=1');
    expect(store.revision).toBe(1);
    engine.faultOf = () => undefined;
    expect(await commit(store, put('a', '3', 1))).toBe(2);
    expect([await nextBatch(watch), await nextBatch(watch)]).toEqual(['1: +a=1', '2: +a=3(was 1)']);
  });

  test('who was refused because of a write that found no room is asked again', async () => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    engine.faultOf = (write) => (write === 2 ? 'no-space' : undefined);
    const [first, second, third] = await Promise.allSettled([
      store.commit([put('a', 'first', 0)]),
      store.commit([put('a', 'second', 0)]),
      store.commit([put('a', 'third', 0)]),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: { failure: { code: 'NoSpace' } } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { revision: 1 } });
    expect(third).toMatchObject({ status: 'rejected', reason: { failure: { code: 'Conflict' } } });
    expect(await contents(store)).toBe('a=second');
  });

  test('deletions go on, though they came with writes that found no room', async () => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    for (const key of ['a', 'b', 'c', 'd']) await commit(store, put(key, '1'));
    engine.faultOf = (_, { isForDeletion, reclaims }) => (isForDeletion || reclaims ? undefined : 'no-space');
    const outcomes = await Promise.allSettled([
      store.commit([put('e', '1')]),
      store.commit([del('a')]),
      store.commit([put('b', '2')]),
      store.commit([{ type: 'put', key: 'c', value: Buffer.from('leaving'), isForDeletion: true }]),
      store.commit([del('d'), put('d2', '1')]),
      store.commit([del('b', 2)]),
      store.commit([put('f', '1')]),
    ]);
    const codes = outcomes.map((each) => (each.status === 'rejected' ? each.reason.failure.code : 'done'));
    expect(codes).toEqual(['NoSpace', 'done', 'NoSpace', 'done', 'NoSpace', 'done', 'NoSpace']);
    expect(await contents(store)).toBe('c=leaving d=1');
    engine.faultOf = () => undefined;
    await commit(store, put('e', '2'));
    expect(await contents(store)).toBe('c=leaving d=1 e=2');
  });

  test('a write that found no room makes the store forget its history', async () => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    for (const value of ['1', '2', '3']) await commit(store, put('a', value));
    engine.faultOf = (_, { reclaims }) => (reclaims ? undefined : 'no-space');
    expect(await failure(store.commit([put('a', '4')]))).toEqual({ code: 'NoSpace' });
    await vi.waitFor(() => expect(store.compactedRevision).toBe(3));
    await vi.waitFor(() => expect(engine.disk.values.size).toBe(1));
  });

  test('a compaction that found no room is completed by the next one', async () => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    for (const value of ['1', '2', '3']) await commit(store, put('a', value));
    engine.faultOf = (write) => (write >= engine.writes ? 'no-space' : undefined);
    expect(await failure(store.compact(revisionOf(3)))).toEqual({ code: 'NoSpace' });
    engine.faultOf = () => undefined;
    await store.compact(revisionOf(3));
    expect(await contents(store)).toBe('a=3');
    expect(engine.disk.values.size).toBe(1);
  });
});

describe('a flush that fails', () => {
  test.each(['lost', 'applied'] as const)('stops the store for good: outcome %s', async (fault) => {
    const engine = new FaultyEngine();
    await using store = await openStore(engine);
    await commit(store, put('a', '1'));
    engine.faultOf = (write) => (write === 3 ? fault : undefined);
    const outcomes = await Promise.allSettled([store.commit([put('a', '2')]), store.commit([put('b', '1', 7)])]);
    expect(outcomes[0]).toMatchObject({ reason: { failure: { code: 'Unavailable' } } });
    expect(await failure(store.commit([put('c', '1')]))).toMatchObject({ code: 'Unavailable' });
    expect(await failure(store.compact(revisionOf(1)))).toMatchObject({ code: 'Unavailable' });
    expect(engine.writes).toBe(3);
    expect(await contents(store)).toBe('a=1');
    await using reopened = await openMemoryStore({ disk: engine.disk });
    expect(await contents(reopened)).toBe(fault === 'lost' ? 'a=1' : 'a=2');
  });
});

test('nobody learns of a write before it is durable: not by reading, watching or conflicting', async () => {
  const engine = new FaultyEngine();
  await using store = await openStore(engine);
  const watch = store.watch({ start: '' });
  let open = () => {};
  engine.gate = new Promise((resolve) => {
    open = resolve;
  });
  const said: string[] = [];
  const writing = store.commit([put('a', '1', 0)]).then(() => said.push('written'));
  const losing = store.commit([put('a', '2', 0)]).catch(() => said.push('refused'));
  const watching = watch.next().then(() => said.push('seen'));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await store.get('a')).toBeUndefined();
  expect(store.revision).toBe(0);
  expect(said).toEqual([]);
  open();
  await Promise.all([writing, losing, watching]);
  expect(said.sort()).toEqual(['refused', 'seen', 'written']);
});

describe('losing power', () => {
  /** Writes, deletes and compacts at random, and remembers what was acknowledged when how many batches were durable. */
  async function busyStore(seed: number) {
    const engine = new FaultyEngine();
    const store = await openStore(engine);
    const random = new SeededRandom(seed);
    const acknowledged: { revision: number; batches: number; state: string }[] = [];
    for (let round = 0; round < 60; round++) {
      const key = () => `k${random.below(6)}`;
      const writes = Array.from({ length: 1 + random.below(4) }, (_, index) =>
        commit(store, random.below(4) === 0 ? del(key()) : put(key(), `${round}-${index}`)),
      );
      await Promise.all(writes);
      if (random.below(5) === 0) await store.compact((store.revision - random.below(3)) as Revision);
      acknowledged.push({ revision: store.revision, batches: engine.batches.length, state: await contents(store) });
    }
    await store.close();
    return { engine, acknowledged };
  }

  test('at any batch leaves exactly what was acknowledged by then', async () => {
    for (const seed of [1, 2, 3]) {
      const { engine, acknowledged } = await busyStore(seed);
      for (let count = 1; count <= engine.batches.length; count++) {
        await using store = await openMemoryStore({ disk: diskAfter(engine.batches.slice(0, count)) });
        const last = acknowledged.filter(({ batches }) => batches <= count).pop();
        if (last === undefined) continue;
        expect(store.revision).toBeGreaterThanOrEqual(last.revision);
        if (last.revision >= store.compactedRevision) expect(await contents(store, last.revision)).toBe(last.state);
        const next = acknowledged.find(({ batches }) => batches >= count);
        if (next?.revision === store.revision) expect(await contents(store)).toBe(next.state);
        await checkWhole(store);
      }
    }
  });

  test('inside a batch, as no engine should allow, is noticed or does no harm', async () => {
    const { engine, acknowledged } = await busyStore(4);
    let noticed = 0;
    for (let count = 1; count < engine.batches.length; count++) {
      const batch = engine.batches[count]!;
      const torn = [
        { log: batch.log.slice(0, 1), values: [] },
        { log: batch.log.slice(1), values: batch.values },
        { log: batch.log, values: batch.values.slice(1) },
        { log: [], values: batch.values },
      ];
      for (const part of torn) {
        const disk = diskAfter(engine.batches.slice(0, count), part);
        const store = await openMemoryStore({ disk }).catch(expectCorrupt);
        const state = store && (await contents(store).catch(expectCorrupt));
        if (state === undefined) noticed++;
        else expect(acknowledged.map((moment) => moment.state).concat('')).toContain(state);
        await store?.close();
      }
    }
    expect(noticed).toBeGreaterThan(60);
  });

  test('in the middle of compaction is made good when the store opens', async () => {
    const { engine } = await busyStore(5);
    for (let count = 1; count <= engine.batches.length; count++) {
      const disk = diskAfter(engine.batches.slice(0, count));
      const store = await openMemoryStore({ disk });
      const [before, revision] = [await contents(store), store.revision];
      await store.compact(store.revision);
      expect(await contents(store)).toBe(before);
      const { records } = await store.range({ start: '' });
      await store.close();
      expect([...disk.values.values()].reduce((sum, subs) => sum + subs.size, 0)).toBe(records.length);
      await using again = await openMemoryStore({ disk });
      expect([await contents(again), again.revision]).toEqual([before, revision]);
    }
  });
});

describe('reopening', () => {
  test('keeps records, history, revisions and compaction', async () => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore({ disk });
    for (let index = 0; index < 20; index++)
      await commit(store, put(`k${index % 3}`, `${index}`), put(`x${index}`, ''));
    await commit(store, del('k0'));
    await store.compact(revisionOf(10));
    const expected = await Promise.all([10, 15, 21].map((revision) => contents(store, revision)));
    await store.close();
    await using again = await openMemoryStore({ disk });
    expect([again.revision, again.compactedRevision]).toEqual([21, 10]);
    expect(await Promise.all([10, 15, 21].map((revision) => contents(again, revision)))).toEqual(expected);
    expect(await again.get('k1')).toMatchObject({ createRevision: 2, version: 7 });
    expect(await commit(again, put('k0', 'new', 0))).toBe(22);
  });

  test('an empty store that was compacted to its end does not go back', async () => {
    const disk = new MemoryDisk();
    const store = await openMemoryStore({ disk });
    await commit(store, put('a', '1'));
    await commit(store, del('a'));
    await store.compact(revisionOf(2));
    await store.close();
    await using again = await openMemoryStore({ disk });
    expect([again.revision, again.compactedRevision]).toEqual([2, 2]);
    expect(await commit(again, put('a', '2'))).toBe(3);
  });
});

test('a history with failing flushes is linearizable across restarts', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const random = new SeededRandom(seed);
    const disk = new MemoryDisk();
    const clients: RecordingClient[] = [];
    for (let restart = 0; restart < 8; restart++) {
      const engine = new FaultyEngine(disk);
      const stopAt = 30 + random.below(40);
      engine.faultOf = (write) => (write < stopAt ? undefined : random.below(2) ? 'lost' : 'applied');
      const store = await openStore(engine);
      const generation = Array.from(
        { length: 6 },
        (_, index) => new RecordingClient(store, { random, name: `r${restart}c${index}`, keys: 4 }),
      );
      clients.push(...generation);
      await Promise.all(generation.map((client) => client.work(40)));
      await store.close();
    }
    await using store = await openMemoryStore({ disk });
    const calls = clients.flatMap((client) => client.calls);
    expect(checkLinearizability(calls, await readTruth(store)), `seed ${seed}`).toEqual([]);
    const unknown = calls.filter(({ returnedAt }) => returnedAt === Number.POSITIVE_INFINITY);
    expect(unknown.length).toBeGreaterThan(calls.length * 0.01);
  }
});

/** Every revision that is kept can be read, and the watch of all of them agrees with it. */
async function checkWhole(store: Store): Promise<void> {
  const truth = await readTruth(store, store.compactedRevision);
  expect(truth).toHaveLength(store.revision - store.compactedRevision);
  for (let revision: number = store.compactedRevision; revision <= store.revision; revision += 7)
    await contents(store, revision);
}

function expectCorrupt(error: unknown): undefined {
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).failure.code).toBe('Corrupt');
  return undefined;
}

import { describe, expect, test } from 'vitest';
import { StoreError } from '../errors.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { Operation, Store, WatchBatch } from '../store.ts';
import { describeStore } from '../testing/describe-store.ts';
import { failure, nextBatch, revisionOf } from '../testing/store-cases.ts';
import { Replica, type ReplicatedChange } from './replica.ts';

const everything = { start: '' };

/** A store that reads from a replica of another one, which follows that through a watch. */
async function openReplicated(options: Parameters<typeof openMemoryStore>[0] = {}): Promise<Store> {
  const { seal, ...others } = options;
  const origin = await openMemoryStore(others);
  const replica = new Replica(seal === undefined ? {} : { seal });
  const following = follow(origin, replica);
  const seen = async (revision: Revision) => {
    await replica.reached(revision);
    return revision;
  };
  const close = async () => {
    await origin.close();
    await following;
    await replica.close(new StoreError({ code: 'Unavailable', problem: 'it is closed' }));
  };
  return {
    get revision() {
      return replica.revision;
    },
    get compactedRevision() {
      return replica.compactedRevision;
    },
    get history() {
      return replica.history;
    },
    limits: origin.limits,
    isShared: true,
    damagedKeys: replica.damagedKeys,
    expirations: () => origin.expirations(),
    latest: async () => seen(await origin.latest()),
    get: (key, read) => replica.get(key, read),
    range: (range, read) => replica.range(range, read),
    count: (range, read) => replica.count(range, read),
    watch: (range, watched) => replica.watch(range, watched),
    commit: async (operations: readonly Operation[]) => {
      try {
        return { revision: await seen((await origin.commit(operations)).revision) };
      } catch (error) {
        if (error instanceof StoreError && error.failure.code === 'Conflict') await seen(await origin.latest());
        throw error;
      }
    },
    compact: async (revision) => {
      await origin.compact(revision);
      await replica.compact(revision);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function follow(origin: Store, replica: Replica): Promise<void> {
  for await (const batch of origin.watch(everything)) replica.apply(batch.revision, changesOf(batch));
}

function changesOf({ events }: WatchBatch): ReplicatedChange[] {
  return events.map((event) => {
    if (event.type === 'delete') return { type: 'delete', key: event.key };
    const { key, value, createRevision, version } = event.record;
    return { type: 'put', key, value, createRevision, version };
  });
}

describeStore('a replica of a memory store', openReplicated);

describe('a replica', () => {
  function loaded(): Replica {
    const replica = new Replica();
    const record = { key: 'a', value: Buffer.from('1'), modRevision: revisionOf(3), createRevision: revisionOf(2) };
    replica.load(revisionOf(5), [{ ...record, version: 2 }]);
    return replica;
  }
  const write = (key: string, version: number): ReplicatedChange => ({
    type: 'put',
    key,
    value: Buffer.from(`${version}`),
    createRevision: revisionOf(2),
    version,
  });

  test('begins at the revision it was loaded at, and has nothing of what was before', async () => {
    const replica = loaded();
    expect([replica.revision, replica.compactedRevision]).toEqual([5, 5]);
    expect(replica.get('a')).toMatchObject({ modRevision: 3, createRevision: 2, version: 2 });
    expect(await failure(async () => replica.get('a', { revision: revisionOf(4) }))).toMatchObject({
      code: 'Compacted',
      oldest: 5,
    });
  });

  test('goes on over revisions at which nothing happened here, and so do its watches', async () => {
    const replica = loaded();
    const watch = replica.watch(everything);
    replica.advance(revisionOf(8));
    expect([replica.revision, watch.progress]).toEqual([8, 8]);
    replica.advance(revisionOf(7));
    expect(replica.revision).toBe(8);
    replica.apply(revisionOf(11), [write('a', 3)]);
    expect(await nextBatch(watch)).toBe('11: +a=3(was 1)');
    expect(await nextBatch(replica.watch(everything, { after: revisionOf(6) }))).toBe('11: +a=3(was 1)');
  });

  test('wakes those who wait for a revision, and only those', async () => {
    const replica = loaded();
    const reached: number[] = [];
    for (const revision of [9, 7, 6])
      void replica.reached(revisionOf(revision))?.then(
        () => reached.push(revision),
        () => undefined,
      );
    expect(replica.reached(revisionOf(5))).toBeUndefined();
    replica.advance(revisionOf(7));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reached.sort()).toEqual([6, 7]);
    const ended = failure(Promise.resolve(replica.reached(revisionOf(20))));
    await replica.close(new StoreError({ code: 'Unavailable', problem: 'it is closed' }));
    expect(await ended).toMatchObject({ code: 'Unavailable' });
  });

  test('that was loaded anew ends its watches with Compacted: what they missed cannot be shown', async () => {
    const replica = loaded();
    const watch = replica.watch(everything);
    const step = failure(watch.next());
    replica.load(revisionOf(20), []);
    expect(await step).toEqual({ code: 'Compacted', requested: 5, oldest: 20 });
    expect([replica.get('a'), replica.revision]).toEqual([undefined, 20]);
  });

  test('forgets the older half of its history when that takes too much', async () => {
    const replica = new Replica({ history: { maxMemoryBytes: 100_000, maxDiskBytes: 1 } });
    replica.load(revisionOf(0), []);
    for (let revision = 1; revision <= 2000; revision++) {
      replica.apply(revisionOf(revision), [write('a', revision)]);
      if (revision % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(replica.compactedRevision).toBeGreaterThan(1000);
    expect(replica.history.memoryBytes).toBeLessThan(100_000);
    expect(replica.get('a')).toMatchObject({ version: 2000 });
  });

  test('tells which keys hold what its seal does not open, and serves the others', async () => {
    const seal = {
      seal: (_: string, value: Uint8Array) => value,
      open: (key: string, value: Uint8Array) => {
        if (key === 'bad') throw new Error('it was sealed with another key');
        return value;
      },
    };
    const replica = new Replica({ seal });
    replica.load(revisionOf(0), []);
    replica.apply(revisionOf(1), [write('bad', 1), write('good', 1)]);
    expect(await failure(async () => replica.get('bad'))).toMatchObject({ code: 'Corrupt', key: 'bad' });
    expect([...replica.damagedKeys]).toEqual(['bad']);
    expect(replica.get('good')).toMatchObject({ version: 1 });
    replica.apply(revisionOf(2), [{ type: 'delete', key: 'bad' }]);
    expect(replica.damagedKeys.size).toBe(0);
  });

  test('opens a value with the first read of it, and once', () => {
    const opened: string[] = [];
    const seal = {
      seal: (_: string, value: Uint8Array) => value,
      open: (key: string, value: Uint8Array) => {
        opened.push(key);
        return value;
      },
    };
    const replica = new Replica({ seal });
    replica.load(revisionOf(0), []);
    replica.apply(revisionOf(1), [write('a', 1), write('b', 1)]);
    expect(opened).toEqual([]);
    expect(replica.get('a')!.value).toBe(replica.get('a')!.value);
    expect(opened).toEqual(['a']);
  });
});

import { SeededRandom, yieldToEventLoop } from '@pintle/async';
import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import { type KeyRange, prefixRange } from '../key-range.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { Store, WatchBatch } from '../store.ts';
import { type RecordedWatch, type RecordedWatchStep, type TrueTransaction, toTransaction } from '../testing/history.ts';
import { commit, del, put } from '../testing/store-cases.ts';
import { checkWatch } from '../testing/watch-checker.ts';
import { WatchHub } from './watch-hub.ts';
import { Watcher } from './watcher.ts';

const everything = { start: '' };

function batchAt(revision: number, bytes = 0): WatchBatch {
  const at = revision as Revision;
  const record = { key: 'a', value: new Uint8Array(bytes), modRevision: at, createRevision: at, version: 1 };
  return { revision: at, events: [{ type: 'put', record }] };
}

describe('a watcher that is not read from', () => {
  function createWatcher() {
    const hub = new WatchHub(0 as Revision, () => {
      throw new Error('not needed');
    });
    const asked: number[] = [];
    const watcher = new Watcher({
      hub,
      range: everything,
      after: 0 as Revision,
      readHistory: (_, after) => {
        asked.push(after);
        return { batches: [batchAt(after + 1)], through: (after + 1) as Revision };
      },
    });
    return { watcher, asked };
  }

  test('keeps a few batches and asks history for nothing', async () => {
    const { watcher, asked } = createWatcher();
    for (let revision = 1; revision <= 100; revision++) watcher.offer(batchAt(revision));
    for (let revision = 1; revision <= 100; revision++) expect((await watcher.next()).value?.revision).toBe(revision);
    expect(asked).toEqual([]);
  });

  test('lets go of everything when there are many, and reads them from history', async () => {
    const { watcher, asked } = createWatcher();
    for (let revision = 1; revision <= 129; revision++) watcher.offer(batchAt(revision));
    expect(watcher.progress).toBe(0);
    expect((await watcher.next()).value?.revision).toBe(1);
    expect(asked).toEqual([0]);
  });

  test('lets go of everything when they are large', async () => {
    const { watcher, asked } = createWatcher();
    for (let revision = 1; revision <= 3; revision++) watcher.offer(batchAt(revision, 400_000));
    expect((await watcher.next()).value?.revision).toBe(1);
    expect(asked).toEqual([0]);
  });
});

describe('watchers that begin far back together', () => {
  const PRESENT = 5000;
  const SLICE = 1000;
  const WATCHERS = 20;

  /** Watchers of a key that never comes, and how many slices are read in each turn of the event loop until all are live. */
  async function slicesPerTurn(after: number): Promise<number[]> {
    const hub = new WatchHub(PRESENT as Revision, () => {
      throw new Error('not needed');
    });
    const slices = [0];
    let live = 0;
    const readHistory = (_: KeyRange, from: Revision) => {
      slices[slices.length - 1]!++;
      const through = Math.min(from + SLICE, PRESENT) as Revision;
      if (through === PRESENT) live++;
      return { batches: [], through };
    };
    for (let i = 0; i < WATCHERS; i++) {
      void new Watcher({ hub, range: everything, after: after as Revision, readHistory }).next();
    }
    while (live < WATCHERS) {
      slices.push(0);
      await yieldToEventLoop();
    }
    return slices;
  }

  test('read each slice of history in a turn of its own', async () => {
    const slices = await slicesPerTurn(0);
    expect(Math.max(...slices)).toBe(1);
    expect(slices.reduce((sum, count) => sum + count)).toBe((WATCHERS * PRESENT) / SLICE);
  });

  test('read at once what they missed when it is little', async () => {
    expect(await slicesPerTurn(PRESENT - 10)).toEqual([WATCHERS]);
  });

  test('take turns by their owners, so that few wait for few', async () => {
    const hub = new WatchHub(PRESENT as Revision, () => {
      throw new Error('not needed');
    });
    const live: string[] = [];
    const begin = (owner: string): void => {
      const readHistory = (_: KeyRange, from: Revision) => {
        const through = Math.min(from + SLICE, PRESENT) as Revision;
        if (through === PRESENT) live.push(owner);
        return { batches: [], through };
      };
      void new Watcher({ hub, range: everything, after: 0 as Revision, readHistory, owner }).next();
    };
    for (let i = 0; i < WATCHERS; i++) begin('many');
    begin('few');
    while (live.length <= WATCHERS) await yieldToEventLoop();
    expect(live[0]).toBe('few');
  });

  test('read nothing once they are over', async () => {
    const hub = new WatchHub(PRESENT as Revision, () => {
      throw new Error('not needed');
    });
    let slices = 0;
    const readHistory = () => {
      slices++;
      return { batches: [], through: PRESENT as Revision };
    };
    const watcher = new Watcher({ hub, range: everything, after: 0 as Revision, readHistory });
    const next = watcher.next();
    await watcher.return();
    expect((await next).done).toBe(true);
    await yieldToEventLoop();
    await yieldToEventLoop();
    expect(slices).toBe(0);
  });
});

test('watches keep their promises while others write, read slowly, resume and compact', async () => {
  const seed = Date.now() % 1_000_000;
  const random = new SeededRandom(seed);
  await using store = await openMemoryStore();
  const ranges: KeyRange[] = [everything, prefixRange('/a/'), prefixRange('/b/'), { start: '/a/3', end: '/b/2' }];
  const lastRevision = 3000;
  const followers = Array.from({ length: 24 }, (_, index) =>
    follow(store, ranges[index % ranges.length]!, new SeededRandom(seed + index), lastRevision),
  );
  const truthWatch = readAll(store, lastRevision);
  while (store.revision < lastRevision) {
    const burst = Math.min(1 + random.below(60), lastRevision - store.revision);
    await Promise.all(Array.from({ length: burst }, () => commit(store, ...someWrites(random))));
    if (random.below(4) === 0) await store.compact(Math.max(0, store.revision - random.below(150)) as Revision);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await commit(store, put('/a/3', 'end'), put('/b/1', 'end'));
  const recorded = (await Promise.all(followers)).flat();
  const truth = await truthWatch;
  for (const watch of recorded) expect(checkWatch(watch, truth), `seed ${seed}`).toEqual([]);
  expect(recorded.length).toBeGreaterThan(30);
});

test('thousands of watchers elsewhere cost a write next to nothing', async () => {
  await using store = await openMemoryStore();
  const writeAll = async (): Promise<number> => {
    const computedMs = threadTimer();
    for (let round = 0; round < 2000; round++) await commit(store, put(`/namespace-${round}/a`, ''));
    return computedMs();
  };
  await writeAll();
  const unwatchedMs = await writeAll();
  const watches = Array.from({ length: 5000 }, (_, index) => store.watch(prefixRange(`/namespace-${index}/`)));
  // Asking each of them would take a hundred times as long.
  expect(await writeAll()).toBeLessThan(unwatchedMs * 20);
  expect((await watches[1999]!.next()).value?.revision).toBe(6000);
});

/** The first write always changes something, so that every transaction takes a revision. */
function someWrites(random: SeededRandom) {
  const key = () => `/${'ab'[random.below(2)]}/${random.below(5)}`;
  const first = key();
  const second = key();
  const value = `${random.next()}`;
  if (second === first) return [put(first, value)];
  return [put(first, value), random.below(3) === 0 ? del(second) : put(second, value)];
}

/** Watches, reading fast or slowly, now and then resuming where it stopped; begins anew when compaction was faster. */
async function follow(store: Store, range: KeyRange, random: SeededRandom, until: number): Promise<RecordedWatch[]> {
  const recorded: RecordedWatch[] = [];
  let after: number = store.revision;
  while (after < until) {
    const steps: RecordedWatchStep[] = [];
    const watch = store.watch(range, { after: after as Revision });
    recorded.push({ range, after, steps });
    const pace = random.below(3);
    try {
      for await (const batch of watch) {
        steps.push({ type: 'batch', batch }, { type: 'progress', revision: watch.progress });
        if (watch.progress >= until || random.below(200) === 0) break;
        for (let pause = 0; pause < pace * random.below(4); pause++)
          await new Promise((resolve) => setImmediate(resolve));
      }
      after = watch.progress;
    } catch {
      after = store.revision;
    }
  }
  return recorded;
}

/** The truth, read by one who always keeps up. */
async function readAll(store: Store, until: number): Promise<TrueTransaction[]> {
  const truth: TrueTransaction[] = [];
  for await (const batch of store.watch(everything, { after: 0 as Revision })) {
    truth.push(toTransaction(batch));
    if (batch.revision > until) break;
  }
  return truth;
}

import { MessageChannel } from 'node:worker_threads';
import { realClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { RangeOptions, Store } from '../store.ts';
import { describeStore } from '../testing/describe-store.ts';
import { runHistory } from '../testing/history-run.ts';
import { openMirrorStore } from './mirror-store.ts';
import type { StoreChannel } from './store-channel.ts';
import { serveStore } from './store-service.ts';

const seed = Number(process.env.PINTLE_SEED ?? Date.now() % 1_000_000);

/** Two ends that copy messages as processes do. */
function channelPair(): { readonly ends: readonly [StoreChannel, StoreChannel]; close(): void } {
  const { port1, port2 } = new MessageChannel();
  const end = (port: typeof port1): StoreChannel => ({
    send: async (message) => port.postMessage(message),
    receive(onMessage, onEnd) {
      port.on('message', onMessage);
      port.on('close', onEnd);
    },
  });
  return { ends: [end(port1), end(port2)], close: () => port1.close() };
}

async function mirrorOf(store: Store): Promise<{ mirror: Store; close(): void }> {
  const { ends, close } = channelPair();
  serveStore(store, ends[0]);
  return { mirror: await openMirrorStore(ends[1]), close };
}

const put = (key: string, value: string, expected?: number) =>
  ({
    type: 'put',
    key,
    value: Buffer.from(value),
    ...(expected !== undefined && { expected: expected as Revision }),
  }) as const;
const textAt = async (store: Store, key: string) => {
  const record = await store.get(key);
  return record && Buffer.from(record.value).toString();
};
const failureOf = async (work: unknown) => {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return (error as StoreError).failure;
};

describeStore('the mirror of a store', async (options) => {
  const store = await openMemoryStore(options);
  const { mirror, close } = await mirrorOf(store);
  const end = mirror.close.bind(mirror);
  const closeAll = async () => {
    await end();
    close();
    await store.close();
  };
  return Object.assign(mirror, { close: closeAll, [Symbol.asyncDispose]: closeAll });
});

describe('mirrors', () => {
  test('what one process has acknowledged, another shows after it asked for the latest revision', async () => {
    await using store = await openMemoryStore({});
    const first = await mirrorOf(store);
    const second = await mirrorOf(store);
    const places = [store, first.mirror, second.mirror];
    for (let round = 0; round < 600; round++) {
      const [writer, reader] = [places[round % 3]!, places[(round + 1 + (round % 2)) % 3]!];
      const { revision } = await writer.commit([put('a', `${round}`)]);
      expect(await reader.latest()).toBeGreaterThanOrEqual(revision);
      expect(await textAt(reader, 'a')).toBe(`${round}`);
    }
    first.close();
    second.close();
  });

  test('callers of one turn share one question', async () => {
    await using store = await openMemoryStore({});
    const { mirror, close } = await mirrorOf(store);
    const asked = Array.from({ length: 50 }, () => mirror.latest());
    expect(new Set(asked).size).toBe(1);
    await Promise.all(asked);
    expect(mirror.latest()).not.toBe(asked[0]);
    await mirror.latest();
    close();
  });

  test('a mirror has the history that the store still has', async () => {
    await using store = await openMemoryStore({});
    for (const value of ['1', '2', '3', '4']) await store.commit([put('a', value)]);
    await store.compact(2 as Revision);
    const { mirror, close } = await mirrorOf(store);
    expect([mirror.compactedRevision, mirror.revision]).toEqual([2, 4]);
    expect((await mirror.get('a', { revision: 3 as Revision }))?.value.toString()).toBe('3');
    const events = mirror.watch({ start: '' }, { after: 2 as Revision });
    expect((await events.next()).value?.revision).toBe(3);
    await store.compact(4 as Revision);
    await mirror.commit([put('a', '5')]);
    await expect.poll(() => mirror.compactedRevision).toBe(4);
    close();
  });

  test('a store is loaded in pages while others write', async () => {
    await using store = await openMemoryStore({});
    for (let at = 0; at < 5000; at += 100)
      await store.commit(Array.from({ length: 100 }, (_, index) => put(`k${at + index}`, 'x'.repeat(1000))));
    let isOver = false;
    const writing = (async () => {
      for (let round = 0; !isOver; round++) {
        await store.commit([put(`k${round % 5000}`, `${round}`)]);
        if (round % 10 === 0) await realClock.sleep(0);
      }
    })();
    const { mirror, close } = await mirrorOf(store);
    isOver = true;
    await writing;
    await mirror.latest();
    const all = async (from: Store) =>
      (await from.range({ start: '' })).records.map(({ key, value }) => [key, Buffer.from(value).toString()]);
    expect(await all(mirror)).toEqual(await all(store));
    close();
  });

  test('a mirror that is slow holds back the feed, and is loaded again when compaction overtakes it', async () => {
    await using store = await openMemoryStore({});
    const { ends, close } = channelPair();
    let sent = 0;
    let release: (() => void) | undefined;
    serveStore(store, {
      ...ends[0],
      send: async (message) => {
        sent++;
        await ends[0].send(message);
        if (isSlow) await new Promise<void>((resolve) => (release = resolve));
      },
    });
    let isSlow = false;
    const mirror = await openMirrorStore(ends[1]);
    const watch = mirror.watch({ start: '' });
    isSlow = true;
    await store.commit([put('a', 'first')]);
    await expect.poll(() => release).toBeDefined();
    const before = sent;
    for (let index = 0; index < 400; index++) await store.commit([put('a', 'x'.repeat(10_000))]);
    expect(sent).toBe(before);
    await store.compact(store.revision);
    isSlow = false;
    release!();
    await mirror.latest();
    expect(mirror.revision).toBe(401);
    expect(mirror.compactedRevision).toBe(401);
    await expect(
      (async () => {
        for await (const _ of watch);
      })(),
    ).rejects.toMatchObject({ failure: { code: 'Compacted' } });
    close();
  });

  test('a write whose answer is lost is sent once, and its outcome is unknown', async () => {
    await using store = await openMemoryStore({});
    const { ends, close } = channelPair();
    let isMute = false;
    serveStore(store, { ...ends[0], send: async (message) => (isMute ? undefined : ends[0].send(message)) });
    const mirror = await openMirrorStore(ends[1]);
    isMute = true;
    const writing = failureOf(mirror.commit([put('a', '1', 0)]));
    await expect.poll(() => store.revision).toBe(1);
    close();
    expect(await writing).toMatchObject({ code: 'Unavailable' });
    expect(await failureOf(mirror.latest())).toMatchObject({ code: 'Unavailable' });
    expect(await failureOf((async () => mirror.get('a'))())).toMatchObject({ code: 'Unavailable' });
    expect(await store.get('a')).toMatchObject({ version: 1 });
  });

  test('a mirror ends with its store', async () => {
    const store = await openMemoryStore({});
    const { mirror, close } = await mirrorOf(store);
    const watch = mirror.watch({ start: '' });
    await store.close();
    expect(await watch.next()).toMatchObject({ done: true });
    expect(await failureOf(mirror.commit([put('a', '1')]))).toMatchObject({ code: 'Unavailable' });
    close();
  });

  test('a record that the store cannot read is damaged in the mirror too, until it is deleted', async () => {
    await using store = await openMemoryStore({});
    await store.commit([put('bad', '1'), put('good', '1')]);
    await store.commit([put('bad', '2')]);
    const bad = new StoreError({
      code: 'Corrupt',
      key: 'bad',
      revision: 2 as Revision,
      problem: 'its checksum is wrong',
    });
    const range = store.range.bind(store);
    Object.assign(store, {
      range: async (within: KeyRange, options: RangeOptions) => {
        const found = await range(within, options);
        options.onDamaged?.(bad);
        return { ...found, records: found.records.filter(({ key }) => key !== 'bad') };
      },
    });
    await store.compact(2 as Revision);
    const { mirror, close } = await mirrorOf(store);
    expect(await failureOf((async () => mirror.get('bad'))())).toEqual(bad.failure);
    expect([...mirror.damagedKeys]).toEqual(['bad']);
    expect(await textAt(mirror, 'good')).toBe('1');
    await mirror.commit([{ type: 'delete', key: 'bad' }]);
    expect(mirror.damagedKeys.size).toBe(0);
    expect(await mirror.get('bad')).toBeUndefined();
    close();
  });

  test('several mirrors are linearizable, and their watches true, with compaction every 20 ms', async () => {
    await using store = await openMemoryStore({});
    const mirrors = [await mirrorOf(store), await mirrorOf(store)];
    const stores = mirrors.map(({ mirror }) => mirror);
    const during = async () => {
      for (let elapsed = 0; elapsed < 1000; elapsed += 20) {
        await realClock.sleep(20);
        await mirrors[0]!.mirror.compact(mirrors[0]!.mirror.revision);
      }
    };
    const run = await runHistory({ stores, witness: store, seed, during });
    expect(run.problems, `seed ${seed}`).toEqual([]);
    expect(run.calls).toBeGreaterThan(100);
    for (const { close } of mirrors) close();
  });

  test('a mirror knows which records the store calls outdated', async () => {
    await using store = await openMemoryStore({});
    await store.commit([put('old', '1'), put('new', '1')]);
    Object.assign(store, { isOutdated: ({ key }: { key: string }) => key.startsWith('old') });
    const { mirror, close } = await mirrorOf(store);
    await mirror.commit([put('old2', '1')]);
    const outdated = (await mirror.range({ start: '' })).records.filter((record) => mirror.isOutdated!(record));
    expect(outdated.map(({ key }) => key)).toEqual(['old', 'old2']);
    close();
  });
});

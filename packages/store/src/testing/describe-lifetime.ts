import type { SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import type { OpenEmptyStore } from './describe-store.ts';
import { commit, contents, failure, leased, nextBatch, put } from './store-cases.ts';

const everything = { start: '' };

export function describeLeases(open: OpenEmptyStore, createClock: () => SteppedClock): void {
  describe('leases', () => {
    test('a key with a time to live is deleted when it has passed, like any other', async () => {
      const clock = createClock();
      await using store = await open({ clock });
      await commit(store, leased('a', '1', 1000), put('b', '1'));
      const watch = store.watch(everything);
      await clock.advance(999);
      expect(await contents(store)).toBe('a=1 b=1');
      await clock.advance(1);
      expect(await nextBatch(watch)).toBe('2: -a=1');
      expect(await contents(store)).toBe('b=1');
    });

    test('a later write replaces the time to live', async () => {
      const clock = createClock();
      await using store = await open({ clock });
      await commit(store, leased('renewed', '1', 1000), leased('kept', '1', 1000), leased('gone', '1', 1000));
      const watch = store.watch(everything, { after: store.revision });
      await clock.advance(500);
      await commit(store, leased('renewed', '2', 1000), put('kept', '2'));
      await watch.next();
      await clock.advance(500);
      expect(await nextBatch(watch)).toBe('3: -gone=1');
      expect(await contents(store)).toBe('kept=2 renewed=2');
      await clock.advance(500);
      expect(await nextBatch(watch)).toBe('4: -renewed=2');
      await clock.advance(1_000_000);
      expect(await contents(store)).toBe('kept=2');
    });

    test('tells when keys will be deleted, by the wall clock', async () => {
      const clock = createClock();
      await using store = await open({ clock });
      await commit(store, leased('a', '1', 1000), leased('b', '1', 5000), leased('c', '1', 9000), put('d', '1'));
      const startedAt = clock.now();
      await clock.advance(500);
      await commit(store, leased('b', '2', 2000), put('c', '2'));
      expect([...(await store.expirations())].sort()).toEqual([
        ['a', startedAt + 1000],
        ['b', startedAt + 2500],
      ]);
      await clock.advance(500);
      expect([...(await store.expirations()).keys()]).toEqual(['b']);
    });

    test('setting the wall clock neither shortens nor lengthens a lease', async () => {
      const clock = createClock();
      await using store = await open({ clock });
      await commit(store, leased('a', '1', 1000));
      const watch = store.watch(everything);
      clock.setNow(clock.now() + 86_400_000);
      await clock.advance(999);
      expect(await contents(store)).toBe('a=1');
      clock.setNow(clock.now() - 2 * 86_400_000);
      await clock.advance(1);
      expect(await nextBatch(watch)).toBe('2: -a=1');
    });
  });
}

/** For stores whose engine measures time, which cannot be stepped: waits for the shortest lease. */
export function describeEngineLeases(open: OpenEmptyStore): void {
  describe('leases', () => {
    test('a key with a time to live is deleted when it has passed and not before, like any other', async () => {
      await using store = await open();
      const startedMs = performance.now();
      await commit(store, leased('a', '1', 1000), put('b', '1'));
      expect([...(await store.expirations()).keys()]).toEqual(['a']);
      const watch = store.watch(everything);
      expect(await contents(store)).toBe('a=1 b=1');
      expect(await nextBatch(watch)).toBe('2: -a=1');
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(1000);
      expect(await contents(store)).toBe('b=1');
    });

    test('a later write replaces the time to live', async () => {
      await using store = await open();
      await commit(store, leased('renewed', '1', 1000), leased('kept', '1', 1000), leased('gone', '1', 1000));
      await commit(store, leased('renewed', '2', 60_000), put('kept', '2'));
      expect(await nextBatch(store.watch(everything))).toBe('3: -gone=1');
      expect(await contents(store)).toBe('kept=2 renewed=2');
    });

    test('many keys end together, each once', async () => {
      await using store = await open();
      await Promise.all(Array.from({ length: 200 }, (_, index) => commit(store, leased(`k${index}`, '', 1000))));
      const watch = store.watch(everything);
      const ended = new Set<string>();
      for (let events = 0; events < 200; ) {
        const batch = (await watch.next()).value!;
        events += batch.events.length;
        for (const event of batch.events) ended.add(event.type === 'delete' ? event.key : '');
      }
      expect(ended.size).toBe(200);
      expect(await contents(store)).toBe('');
    });
  });
}

export function describeClosing(open: OpenEmptyStore): void {
  describe('closing', () => {
    test('waits for writes in flight and then refuses', async () => {
      const store = await open();
      const writes = Array.from({ length: 20 }, (_, index) => commit(store, put(`k${index}`, '')));
      const closed = store.close();
      expect(await Promise.all(writes)).toHaveLength(20);
      await closed;
      expect(await failure(store.commit([put('a', '1')]))).toMatchObject({ code: 'Unavailable' });
      expect(await failure(async () => await store.get('a'))).toMatchObject({ code: 'Unavailable' });
      expect(await failure(store.compact(store.revision))).toMatchObject({ code: 'Unavailable' });
    });

    test('may happen twice', async () => {
      const store = await open();
      await Promise.all([store.close(), store.close()]);
      await store.close();
    });

    test('ends watches, whether they wait, lag or never began', async () => {
      const store = await open();
      await commit(store, put('a', '1'));
      const waiting = store.watch(everything);
      const step = nextBatch(waiting);
      const behind = store.watch(everything, { after: 0 as typeof store.revision });
      await store.close();
      expect(await step).toBe('done');
      expect(await nextBatch(behind)).toBe('done');
      expect(await nextBatch(store.watch(everything))).toBe('done');
    });
  });
}

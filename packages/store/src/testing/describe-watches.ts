import { describe, expect, test } from 'vitest';
import { keyAfter, prefixRange } from '../key-range.ts';
import type { OpenEmptyStore } from './describe-store.ts';
import { commit, del, failure, nextBatch, nextBatches, put, revisionOf } from './store-cases.ts';

const everything = { start: '' };

export function describeWatches(open: OpenEmptyStore): void {
  describe('watches', () => {
    test('a watch delivers what happens after it was made', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      const watch = store.watch(everything);
      await commit(store, put('a', '2'));
      await commit(store, del('a'));
      await commit(store, put('a', '3'));
      expect(await nextBatches(watch, 3)).toEqual(['2: +a=2(was 1)', '3: -a=2', '4: +a=3']);
    });

    test('a watch resumes after any revision', async () => {
      await using store = await open();
      for (let index = 1; index <= 5; index++) await commit(store, put(`k${index}`, `${index}`));
      for (let after = 0; after < 5; after++) {
        const watch = store.watch(everything, { after: revisionOf(after) });
        expect(await nextBatch(watch)).toBe(`${after + 1}: +k${after + 1}=${after + 1}`);
        await watch.return?.();
      }
    });

    test('history and present join without gap or repetition', async () => {
      await using store = await open();
      for (let index = 1; index <= 3; index++) await commit(store, put('a', `${index}`));
      const watch = store.watch(everything, { after: revisionOf(0) });
      const received = nextBatches(watch, 6);
      for (let index = 4; index <= 6; index++) await commit(store, put('a', `${index}`));
      expect((await received).map((batch) => Number.parseInt(batch, 10))).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('a transaction is one batch, in the order of its operations, live and from history', async () => {
      await using store = await open();
      const live = store.watch(prefixRange('/x/'));
      await commit(store, put('/x/b', '1'), put('/y/a', '1'), put('/x/a', '1'));
      await commit(store, del('/x/b'), put('/y/b', '1'), put('/x/a', '2'));
      const expected = ['1: +/x/b=1 +/x/a=1', '2: -/x/b=1 +/x/a=2(was 1)'];
      expect(await nextBatches(live, 2)).toEqual(expected);
      const late = store.watch(prefixRange('/x/'), { after: revisionOf(0) });
      expect(await nextBatches(late, 2)).toEqual(expected);
    });

    test.each([
      ['one key', { start: '/b', end: keyAfter('/b') }, '/b'],
      ['a prefix', prefixRange('/b/'), '/b/1 /b/2'],
      ['everything', { start: '' }, '/a /b /b/1 /b/2 /c \u{1f600}'],
      ['an interval', { start: '/a1', end: '/b/2' }, '/b /b/1'],
      ['from a key on', { start: '/b/2' }, '/b/2 /c \u{1f600}'],
      ['beyond UTF-16', { start: '\uffee' }, '\u{1f600}'],
    ])('a watch of %s sees that and nothing else', async (_, range, keys) => {
      await using store = await open();
      const live = store.watch(range);
      for (const key of ['/a', '/b', '/b/1', '/b/2', '/c', '\u{1f600}']) await commit(store, put(key, ''));
      const count = keys.split(' ').length;
      for (const watch of [live, store.watch(range, { after: revisionOf(0) })]) {
        const seen = await nextBatches(watch, count);
        expect(seen.map((batch) => batch.replace(/^\d+: \+(.*)=$/, '$1')).join(' ')).toBe(keys);
        expect(watch.progress).toBe(6);
      }
    });

    test('a watcher that does not read gets everything later, in order', async () => {
      await using store = await open();
      const watch = store.watch(prefixRange('/a/'));
      const total = 1000;
      const committed: number[] = [];
      for (let index = 0; index < total; index += 50) {
        const revisions = await Promise.all(
          Array.from({ length: 50 }, (_, offset) =>
            commit(store, put(`/${offset % 2 ? 'a' : 'b'}/${offset}`, `${index}`)),
          ),
        );
        committed.push(...revisions.filter((_, offset) => offset % 2 === 1).sort((a, b) => a - b));
      }
      const revisions: number[] = [];
      while (revisions.length < total / 2) revisions.push((await watch.next()).value!.revision);
      expect(revisions).toEqual(committed);
      const next = nextBatch(watch);
      await commit(store, put('/a/last', ''));
      expect(await next).toBe(`${total + 1}: +/a/last=`);
    });

    test('a watcher falls behind and catches up again and again', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      let expected = 1;
      for (let round = 0; round < 4; round++) {
        await Promise.all(Array.from({ length: 150 }, () => commit(store, put('a', `${round}`))));
        for (let read = 0; read < 140; read++) expect((await watch.next()).value!.revision).toBe(expected++);
      }
      while (expected <= 600) expect((await watch.next()).value!.revision).toBe(expected++);
      expect(watch.progress).toBe(600);
    });

    test('progress never runs ahead of a batch that was not handed out', async () => {
      await using store = await open();
      const watch = store.watch(prefixRange('/a/'), { after: revisionOf(0) });
      expect(watch.progress).toBe(0);
      await commit(store, put('/b/1', ''));
      await commit(store, put('/a/1', ''));
      await commit(store, put('/b/2', ''));
      expect(watch.progress).toBeLessThan(2);
      expect(await nextBatch(watch)).toBe('2: +/a/1=');
      expect(watch.progress).toBeGreaterThanOrEqual(2);
      const next = nextBatch(watch);
      await commit(store, put('/b/3', ''));
      expect(watch.progress).toBe(4);
      await commit(store, put('/a/2', ''));
      expect(await next).toBe('5: +/a/2=');
    });

    test('a watch that begins in the future is refused at its first step', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      const watch = store.watch(everything, { after: revisionOf(2) });
      expect(await failure(watch.next())).toEqual({ code: 'Future', requested: 2, current: 1 });
      expect(await nextBatch(watch)).toBe('done');
    });

    test('return ends a watch, also while it waits', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      const waiting = nextBatch(watch);
      await watch.return?.();
      expect(await waiting).toBe('done');
      await commit(store, put('a', '1'));
      expect(await nextBatch(watch)).toBe('done');
    });

    test('leaving a for-await loop ends the watch', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      await commit(store, put('a', '1'));
      await commit(store, put('a', '2'));
      for await (const batch of watch) {
        expect(batch.revision).toBe(1);
        break;
      }
      expect(await nextBatch(watch)).toBe('done');
    });

    test('an aborted signal is thrown, once', async () => {
      await using store = await open();
      const controller = new AbortController();
      const watch = store.watch(everything, { signal: controller.signal });
      const waiting = watch.next();
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      expect(await nextBatch(watch)).toBe('done');
      const never = store.watch(everything, { signal: controller.signal });
      await expect(never.next()).rejects.toThrow('enough');
    });

    test('several readers of one watch get one batch each, in order', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      const readers = [nextBatch(watch), nextBatch(watch), nextBatch(watch)];
      for (const value of ['1', '2', '3']) await commit(store, put('a', value));
      expect(await Promise.all(readers)).toEqual(['1: +a=1', '2: +a=2(was 1)', '3: +a=3(was 2)']);
    });

    test('many watchers each see their own', async () => {
      await using store = await open();
      const watches = Array.from({ length: 500 }, (_, index) => store.watch(prefixRange(`/${index}/`)));
      const revisions = await Promise.all(watches.map((_, index) => commit(store, put(`/${index}/x`, `${index}`))));
      for (const [index, watch] of watches.entries())
        expect(await nextBatch(watch)).toBe(`${revisions[index]}: +/${index}/x=${index}`);
    });

    test('an event carries the whole record and the whole previous record', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      await commit(store, put('a', '1'));
      await commit(store, put('a', '2'));
      await commit(store, del('a'));
      await watch.next();
      const one = { key: 'a', createRevision: 1, modRevision: 1, version: 1 };
      const two = { key: 'a', createRevision: 1, modRevision: 2, version: 2 };
      expect((await watch.next()).value!.events).toMatchObject([{ type: 'put', record: two, previous: one }]);
      expect((await watch.next()).value!.events).toMatchObject([
        { type: 'delete', key: 'a', revision: 3, previous: two },
      ]);
    });
  });
}

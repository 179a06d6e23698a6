import { describe, expect, test } from 'vitest';
import type { Revision } from '../revision.ts';
import type { OpenEmptyStore } from './describe-store.ts';
import { commit, commitAll, contents, del, failure, nextBatch, nextBatches, put, revisionOf } from './store-cases.ts';

const everything = { start: '' };

export function describeCompaction(open: OpenEmptyStore): void {
  describe('compaction', () => {
    test('history before the revision is gone, the rest reads as before', async () => {
      await using store = await open();
      await commit(store, put('a', '1'), put('b', '1'));
      await commit(store, put('a', '2'));
      await commit(store, del('b'));
      await commit(store, put('a', '3'));
      await store.compact(revisionOf(2));
      expect(store.compactedRevision).toBe(2);
      const compacted = { code: 'Compacted', requested: 1, oldest: 2 };
      expect(await failure(async () => await store.get('a', { revision: revisionOf(1) }))).toEqual(compacted);
      expect(await failure(store.range(everything, { revision: revisionOf(1) }))).toEqual(compacted);
      expect(await failure(store.count(everything, { revision: revisionOf(1) }))).toEqual(compacted);
      expect(await contents(store, 2)).toBe('a=2 b=1');
      expect(await contents(store, 3)).toBe('a=2');
      expect(await contents(store)).toBe('a=3');
    });

    test('compacting inside a group of writes that were flushed together works', async () => {
      await using store = await open();
      await Promise.all(Array.from({ length: 40 }, (_, index) => commit(store, put(`k${index % 4}`, `${index}`))));
      const before = await Promise.all([17, 18, 30, 40].map((revision) => contents(store, revision)));
      await store.compact(revisionOf(17));
      expect(await Promise.all([17, 18, 30, 40].map((revision) => contents(store, revision)))).toEqual(before);
      await store.compact(revisionOf(30));
      expect(await contents(store, 30)).toBe(before[2]);
      await store.compact(revisionOf(40));
      expect(await contents(store)).toBe(before[3]);
    });

    test('a deleted key stays deleted, and may come back', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, del('a'));
      await store.compact(revisionOf(2));
      expect(await contents(store)).toBe('');
      expect(await store.count(everything)).toBe(0);
      await commit(store, put('a', '2', 0));
      expect(await store.get('a')).toMatchObject({ createRevision: 3, version: 1 });
    });

    test('a deletion right at the compacted revision is not delivered, one right after it is', async () => {
      await using store = await open();
      await commit(store, put('a', '1'), put('b', '1'));
      await commit(store, del('a'));
      await commit(store, del('b'));
      await store.compact(revisionOf(2));
      const watch = store.watch(everything, { after: revisionOf(2) });
      expect(await nextBatch(watch)).toBe('3: -b=1');
    });

    test('a watch may begin at the compacted revision, not before it', async () => {
      await using store = await open();
      for (const value of ['1', '2', '3', '4']) await commit(store, put('a', value));
      await store.compact(revisionOf(3));
      expect(await failure(store.watch(everything, { after: revisionOf(2) }).next())).toEqual({
        code: 'Compacted',
        requested: 2,
        oldest: 3,
      });
      expect(await nextBatch(store.watch(everything, { after: revisionOf(3) }))).toBe('4: +a=4(was 3)');
    });

    test('a live watch does not notice compaction', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      const received = nextBatches(watch, 30);
      for (let index = 1; index <= 30; index++) {
        const revision = await commit(store, index % 5 === 0 ? del('a') : put('a', `${index}`));
        await store.compact(revision);
      }
      expect((await received).map((batch) => Number.parseInt(batch, 10))).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      );
    });

    test('compaction overtakes a watcher that fell behind', async () => {
      await using store = await open();
      const watch = store.watch(everything);
      await Promise.all(Array.from({ length: 300 }, (_, index) => commit(store, put('a', `${index}`))));
      await store.compact(revisionOf(200));
      expect(await failure(watch.next())).toMatchObject({ code: 'Compacted', requested: 0, oldest: 200 });
      expect(await nextBatch(watch)).toBe('done');
    });

    test('every event of a watch that goes on has what it replaced, however history is compacted', async () => {
      await using store = await open();
      const watch = store.watch(everything, { after: store.revision });
      const writing = (async () => {
        for (let index = 1; index <= 300; index++) {
          const revision = await commit(store, index % 7 === 0 ? del('a') : put('a', `${index}`));
          if (index % 20 === 0) await store.compact(revision);
        }
      })();
      let stands: Revision | undefined;
      for (let seen = 0; seen < 300; seen++) {
        const { value } = await watch.next();
        const event = value!.events[0]!;
        expect(event.previous?.modRevision).toBe(stands);
        stands = event.type === 'put' ? event.record.modRevision : undefined;
      }
      await writing;
    });

    test('a compaction behind the last one changes nothing; one in the future is refused', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, put('a', '2'));
      await store.compact(revisionOf(2));
      await store.compact(revisionOf(1));
      expect(store.compactedRevision).toBe(2);
      expect(await failure(store.compact(revisionOf(3)))).toEqual({ code: 'Future', requested: 3, current: 2 });
    });

    test('compaction goes on beside writes and reads', async () => {
      await using store = await open();
      const writing = (async () => {
        for (let index = 0; index < 150; index++)
          await commit(store, put(`k${index % 7}`, `${index}`), ...(index % 3 ? [] : [del(`k${(index + 3) % 7}`)]));
      })();
      const compacting = (async () => {
        while (store.revision < 150) {
          const at = store.revision;
          const before = await contents(store, at);
          await store.compact(at);
          expect(await contents(store, at)).toBe(before);
        }
      })();
      await Promise.all([writing, compacting]);
    });

    test('a large read that began before is not hurt', async () => {
      await using store = await open();
      const keys = Array.from({ length: 3000 }, (_, index) => `k${String(index).padStart(5, '0')}`);
      await commitAll(
        store,
        keys.map((key) => put(key, 'old')),
      );
      const reading = store.range(everything);
      const revision = await commitAll(
        store,
        keys.map((key) => put(key, 'new')),
      );
      await store.compact(revision);
      const { records } = await reading;
      expect(records).toHaveLength(3000);
      expect(records.every((record) => Buffer.from(record.value).toString() === 'old')).toBe(true);
    });
  });
}

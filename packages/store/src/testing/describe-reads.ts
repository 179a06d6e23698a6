import { describe, expect, test } from 'vitest';
import { keyAfter, prefixRange } from '../key-range.ts';
import type { RecordSelection, Summarizer, Summary, SummarySelection } from '../store.ts';
import type { OpenEmptyStore } from './describe-store.ts';
import { commit, commitAll, contents, del, failure, put, revisionOf, text } from './store-cases.ts';

export function describeReads(open: OpenEmptyStore): void {
  describe('reads', () => {
    test('a missing key is undefined', async () => {
      await using store = await open();
      expect(await store.get('a')).toBeUndefined();
    });

    test('every revision can be read as it was', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, put('b', '1'), put('a', '2'));
      await commit(store, del('a'));
      await commit(store, put('a', '3'));
      const snapshots = await Promise.all([0, 1, 2, 3, 4].map((revision) => contents(store, revision)));
      expect(snapshots).toEqual(['', 'a=1', 'a=2 b=1', 'b=1', 'a=3 b=1']);
      expect(text(await store.get('a', { revision: revisionOf(2) }))).toBe('2');
      expect(await store.get('a', { revision: revisionOf(3) })).toBeUndefined();
    });

    test('a revision that is not reached yet is refused', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      const future = { code: 'Future', requested: 2, current: 1 };
      expect(await failure(async () => await store.get('a', { revision: revisionOf(2) }))).toEqual(future);
      expect(await failure(store.range({ start: '' }, { revision: revisionOf(2) }))).toEqual(future);
      expect(await failure(store.count({ start: '' }, { revision: revisionOf(2) }))).toEqual(future);
    });

    test('the latest revision has everything that was acknowledged, and is seen here', async () => {
      await using store = await open();
      for (let round = 1; round <= 5; round++) {
        const revision = await commit(store, put('a', `${round}`));
        const latest = await store.latest();
        expect(latest).toBeGreaterThanOrEqual(revision);
        expect(store.revision).toBeGreaterThanOrEqual(latest);
        expect(text(await store.get('a', { revision: latest }))).toBe(`${round}`);
      }
    });

    test('a range is in byte order of UTF-8, also where UTF-16 differs', async () => {
      await using store = await open();
      const keys = ['a', 'b', 'a/b', 'a0', 'Z', '\u{1f600}', '\uffee', '\ue000', 'é', '\ud7ff', '\u{10000}a', '~'];
      for (const key of keys) await commit(store, put(key, ''));
      const { records } = await store.range({ start: '' });
      const inByteOrder = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(records.map(({ key }) => key)).toEqual(inByteOrder);
      for (const key of keys) {
        const from = await store.range({ start: key });
        expect(from.records.map((record) => record.key)).toEqual(inByteOrder.slice(inByteOrder.indexOf(key)));
      }
    });

    test('a range takes its start in and leaves its end out', async () => {
      await using store = await open();
      for (const key of ['a', 'b', 'c', 'd']) await commit(store, put(key, ''));
      const keys = async (start: string, end?: string) =>
        (await store.range({ start, ...(end !== undefined && { end }) })).records.map(({ key }) => key).join('');
      expect(await keys('b', 'd')).toBe('bc');
      expect(await keys('b')).toBe('bcd');
      expect(await keys('bb', 'c')).toBe('');
      expect(await keys('d', 'a')).toBe('');
      expect(await keys(keyAfter('b'), keyAfter('c'))).toBe('c');
    });

    test('a prefix has its children and not its neighbours', async () => {
      await using store = await open();
      for (const key of ['/pods/a/1', '/pods/a/2', '/pods/a', '/pods/ab/1', '/podsx', '/pods/b/1'])
        await commit(store, put(key, ''));
      const { records } = await store.range(prefixRange('/pods/a/'));
      expect(records.map(({ key }) => key)).toEqual(['/pods/a/1', '/pods/a/2']);
      expect(await store.count(prefixRange('/pods/'))).toBe(5);
    });

    test('pages of one snapshot fit together while the store moves on', async () => {
      await using store = await open();
      for (let index = 0; index < 10; index++) await commit(store, put(`k${index}`, 'old'));
      const seen: string[] = [];
      let start = '';
      let page = await store.range({ start }, { limit: 3 });
      const { revision } = page;
      for (;;) {
        seen.push(...page.records.map((record) => `${record.key}=${text(record)}`));
        if (!page.more) break;
        start = keyAfter(page.records[page.records.length - 1]!.key);
        await commit(store, put('k5', 'new'), del('k9'), put(`k${seen.length}x`, 'new'));
        page = await store.range({ start }, { limit: 3, revision });
      }
      expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => `k${index}=old`));
      expect(page.revision).toBe(revision);
    });

    test('more says whether there is more', async () => {
      await using store = await open();
      for (const key of ['a', 'b', 'c']) await commit(store, put(key, ''));
      const more = async (limit: number) => (await store.range({ start: '' }, { limit })).more;
      expect(await Promise.all([0, 2, 3, 4].map(more))).toEqual([true, true, false, false]);
      await commit(store, del('c'));
      expect(await more(2)).toBe(false);
    });

    test('a range stops once its values take as many bytes as asked for, with at least one', async () => {
      await using store = await open();
      for (const key of ['a', 'b', 'c', 'd']) await commit(store, put(key, 'x'.repeat(100)));
      const read = async (maxBytes: number) => {
        const { records, more } = await store.range({ start: '' }, { maxBytes });
        return [records.length, more];
      };
      expect(await Promise.all([1, 100, 101, 399, 400].map(read))).toEqual([
        [1, true],
        [1, true],
        [2, true],
        [4, false],
        [4, false],
      ]);
    });

    test('a selection leaves records out by key and by summary, and says that something follows', async () => {
      await using store = await open();
      for (const key of ['a', 'b', 'c', 'd']) await commit(store, put(key, key === 'c' ? 'even' : 'odd'));
      const read = async (select: RecordSelection, limit = 10) => {
        const { records, more } = await store.range({ start: '' }, { select, limit });
        return `${records.map(({ key }) => key).join('')}${more ? '…' : ''}`;
      };
      const { odd } = oddAndEven();
      expect(await read({ hasKey: (key) => key > 'b' })).toBe('cd');
      expect(await read({ values: odd })).toBe('abd');
      expect(await read({ hasKey: (key) => key > 'b', values: odd })).toBe('d');
      expect(await read({ values: odd }, 2)).toBe('ab…');
      expect(await read({ values: odd }, 3)).toBe('abd');
    });

    test('a value is summarized once, and again when it is written', async () => {
      await using store = await open();
      for (const key of ['a', 'b', 'c']) await commit(store, put(key, 'odd'));
      const { odd, even, summarized } = oddAndEven();
      const read = async (values: SummarySelection, revision?: number) => {
        const at = revision === undefined ? {} : { revision: revisionOf(revision) };
        return (await store.range({ start: '' }, { ...at, select: { values } })).records.map(({ key }) => key).join('');
      };
      expect([await read(odd), await read(even), await read(odd)]).toEqual(['abc', '', 'abc']);
      expect(summarized).toEqual(['a', 'b', 'c']);
      await commit(store, put('b', 'even'));
      expect([await read(odd), await read(even), await read(odd, 3)]).toEqual(['ac', 'b', 'abc']);
      expect(summarized).toEqual(['a', 'b', 'c', 'b']);
    });

    test('a summary that names no summarizer is not kept', async () => {
      await using store = await open();
      await commit(store, put('a', 'odd'));
      const { odd, summarized } = oddAndEven({ isKept: false });
      for (let round = 0; round < 2; round++) {
        expect((await store.range({ start: '' }, { select: { values: odd } })).records).toHaveLength(1);
      }
      expect(summarized).toEqual(['a', 'a']);
    });

    test('summarizers do not see the summaries of others', async () => {
      await using store = await open();
      await commit(store, put('a', 'odd'));
      for (const { odd, even } of [oddAndEven(), oddAndEven()]) {
        expect((await store.range({ start: '' }, { select: { values: odd } })).records).toHaveLength(1);
        expect((await store.range({ start: '' }, { select: { values: even } })).records).toHaveLength(0);
      }
    });

    test('count agrees with range at every revision', async () => {
      await using store = await open();
      for (let index = 0; index < 30; index++)
        await commit(store, index % 3 === 2 ? del(`k${index - 1}`) : put(`k${index}`, ''));
      for (let revision = 0; revision <= 30; revision++) {
        const at = { revision: revisionOf(revision) };
        for (const range of [{ start: '' }, { start: 'k1', end: 'k2' }])
          expect(await store.count(range, at)).toBe((await store.range(range, at)).records.length);
      }
      expect(await store.count({ start: '' })).toBe((await store.range({ start: '' })).records.length);
    });

    test('a large range is one snapshot even while it is being written to', async () => {
      await using store = await open();
      const all = Array.from({ length: 2500 }, (_, index) => put(`k${String(index).padStart(5, '0')}`, 'old'));
      const revision = await commitAll(store, all);
      const reading = store.range({ start: '' });
      const writing = commitAll(store, [...all.slice(1000).map(({ key }) => put(key, 'new')), put('k00000x', 'new')]);
      const [{ records, revision: at }] = await Promise.all([reading, writing]);
      expect(at).toBe(revision);
      expect(records).toHaveLength(2500);
      expect(new Set(records.map((record) => text(record)))).toEqual(new Set(['old']));
    });

    test('values stay what they are after later writes', async () => {
      await using store = await open();
      await commit(store, put('a', 'x'.repeat(5000)), put('b', 'short'));
      const [a, b] = await Promise.all([store.get('a'), store.get('b')]);
      for (let round = 0; round < 20; round++) await commit(store, put('a', 'y'.repeat(5000)), put('b', `${round}`));
      await store.range({ start: '' });
      expect(text(a)).toBe('x'.repeat(5000));
      expect(text(b)).toBe('short');
    });

    test('a read with an aborted signal rejects with its reason', async () => {
      await using store = await open();
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(async () => await store.get('a', { signal })).rejects.toThrow('enough');
      await expect(store.range({ start: '' }, { signal })).rejects.toThrow('enough');
      await expect(store.count({ start: 'a' }, { signal })).rejects.toThrow('enough');
    });
  });
}

interface Parity extends Summary {
  readonly isOdd: boolean;
}

/** Two selections that share a summarizer, and the keys of the records that it summarized. */
function oddAndEven({ isKept = true } = {}) {
  const summarized: string[] = [];
  const summarizer: Summarizer<Parity> = {
    summarize: (record) => {
      summarized.push(record.key);
      return { by: isKept ? summarizer : undefined, isOdd: text(record) === 'odd' };
    },
  };
  const where = (isOdd: boolean): SummarySelection<Parity> => ({
    summarizer,
    matches: (summary) => summary.isOdd === isOdd,
  });
  return { odd: where(true), even: where(false), summarized };
}

import { describe, expect, test } from 'vitest';
import type { Operation } from '../store.ts';
import type { OpenEmptyStore } from './describe-store.ts';
import { bytes, check, commit, contents, del, failure, put, revisionOf, text } from './store-cases.ts';

export function describeTransactions(open: OpenEmptyStore): void {
  describe('transactions', () => {
    test('an empty store is at revision 0 and every change takes the next one', async () => {
      await using store = await open();
      expect(store.revision).toBe(0);
      expect(await commit(store, put('a', '1'))).toBe(1);
      expect(await commit(store, put('b', '1'), put('c', '1'))).toBe(2);
      expect(await commit(store, del('a'))).toBe(3);
      expect(store.revision).toBe(3);
    });

    test('a record tells when it was created, when it was written and how often', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, put('b', '1'));
      await commit(store, put('a', '2'));
      expect(await store.get('a')).toMatchObject({ key: 'a', createRevision: 1, modRevision: 3, version: 2 });
    });

    test('a key that was deleted and comes back begins anew', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, put('a', '2'));
      await commit(store, del('a'));
      await commit(store, put('a', '3', 0));
      expect(await store.get('a')).toMatchObject({ createRevision: 4, modRevision: 4, version: 1 });
    });

    test('a create succeeds once', async () => {
      await using store = await open();
      await commit(store, put('a', '1', 0));
      expect(await failure(store.commit([put('a', '2', 0)]))).toEqual({
        code: 'Conflict',
        key: 'a',
        expected: 0,
        actual: { modRevision: 1, version: 1 },
      });
      expect(text(await store.get('a'))).toBe('1');
    });

    test('an update needs the revision that stands', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      await commit(store, put('a', '2', 1));
      expect(await failure(store.commit([put('a', '3', 1)]))).toMatchObject({ code: 'Conflict', expected: 1 });
      expect(text(await store.get('a'))).toBe('2');
    });

    test('an update of a missing key is a conflict with nothing', async () => {
      await using store = await open();
      expect(await failure(store.commit([put('a', '1', 7)]))).toEqual({ code: 'Conflict', key: 'a', expected: 7 });
    });

    test('a delete may be conditional', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      expect(await failure(store.commit([del('a', 9)]))).toMatchObject({ code: 'Conflict', key: 'a', expected: 9 });
      expect(await commit(store, del('a', 1))).toBe(2);
      expect(await failure(store.commit([del('a', 1)]))).toMatchObject({ code: 'Conflict', key: 'a' });
    });

    test('a transaction that changes nothing takes no revision', async () => {
      await using store = await open();
      await commit(store, put('a', '1'));
      expect(await commit(store, del('missing'))).toBe(1);
      expect(await commit(store, check('a', 1), check('missing', 0))).toBe(1);
      expect(await commit(store)).toBe(1);
      expect(store.revision).toBe(1);
    });

    test('a check writes nothing and refuses the rest of its transaction', async () => {
      await using store = await open();
      await commit(store, put('lock', '1'));
      expect(await failure(store.commit([put('a', '1'), check('lock', 0)]))).toMatchObject({
        code: 'Conflict',
        key: 'lock',
      });
      expect(await contents(store)).toBe('lock=1');
      await commit(store, put('a', '1'), check('lock', 1));
      expect(await store.get('lock')).toMatchObject({ modRevision: 1 });
    });

    test('a transaction applies whole or not at all, and names the first condition that failed', async () => {
      await using store = await open();
      await commit(store, put('a', '1'), put('b', '1'));
      const refused = store.commit([put('c', '1', 0), put('a', '2', 5), del('b', 6)]);
      expect(await failure(refused)).toMatchObject({ code: 'Conflict', key: 'a', expected: 5 });
      expect(await contents(store)).toBe('a=1 b=1');
      await commit(store, put('c', '1', 0), put('a', '2', 1), del('b', 1));
      expect(await contents(store)).toBe('a=2 c=1');
    });

    test('the value is what it was when commit was called', async () => {
      await using store = await open();
      const value = bytes('before');
      const committed = store.commit([{ type: 'put', key: 'a', value }]);
      value.fill(0);
      await committed;
      expect(text(await store.get('a'))).toBe('before');
    });

    test('values may be empty and up to the limit, not beyond', async () => {
      await using store = await open({ maxValueBytes: 1000 });
      await commit(store, put('empty', ''), put('full', 'x'.repeat(1000)));
      expect((await store.get('empty'))?.value.length).toBe(0);
      expect((await store.get('full'))?.value.length).toBe(1000);
      expect(await failure(store.commit([put('a', '1'), put('b', 'x'.repeat(1001))]))).toEqual({
        code: 'TooLarge',
        key: 'b',
        bytes: 1001,
        maxBytes: 1000,
      });
      expect(store.revision).toBe(1);
    });

    test('a transaction has at most so many operations, checks included, and so many bytes', async () => {
      await using store = await open({ maxOperations: 3, maxBytes: 1000 });
      expect(store.limits).toMatchObject({ maxOperations: 3, maxBytes: 1000 });
      const many = [put('a', '1'), del('b'), check('c', 0), check('d', 0)];
      expect(await failure(store.commit(many))).toEqual({ code: 'TooManyOperations', operations: 4, maxOperations: 3 });
      const large = [put('a', 'x'.repeat(600)), put('b', 'x'.repeat(600))];
      expect(await failure(store.commit(large))).toMatchObject({ code: 'TooLarge', key: 'b', maxBytes: 1000 });
      expect(store.revision).toBe(0);
      await commit(store, check('c', 0), put('a', 'x'.repeat(600)));
    });

    test('a conflict is thrown once the record that stood in the way can be read', async () => {
      await using store = await open();
      const found = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await store.commit([put('a', `${index}`, 0)]).catch(() => undefined);
          return (await store.get('a'))?.modRevision;
        }),
      );
      expect(found).toEqual(Array.from({ length: 20 }, () => 1));
    });

    test.each([
      ['an empty key', ''],
      ['NUL', 'a\0b'],
      ['a lone surrogate', 'a\ud800b'],
      ['1,025 bytes', 'x'.repeat(1025)],
      ['1,026 bytes in 342 characters', '€'.repeat(342)],
    ])('refuses %s', async (_, key) => {
      await using store = await open();
      expect(await failure(store.commit([put(key, '1')]))).toMatchObject({ code: 'InvalidKey', key });
    });

    test('takes keys of 1,024 bytes in any script', async () => {
      await using store = await open();
      for (const key of ['x'.repeat(1024), '€'.repeat(341), '\u{1f600}'.repeat(256), '\u0001', '__proto__']) {
        await commit(store, put(key, key));
        expect(text(await store.get(key))).toBe(key);
      }
    });

    test('refuses a transaction that names a key twice', async () => {
      await using store = await open();
      expect(await failure(store.commit([put('a', '1'), del('a')]))).toMatchObject({ code: 'InvalidKey', key: 'a' });
    });

    test('of many creates at once exactly one wins and all others learn who did', async () => {
      await using store = await open();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => store.commit([put('leader', `${index}`, 0)])),
      );
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won).toHaveLength(1);
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of lost)
        expect(reason.failure).toMatchObject({ code: 'Conflict', actual: { modRevision: 1 } });
    });

    test('concurrent read-modify-write loses nothing', async () => {
      await using store = await open();
      await commit(store, put('counter', '0'));
      const increment = async (): Promise<void> => {
        const current = (await store.get('counter'))!;
        const next: Operation = put('counter', `${Number(text(current)) + 1}`, current.modRevision);
        await store.commit([next]).catch(increment);
      };
      await Promise.all(Array.from({ length: 40 }, increment));
      expect(text(await store.get('counter'))).toBe('40');
    });

    test('transactions that come at once take one revision each', async () => {
      await using store = await open();
      const revisions = await Promise.all(
        Array.from({ length: 200 }, (_, index) => commit(store, put(`k${index}`, ''))),
      );
      expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    test('what was acknowledged is visible at once', async () => {
      await using store = await open();
      for (let round = 1; round <= 20; round++) {
        const revision = await commit(store, put('a', `${round}`));
        expect(store.revision).toBe(revision);
        expect(text(await store.get('a'))).toBe(`${round}`);
      }
    });

    test('what is not acknowledged yet is not visible', async () => {
      await using store = await open();
      const committed = store.commit([put('a', '1')]);
      const early = store.get('a');
      expect(store.revision).toBe(0);
      expect(await early).toBeUndefined();
      await committed;
      expect(await failure(async () => await store.get('a', { revision: revisionOf(2) }))).toMatchObject({
        code: 'Future',
      });
    });
  });
}

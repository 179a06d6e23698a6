import { expect, test } from 'vitest';
import { openMemoryStore } from '../open-store.ts';
import { commit, contents, put } from '../testing/store-cases.ts';
import { MemoryDisk } from './memory-engine.ts';

test('a copy of a memory disk has what was written before, and goes its own way from there', async () => {
  const disk = new MemoryDisk();
  await using store = await openMemoryStore({ disk });
  await commit(store, put('a', '1'), put('b', '1'));
  await commit(store, put('a', '2'));

  await using copy = await openMemoryStore({ disk: disk.copy() });
  expect([await contents(copy), copy.revision]).toEqual(['a=2 b=1', store.revision]);
  await commit(copy, put('a', '3'));
  await commit(store, put('b', '4'));

  expect(await contents(copy)).toBe('a=3 b=1');
  expect(await contents(store)).toBe('a=2 b=4');
  await using again = await openMemoryStore({ disk: disk.copy() });
  expect(await contents(again)).toBe('a=2 b=4');
});

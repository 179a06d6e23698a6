import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { yieldToEventLoop } from '@pintle/async';
import { expect, test } from 'vitest';
import type { Revision } from '../revision.ts';
import type { Version } from './key-history.ts';
import { VerifiedValues } from './verified-values.ts';

const version = (revision: number): Version => ({
  revision: revision as Revision,
  sub: 0,
  createRevision: revision as Revision,
  version: 1,
  checksum: 0,
  lease: undefined,
  held: undefined,
  heldIn: 0,
  summary: undefined,
});

test('a value is found again, for the very version it was added for', () => {
  const values = new VerifiedValues();
  const one = version(1);
  const bytes = Buffer.from('a');
  values.add(one, bytes);
  expect(values.find(one)).toBe(bytes);
  expect(values.find(version(1))).toBeUndefined();
});

test('what nobody asks for makes room; what is asked for stays', () => {
  const values = new VerifiedValues(20_000);
  const versions = Array.from({ length: 100 }, (_, index) => version(index));
  for (const each of versions) {
    values.add(each, Buffer.alloc(1_000));
    values.find(versions[0]!);
  }
  const held = versions.filter((each) => values.find(each) !== undefined);
  expect(held).toContain(versions[0]);
  expect(held).toContain(versions[99]);
  expect(held.length).toBeLessThan(20);
});

test('a value larger than the room there is, is not held', () => {
  const values = new VerifiedValues(2_000);
  const large = version(1);
  values.add(large, Buffer.alloc(1_500));
  expect(values.find(large)).toBeUndefined();
});

test('without a limit everything is held', () => {
  const values = new VerifiedValues(Number.POSITIVE_INFINITY);
  const versions = Array.from({ length: 10 }, (_, index) => version(index));
  for (const each of versions) values.add(each, Buffer.alloc(10_000));
  expect(versions.every((each) => values.find(each) !== undefined)).toBe(true);
});

test('what is moved to the young when that has no room left is held', () => {
  const values = new VerifiedValues(4 * 1_128);
  const [one, two, three, four] = [1, 2, 3, 4].map(version) as [Version, Version, Version, Version];
  for (const each of [one, two, three, four]) values.add(each, Buffer.alloc(1_000));
  expect(values.find(one)).toHaveLength(1_000);
  expect(values.find(one)).toHaveLength(1_000);
});

test('what is forgotten makes room at once, and is not kept', async () => {
  const values = new VerifiedValues(20_000);
  const kept = version(0);
  values.add(kept, Buffer.alloc(1_000));
  const gone: WeakRef<Version>[] = [];
  for (let index = 1; index <= 5_000; index++) {
    const each = version(index);
    values.add(each, Buffer.alloc(1_000));
    values.forget(each);
    gone.push(new WeakRef(each));
  }
  expect(values.find(kept)).toHaveLength(1_000);
  // A turn of the event loop keeps what it has made weak references to.
  await yieldToEventLoop();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  expect(gone.filter((each) => each.deref() !== undefined).length).toBeLessThan(1_500);
});

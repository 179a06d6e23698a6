import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromSortKey, toSortKey } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import { KeyHistory, type Version } from './key-history.ts';
import { KeyIndex } from './key-index.ts';

function version(revision: number, count: number): Version {
  return {
    revision: revision as Revision,
    sub: 0,
    createRevision: 1 as Revision,
    version: count,
    checksum: 0,
    lease: undefined,
    held: undefined,
    heldIn: 0,
    summary: undefined,
  };
}

describe('toSortKey', () => {
  test('orders strings as their UTF-8 bytes are ordered', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', '~', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
    });
    fc.assert(
      fc.property(key, key, (a, b) => {
        const order = toSortKey(a) < toSortKey(b) ? -1 : toSortKey(a) > toSortKey(b) ? 1 : 0;
        expect(order).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(fromSortKey(toSortKey(a))).toBe(a);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('KeyHistory', () => {
  test('tells what stood when, and forgets what nobody can ask for', () => {
    const history = new KeyHistory('a');
    for (const [revision, count] of [
      [2, 1],
      [5, 2],
      [7, 0],
      [9, 1],
    ] as const)
      history.add(version(revision, count));
    const at = (revision: number) => history.at(revision as Revision)?.revision;
    expect([1, 2, 4, 5, 6, 7, 8, 9, 99].map(at)).toEqual([undefined, 2, 2, 5, 5, undefined, undefined, 9, 9]);
    expect(history.before(9 as Revision)).toBeUndefined();
    expect(history.compact(5 as Revision).map(({ revision }) => revision)).toEqual([2]);
    expect(at(5)).toBe(5);
    expect(history.compact(7 as Revision).map(({ revision }) => revision)).toEqual([5, 7]);
    expect(history.isCompactable).toBe(false);
    expect(history.compact(9 as Revision)).toEqual([]);
  });
});

describe('KeyIndex', () => {
  test('holds what a sorted map would, through any inserts, deletions and compactions', () => {
    const step = fc.record({ key: fc.nat(400), isDeletion: fc.boolean(), compact: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 100, maxLength: 1500 }), (steps) => {
        const index = new KeyIndex();
        const model = new Map<string, boolean>();
        for (const [place, { key, isDeletion, compact }] of steps.entries()) {
          const name = `k${String(key).padStart(3, '0')}`;
          if (isDeletion && !model.get(name)) continue;
          index.add(name, version(place + 1, isDeletion ? 0 : 1));
          model.set(name, !isDeletion);
          if (compact > 0) continue;
          for (const history of index.compactable) index.compact(history, (place + 1) as Revision);
          for (const [other, lives] of model) if (!lives) model.delete(other);
        }
        const living = [...model]
          .filter(([, lives]) => lives)
          .map(([name]) => name)
          .sort();
        const walked: string[] = [];
        index.walk({ start: '' }, (history) => {
          if (history.newest) walked.push(history.key);
          return true;
        });
        expect(walked).toEqual(living);
        expect(index.living).toBe(living.length);
      }),
      { numRuns: 30 },
    );
  });

  test('loaded at once or key by key, it walks the same', () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `k${(index * 7919) % 3000}\u{1f600}`);
    const writes = keys.map((key, index) => [key, version(index + 1, 1)] as const);
    const loaded = KeyIndex.load(writes.map(([key, write]) => ({ ...write, key })));
    const grown = new KeyIndex();
    for (const [key, write] of writes) grown.add(key, write);
    const walk = (index: KeyIndex, start: string) => {
      const found: string[] = [];
      index.walk({ start, end: 'k9' }, ({ key }) => found.push(key) < 1500);
      return found;
    };
    for (const start of ['', 'k1', 'k2500', 'k9', 'z']) expect(walk(loaded, start)).toEqual(walk(grown, start));
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeyRange, keyAfter, prefixRange } from '../key-range.ts';
import { RangeTable, rangeFilter } from './range-table.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\uffff', '\u{1f600}'), maxLength: 4 });
const range: fc.Arbitrary<KeyRange> = fc.oneof(
  key.map((start) => ({ start })),
  key.map((start) => ({ start, end: keyAfter(start) })),
  fc.constantFrom('', '/', 'a/', 'ab', 'b').map(prefixRange),
  fc.tuple(key, key).map(([start, end]) => ({ start, end })),
);

test('RangeTable finds exactly those whose range holds the key, as members come and go', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), fc.array(fc.nat(19)), fc.array(key), (ranges, gone, keys) => {
      const table = new RangeTable<number>();
      const members = new Set(ranges.keys());
      for (const member of members) table.add(ranges[member]!, member);
      for (const member of gone) if (members.delete(member)) table.delete(ranges[member]!, member);
      for (const each of keys) {
        const found: number[] = [];
        table.match(each, (member) => found.push(member));
        expect(found.sort()).toEqual([...members].filter((member) => rangeFilter(ranges[member]!)(each)).sort());
      }
      expect(table.size).toBe(members.size);
    }),
    { numRuns: 300 },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Revision } from '../revision.ts';
import type { EngineBatch } from './engine.ts';
import { encodeRecord, lengthOfRecord, readRecords } from './journal-record.ts';

const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
const revision = fc.maxSafeNat().map((number) => (number % 2 ** 40) as Revision);
const batches: fc.Arbitrary<EngineBatch> = fc.record({
  log: fc.array(fc.record({ revision, bytes }), { maxLength: 3 }),
  values: fc.array(fc.record({ revision, sub: fc.nat(2 ** 32 - 1), bytes }), { maxLength: 4 }),
});

function segmentOf(all: readonly EngineBatch[], from = 1): Buffer {
  return Buffer.concat([...all.map((batch, index) => encodeRecord(from + index, batch)), Buffer.alloc(256)]);
}

describe('records of the journal', () => {
  test('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(batches, { maxLength: 5 }), (all) => {
        const { records, isDamaged } = readRecords(segmentOf(all));
        expect(records.map(({ batch }) => batch)).toEqual(all);
        expect(records.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
        expect(isDamaged).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('of which the last is cut off anywhere are the others', () => {
    const all = [1, 2, 3].map((number) => batchOf(number));
    const last = segmentOf(all).subarray(0, -256).length - lengthOfRecord(all[2]!);
    // The last bytes may be padding, which is nothing to lose.
    for (let kept = 0; kept <= lengthOfRecord(all[2]!) - 8; kept++) {
      const torn = Buffer.concat([segmentOf(all).subarray(0, last + kept), Buffer.alloc(512)]);
      const { records, isDamaged } = readRecords(torn);
      expect([records.length, isDamaged], `${kept} bytes of the last`).toEqual([2, false]);
    }
  });

  test('of an earlier use of the segment do not count', () => {
    const stale = segmentOf([1, 2, 3, 4].map(batchOf), 10);
    encodeRecord(20, batchOf(9)).copy(stale);
    const { records, isDamaged } = readRecords(stale);
    expect([records.map(({ sequence }) => sequence), isDamaged]).toEqual([[20], false]);
  });

  test('with a damaged one between others are damaged, and not just fewer', () => {
    const segment = segmentOf([1, 2, 3].map(batchOf));
    for (let at = lengthOfRecord(batchOf(1)); at < lengthOfRecord(batchOf(1)) + 28; at++) {
      const damaged = Buffer.from(segment);
      damaged[at]! ^= 0x10;
      const { isDamaged } = readRecords(damaged);
      expect(isDamaged, `byte ${at}`).toBe(true);
    }
  });
});

function batchOf(number: number): EngineBatch {
  const content = Buffer.alloc(37, number);
  return {
    log: [{ revision: number as Revision, bytes: content }],
    values: [{ revision: number as Revision, sub: 0, bytes: content }],
  };
}

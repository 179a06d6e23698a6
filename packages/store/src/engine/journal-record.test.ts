import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Revision } from '../revision.ts';
import type { EngineBatch } from './engine.ts';
import { createSalt, encodeRecord, findRecords, lengthOfRecord, NO_SALT, recordsAfter } from './journal-record.ts';

const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
const revision = fc.maxSafeNat().map((number) => (number % 2 ** 40) as Revision);
const batches: fc.Arbitrary<EngineBatch> = fc.record({
  log: fc.array(fc.record({ revision, bytes }), { maxLength: 3 }),
  values: fc.array(fc.record({ revision, sub: fc.nat(2 ** 32 - 1), bytes }), { maxLength: 4 }),
});

const salt = createSalt();

function segmentOf(all: readonly EngineBatch[], from = 1, carried = salt): Buffer {
  return Buffer.concat([...all.map((batch, index) => encodeRecord(carried, from + index, batch)), Buffer.alloc(256)]);
}

function sequencesOf(segment: Buffer): number[] {
  return findRecords(segment, salt).map(({ sequence }) => sequence);
}

describe('records of the journal', () => {
  test('come back as they were written, with a salt and without', () => {
    fc.assert(
      fc.property(fc.array(batches, { maxLength: 5 }), fc.constantFrom(salt, NO_SALT), (all, carried) => {
        const records = findRecords(segmentOf(all, 1, carried), carried);
        expect(records.map(({ batch }) => batch)).toEqual(all);
        expect(records.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
      }),
      { numRuns: 200 },
    );
  });

  test('of which the last is cut off anywhere are the others', () => {
    const all = [1, 2, 3].map((number) => batchOf(number));
    const length = lengthOfRecord(all[2]!, salt);
    const last = segmentOf(all).subarray(0, -256).length - length;
    // The last bytes may be padding, which is nothing to lose.
    for (let kept = 0; kept <= length - 8; kept++) {
      const torn = Buffer.concat([segmentOf(all).subarray(0, last + kept), Buffer.alloc(512)]);
      expect(sequencesOf(torn), `${kept} bytes of the last`).toEqual([1, 2]);
    }
  });

  test('of an earlier use of the segment do not count, for the tables hold them', () => {
    const stale = segmentOf([1, 2, 3, 4].map(batchOf), 10);
    encodeRecord(salt, 20, batchOf(9)).copy(stale);
    expect(sequencesOf(stale)).toEqual([20, 11, 12, 13]);
    expect(recordsAfter(19, findRecords(stale, salt)).map(({ sequence }) => sequence)).toEqual([20]);
  });

  test('of another journal are none', () => {
    expect(sequencesOf(segmentOf([batchOf(1)], 1, createSalt()))).toEqual([]);
  });
});

/** Two segments that are filled in turn; the numbers up to `carried` are in the tables. */
interface Scene {
  readonly segments: readonly Buffer[];
  readonly carried: number;
  readonly acknowledged: number;
  /** Where the last record lies, which may be taken for one that was being written. */
  readonly tail: { readonly segment: number; readonly at: number; readonly end: number };
}

/** Writes as the journal does: into the other segment when one is full, and only when the tables hold what it has. */
function sceneOf(all: readonly EngineBatch[], room: number, left: number): Scene {
  const segments = [Buffer.alloc(room), Buffer.alloc(room)];
  const lasts = [0, 0];
  let [active, at, carried] = [0, 0, 0];
  let tail = { segment: 0, at: 0, end: 0 };
  all.forEach((batch, index) => {
    const record = encodeRecord(salt, index + 1, batch);
    if (at + record.length > room) {
      active = 1 - active;
      at = 0;
      carried = Math.max(carried, lasts[active]!);
    }
    record.copy(segments[active]!, at);
    tail = { segment: active, at, end: at + record.length };
    at += record.length;
    lasts[active] = index + 1;
  });
  return { segments, carried: Math.max(carried, all.length - left), acknowledged: all.length, tail };
}

describe('damage anywhere but in the last record', () => {
  const damages = fc.record({ segment: fc.nat(1), at: fc.nat(), length: fc.integer({ min: 1, max: 600 }) });
  const scenes = fc
    .tuple(fc.array(batches, { minLength: 1, maxLength: 40 }), fc.integer({ min: 500, max: 3000 }), fc.nat(40))
    .map(([all, room, left]) => sceneOf(all, room, left));

  test('is reported, or leaves all acknowledged records', () => {
    fc.assert(
      fc.property(scenes, damages, fc.infiniteStream(fc.nat(255)), (scene, { segment, at, length }, noise) => {
        const segments = scene.segments.map((bytes) => Buffer.from(bytes));
        const damaged = segments[segment]!;
        const from = at % damaged.length;
        for (let place = from; place < Math.min(from + length, damaged.length); place++) {
          const isTail = segment === scene.tail.segment && place >= scene.tail.at && place < scene.tail.end;
          if (!isTail) damaged[place] = noise.next().value;
        }
        const read = readAll(segments, scene.carried);
        if (read === 'Corrupt') return;
        const expected = Array.from({ length: scene.acknowledged - scene.carried }, (_, i) => scene.carried + 1 + i);
        expect(read).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('is not seen where there is none', () => {
    fc.assert(
      fc.property(scenes, ({ segments, carried, acknowledged }) => {
        const expected = Array.from({ length: acknowledged - carried }, (_, i) => carried + 1 + i);
        expect(readAll(segments, carried)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function readAll(segments: readonly Buffer[], carried: number): number[] | 'Corrupt' {
  try {
    const found = segments.flatMap((segment) => findRecords(segment, salt));
    return recordsAfter(carried, found).map(({ sequence }) => sequence);
  } catch (error) {
    expect(error).toMatchObject({ failure: { code: 'Corrupt' } });
    return 'Corrupt';
  }
}

function batchOf(number: number): EngineBatch {
  const content = Buffer.alloc(37, number);
  return {
    log: [{ revision: number as Revision, bytes: content }],
    values: [{ revision: number as Revision, sub: 0, bytes: content }],
  };
}

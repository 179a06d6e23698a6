import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../json/index.ts';
import { decodeMessage, encodeMessage, ProtobufError } from './index.ts';
import { everything, zeroOfEverything } from './testing/table.ts';

const decode = (bytes: Uint8Array) => decodeMessage(everything, 'test.Everything', bytes);
const encode = (object: JsonObject) => encodeMessage(everything, 'test.Everything', object);

const int64 = fc
  .bigInt(-(2n ** 63n), 2n ** 63n - 1n)
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
const text = fc.string({ unit: 'grapheme', maxLength: 60 });

/** Objects that hold nothing that Go would print differently. */
const objects = fc.letrec<{ object: JsonObject }>((tie) => ({
  object: fc.record(
    {
      text,
      maybe: text,
      small: fc.integer({ min: 1 }),
      big: int64.filter((value) => value !== 0),
      numbers: fc.array(int64, { minLength: 1, maxLength: 5 }),
      ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      data: fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      labels: fc.dictionary(text, text, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      port: fc.oneof(fc.integer(), text),
      child: fc.oneof({ maxDepth: 3 }, fc.constant(zeroOfEverything as JsonObject), tie('object')),
    },
    { requiredKeys: [] },
  ) as unknown as fc.Arbitrary<JsonObject>,
})).object;

test('What was written is read again', () => {
  fc.assert(
    fc.property(objects, (object) => {
      const read = decode(encode(object));
      expect(read).toEqual(withZeros(object));
      expect(encode(read)).toEqual(encode(object));
    }),
  );
});

function withZeros(object: JsonObject): JsonObject {
  const child = object.child as JsonObject | undefined;
  return { ...zeroOfEverything, ...object, ...(child && { child: withZeros(child) }) };
}

test('Integers keep every digit', () => {
  fc.assert(
    fc.property(int64, (big) => {
      expect(decode(encode({ numbers: [big] })).numbers).toEqual([big]);
    }),
  );
});

test('Random bytes are read or refused with a ProtobufError, and what is read can be written', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => readOrRefuse(bytes)),
    { numRuns: 2_000 },
  );
});

test('Spoiled messages are read or refused with a ProtobufError', () => {
  const spoil = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const spoiled = fc.tuple(objects, spoil, fc.nat()).map(([object, changes, cut]) => {
    const bytes = encode(object);
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    return bytes.subarray(0, bytes.length - (cut % 4));
  });
  fc.assert(
    fc.property(spoiled, (bytes) => readOrRefuse(bytes)),
    { numRuns: 500 },
  );
});

function readOrRefuse(bytes: Uint8Array): void {
  let read: JsonObject;
  try {
    read = decode(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtobufError);
    return;
  }
  expect(decode(encode(read))).toEqual(read);
}

import { describe, expect, test } from 'vitest';
import type { ProtobufFailure } from './index.ts';
import { decodeEnvelope, decodeMessage, ProtobufError, requestProtobufLimits } from './index.ts';
import { everything } from './testing/table.ts';

function failureOf(bytes: Iterable<number>): ProtobufFailure {
  try {
    decodeMessage(everything, 'test.Everything', Uint8Array.from(bytes));
  } catch (error) {
    if (error instanceof ProtobufError) return error.failure;
    throw error;
  }
  throw new Error('The bytes were accepted');
}

function check(code: ProtobufFailure['code'], ...bytes: number[]): void {
  expect(failureOf(bytes).code).toBe(code);
}

describe('Bytes that are no message', () => {
  test('end in the middle of a number', () => check('Truncated', 0x38, 0xff, 0xff));
  test('end in the middle of a string', () => check('Truncated', 0x0a, 5, 0x61));
  test('end after a tag', () => check('Truncated', 0x0a));
  test('end in the middle of a double', () => check('Truncated', 0x41, 1, 2));
  test('announce four gigabytes', () => check('Truncated', 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f));
  test('announce a negative length', () =>
    check('Truncated', 0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01));
  test('have a number that never ends', () => check('BadVarint', 0x38, ...new Array(11).fill(0x80)));
  test('have a field with the number zero', () => check('BadTag', 0x02, 0));
  test('have a field number beyond 32 bits', () => check('BadTag', 0xff, 0xff, 0xff, 0xff, 0xff, 0x01));
  test('have a wire type that does not exist', () => check('BadTag', 0xfe, 0x07));
  test('end a group that never began', () => check('BadTag', 0xfc, 0x07));
  test('begin a group that never ends', () => check('Truncated', 0xfb, 0x07, 0xfb, 0x07));
  test('have a string that is no text, short or long', () => {
    check('BadText', 0x0a, 2, 0xff, 0xfe);
    check('BadText', 0x0a, 50, ...new Array(49).fill(0x61), 0xc3);
    check('BadText', 0x0a, 3, 0xed, 0xa0, 0x80);
  });
  test('have a string where a number belongs', () => check('WrongWireType', 0x3a, 0));
  test('have a number where a string belongs', () => check('WrongWireType', 0x08, 0));
  test('have a number where a map entry has its key', () => check('WrongWireType', 0x62, 2, 0x08, 0));
  test('have a number that JSON lacks', () => check('BadValue', 0x41, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f));
  test('have a time in a year that RFC 3339 lacks', () =>
    check('BadValue', 0x8a, 0x01, 7, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f));
  test('have an embedded value that is no JSON', () => check('BadValue', 0xaa, 0x01, 3, 0x0a, 1, 0x7b));
  test('have a number or string that is neither', () => check('BadValue', 0xa2, 0x01, 2, 0x08, 7));
});

describe('Bytes that want too much', () => {
  test('are refused by their size', () => {
    const bytes = new Uint8Array(requestProtobufLimits.maxBytes + 1);
    expect(failureOf(bytes).code).toBe('TooLarge');
  });

  test('are refused when a handful of bytes stands for a heap of objects', () => {
    const bytes = Buffer.alloc(600_000, Uint8Array.of(0x7a, 0));
    expect(failureOf(bytes).code).toBe('TooManyItems');
  });

  test('are refused when a map has more keys and values than JSON may have', () => {
    const entries = Array.from({ length: 130_000 }, (_, i) => {
      const key = Buffer.from(`k${i}`);
      return Buffer.from([0x62, key.length + 2, 0x0a, key.length, ...key]);
    });
    expect(failureOf(Buffer.concat(entries)).code).toBe('TooManyItems');
    expect(() => decodeMessage(everything, 'test.Everything', Buffer.concat(entries.slice(0, 120_000)))).not.toThrow();
  });

  test('are refused when documents inside them do the same', () => {
    const json = Buffer.from(`[${'[],'.repeat(60_000)}0]`);
    const any = [0xaa, 0x01, ...sizeOf(json.length + 4), 0x0a, ...sizeOf(json.length)];
    const bytes = Buffer.concat(new Array(6).fill(Buffer.concat([Uint8Array.from(any), json])));
    expect(failureOf(bytes).code).toBe('TooManyItems');
  });

  test('are refused when nested too deeply, long before the stack ends', () => {
    let bytes = Buffer.alloc(0);
    for (let i = 0; i < 2_000; i++) {
      bytes = Buffer.concat([Uint8Array.from([0x72, ...sizeOf(bytes.length)]), bytes]);
    }
    expect(failureOf(bytes).code).toBe('TooDeep');
  });

  test('do not stall when fields repeat inside fields that repeat', () => {
    let bytes = Buffer.alloc(0);
    for (let i = 0; i < 900; i++) {
      bytes = Buffer.concat([Uint8Array.from([0x72, ...sizeOf(bytes.length)]), bytes, Uint8Array.of(0x72, 0)]);
    }
    expect(() => decodeMessage(everything, 'test.Everything', bytes)).not.toThrow();
  });
});

function sizeOf(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, ...sizeOf(length >>> 7)];
}

test('An envelope needs its prefix', () => {
  expect(() => decodeEnvelope(Buffer.from('{}'))).toThrow('expected prefix [107 56 115 0]');
  expect(() => decodeEnvelope(new Uint8Array())).toThrow('empty data');
  expect(() => decodeEnvelope(Buffer.from('k8s\0'))).toThrow('empty body');
});

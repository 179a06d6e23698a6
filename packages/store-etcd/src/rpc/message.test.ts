import { describe, expect, test } from 'vitest';
import { message, required } from './message.ts';
import { KeyValue, RangeResponse, TxnRequest } from './messages.ts';

const Inner = message({ name: [1, 'string'] });
const Everything = message({
  small: [1, 'int64'],
  id: [2, 'id'],
  flag: [3, 'bool'],
  bytes: [5, 'bytes'],
  one: [6, Inner],
  many: [16, [Inner]],
});

describe('a message', () => {
  test('reads as it was written, whatever the order of its fields', () => {
    const value = {
      many: [{ name: 'a' }, { name: '' }, { name: 'é' }],
      one: { name: 'inner' },
      bytes: Buffer.from([0, 255]),
      flag: true,
      id: 2n ** 63n - 1n,
      small: 2 ** 53 - 1,
    };
    expect(Everything.decode(Everything.encode(value))).toEqual(value);
  });

  test('has zeros for what is absent', () => {
    expect(Everything.decode(new Uint8Array(0))).toEqual({
      small: 0,
      id: 0n,
      flag: false,
      bytes: new Uint8Array(0),
      one: undefined,
      many: [],
    });
  });

  test('passes over fields that it does not know', () => {
    const Newer = message({ small: [1, 'int64'], added: [9, 'string'], more: [17, [Inner]] });
    const bytes = Newer.encode({ small: 7, added: 'x', more: [{ name: 'y' }] });
    expect(Everything.decode(bytes)).toMatchObject({ small: 7, many: [] });
  });

  test.each([
    ['a cut-off field', [0x2a, 5, 1]],
    ['another wire type', [0x0a, 0]],
    ['a number beyond 2^53', [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['an inner message that goes on beyond its end', [0x32, 2, 0x0a, 5, 65, 65, 65, 65, 65]],
  ])('is refused with %s', (_, bytes) => {
    expect(() => Everything.decode(Buffer.from(bytes))).toThrow(expect.objectContaining({ name: 'ProtobufError' }));
  });
});

test('a message without what it must have is refused, and so is a revision that is none', () => {
  const Outer = message({ inner: [1, required(Inner)], revision: [2, 'revision'] });
  expect(Outer.decode(Outer.encode({ inner: { name: 'a' }, revision: 7 }))).toEqual({
    inner: { name: 'a' },
    revision: 7,
  });
  expect(() => Outer.decode(Outer.encode({ revision: 7 }))).toThrow('it is missing');
  expect(() => Outer.decode(Outer.encode({ inner: {}, revision: -7 }))).toThrow('it is negative');
  expect(() => RangeResponse.decode(Buffer.alloc(0))).toThrow('it is missing');
});

test('fields have the numbers that etcd gives them', () => {
  const bytes = Buffer.from([0x0a, 1, 0x61, 0x10, 2, 0x18, 3, 0x20, 2, 0x2a, 1, 0x31]);
  expect(KeyValue.decode(bytes)).toMatchObject({ createRevision: 2, modRevision: 3, version: 2, lease: 0n });
  expect(Buffer.from(TxnRequest.encode({ compare: [{ target: 2, key: Buffer.from('a'), modRevision: 0 }] }))).toEqual(
    Buffer.from([0x0a, 7, 0x10, 2, 0x1a, 1, 0x61, 0x30, 0]),
  );
});

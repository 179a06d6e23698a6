import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json/index.ts';
import { decodeMessage, encodeMessage, ProtobufError } from './index.ts';
import { everything, zeroOfEverything } from './testing/table.ts';

const decode = (...bytes: number[]) => decodeMessage(everything, 'test.Everything', Uint8Array.from(bytes));
const encode = (object: JsonObject) => encodeMessage(everything, 'test.Everything', object);
const roundTrip = (object: JsonObject) => decodeMessage(everything, 'test.Everything', encode(object));

function check(written: JsonObject, read: JsonObject = written): void {
  expect(roundTrip(written)).toEqual({ ...zeroOfEverything, ...read });
}

describe('A message', () => {
  test('without a byte has the zero values that Go prints', () => {
    expect(decode()).toEqual(zeroOfEverything);
  });

  test('keeps the difference between absent and zero where Go has a pointer', () => {
    check({ maybe: '' });
    check({ strict: '' });
    check({ ratio: 0 });
    check({ child: {} }, { child: zeroOfEverything });
  });

  test('loses zero values that Go omits', () => {
    check({ quiet: '', flag: false, small: 0, big: 0, data: '', names: [], labels: {} }, {});
  });

  test('lays embedded fields beside the others', () => check({ inner: 'x' }));

  test('carries integers of 64 bits digit for digit', () => {
    check({ big: 9223372036854775807n });
    check({ big: -9223372036854775808n });
    check({ big: Number.MAX_SAFE_INTEGER });
    check({ big: Number.MIN_SAFE_INTEGER });
    check({ big: BigInt(Number.MAX_SAFE_INTEGER) + 1n });
    check({ big: 2 ** 32, numbers: [-1, 0, 2 ** 31, -(2 ** 31), -(2 ** 52), 127, 128] });
    check({ small: -2147483648 });
  });

  test('carries lists, maps and bytes', () => {
    check({ names: ['', 'a', 'ü'], labels: { b: '1', a: '' }, secrets: { k: 'AAEC', empty: '' }, data: '/w==' });
    check({ byName: { a: {} } }, { byName: { a: zeroOfEverything } });
    check({ children: [{ text: 'x' }] }, { children: [{ ...zeroOfEverything, text: 'x' }] });
  });

  test('takes __proto__ for a key like any other', () => {
    const object = JSON.parse('{"labels":{"__proto__":"x","a":"y"}}') as JsonObject;
    expect(Object.entries(roundTrip(object).labels as object)).toEqual([
      ['__proto__', 'x'],
      ['a', 'y'],
    ]);
  });

  test('orders keys by their bytes', () => {
    const labels = roundTrip({ labels: { '\u{1F600}': '', '\uFF5E': '', b: '', a: '' } }).labels as object;
    expect(Object.keys(labels)).toEqual(['a', 'b', '\uFF5E', '\u{1F600}']);
  });

  test('merges messages that come twice, replaces scalars, and lets lists grow', () => {
    const parts: JsonObject[] = [
      { text: 'a', child: { text: 'x', names: ['1'] }, labels: { a: '1' } },
      { text: 'b', child: { text: 'y', quiet: 'z', names: ['2'] }, labels: { a: '2', b: '3' } },
    ];
    const bytes = Buffer.concat(parts.map(encode));
    const child = { ...zeroOfEverything, text: 'y', quiet: 'z', names: ['1', '2'] };
    const merged = decodeMessage(everything, 'test.Everything', bytes);
    expect(merged).toEqual({ ...zeroOfEverything, text: 'b', child, labels: { a: '2', b: '3' } });
  });

  test('accepts packed numbers and passes over fields it does not know', () => {
    const unknown = [
      0xf8, 0x07, 0x05, 0xfa, 0x07, 0x01, 0x00, 0xfd, 0x07, 1, 2, 3, 4, 0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8,
    ];
    const group = [0xfb, 0x07, 0x08, 0x01, 0x0b, 0x0c, 0xfc, 0x07];
    expect(decode(...unknown, ...group, 0x5a, 3, 1, 2, 3)).toEqual({ ...zeroOfEverything, numbers: [1, 2, 3] });
  });

  test('writes plain fields even when they are zero, in the order of their numbers', () => {
    expect(Buffer.from(encodeMessage({ 'a.B': 'struct|3 z pe bool|1 a po string|2 c oo int32' }, 'a.B', {}))).toEqual(
      Buffer.from([0x0a, 0, 0x18, 0]),
    );
  });
});

describe('Values with a form of their own', () => {
  test('times', () => {
    check({ time: '2026-02-28T23:59:59Z' });
    check({ time: '1969-12-31T23:59:59Z' });
    check({ time: '2026-03-01T01:30:00+02:00' }, { time: '2026-02-28T23:30:00Z' });
    check({ time: '0001-01-01T00:00:00Z' }, { time: null });
    check({ micro: '2026-02-28T23:59:59.000001Z' });
    check({ micro: '1969-12-31T23:59:59.999999Z' });
  });

  test('quantities, ports, durations, lists and JSON', () => {
    check({ size: '100m' });
    check({ size: 2 }, { size: '2' });
    check({ port: 'http' });
    check({ port: -1 });
    check({ verbs: ['get'] });
    check({ verbs: [] });
    check({ any: { n: 9223372036854775807n, list: [null, true, 1.5, 'x'] } });
    for (const wait of ['1h2m3.5s', '-1.5s', '1m0s', '100ns', '1.5µs', '2562047h47m16.854775807s']) check({ wait });
    check({ wait: '90m' }, { wait: '1h30m0s' });
  });
});

describe('encodeMessage refuses', () => {
  const refuse = (object: JsonObject) => expect(() => encode(object)).toThrow(ProtobufError);

  test('values that are not of the type of their field', () => {
    refuse({ text: 1 });
    refuse({ small: 2 ** 31 });
    refuse({ small: 1.5 });
    refuse({ big: 2n ** 63n });
    refuse({ flag: 'true' });
    refuse({ names: 'a' });
    refuse({ labels: ['a'] });
    refuse({ child: 'x' });
    refuse({ time: 'yesterday' });
    refuse({ wait: 'soon' });
  });

  test('objects that are nested too deeply', () => {
    let object: JsonObject = {};
    for (let i = 0; i < 1_500; i++) object = { child: object };
    refuse(object);
  });

  test('messages that the table does not have', () => {
    expect(() => encodeMessage(everything, 'test.Nothing', {})).toThrow('no message is called test.Nothing');
    expect(() => encodeMessage(everything, 'toString', {})).toThrow(ProtobufError);
  });
});

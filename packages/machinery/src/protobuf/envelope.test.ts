import { describe, expect, test } from 'vitest';
import {
  decodeEnvelope,
  decodeObject,
  decodeWatchFrame,
  encodeEnvelope,
  encodeObject,
  encodeWatchFrame,
  ProtobufError,
  splitFrames,
} from './index.ts';
import { everything, zeroOfEverything } from './testing/table.ts';

const object = { apiVersion: 'test/v1', kind: 'Everything', text: 'hello' };

test('An object travels in an envelope that names its kind', () => {
  const bytes = encodeObject(everything, 'test.Everything', object);
  expect(Buffer.from(bytes.subarray(0, 4)).toString('latin1')).toBe('k8s\0');
  const envelope = decodeEnvelope(bytes);
  expect(envelope).toMatchObject({ apiVersion: 'test/v1', kind: 'Everything', contentType: '', contentEncoding: '' });
  expect(decodeObject(everything, 'test.Everything', envelope)).toEqual({ ...zeroOfEverything, ...object });
  expect(encodeEnvelope(envelope)).toEqual(bytes);
});

describe('A watch stream', () => {
  const frames = ['ADDED', 'DELETED'].map((type) =>
    encodeWatchFrame({ type, object: encodeObject(everything, 'test.Everything', object) }),
  );
  const stream = Buffer.concat(frames);

  test('is cut into events', () => {
    const { payloads, rest } = splitFrames(stream, 1_000);
    expect(payloads.map((payload) => decodeWatchFrame(payload).type)).toEqual(['ADDED', 'DELETED']);
    expect(decodeEnvelope(decodeWatchFrame(payloads[0]!).object).kind).toBe('Everything');
    expect(rest).toHaveLength(0);
  });

  test('keeps the beginning of an event until its end arrives, wherever it is cut', () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const first = splitFrames(stream.subarray(0, cut), 1_000);
      const second = splitFrames(Buffer.concat([first.rest, stream.subarray(cut)]), 1_000);
      expect(first.payloads.length + second.payloads.length).toBe(2);
      expect(second.rest).toHaveLength(0);
    }
  });

  test('is refused when an event is larger than its reader allows', () => {
    expect(() => splitFrames(stream, 10)).toThrow(ProtobufError);
    expect(() => splitFrames(Uint8Array.of(0xff, 0xff, 0xff, 0xff), 1_000_000)).toThrow(ProtobufError);
  });
});

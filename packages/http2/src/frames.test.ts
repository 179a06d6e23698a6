import { expect, test } from 'vitest';
import { FLAG, FRAME, FrameReader, frameOf, HEAD_BYTES } from './frames.ts';

function frame(type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(payload as Uint8Array);
  const whole = frameOf({ type, flags, streamId }, bytes.length);
  whole.set(bytes, HEAD_BYTES);
  return whole;
}

/** What a sink is told, in words; pieces of DATA are put together. */
function read(...pieces: readonly Buffer[]): string[] {
  const told: string[] = [];
  let data = '';
  const reader = new FrameReader({
    frame: ({ type, flags, streamId }, payload) => told.push(`${type} ${flags} ${streamId} ${payload.toString()}`),
    dataBegins: (streamId, length) => told.push(`data ${streamId} ${length}`),
    data: (bytes) => {
      data += bytes.toString();
    },
    dataEnds: (isLast) => {
      told.push(isLast ? `${data}.` : data);
      data = '';
    },
  });
  for (const piece of pieces) reader.read(piece);
  return told;
}

const everything = Buffer.concat([
  frame(FRAME.settings, 0, 0),
  frame(FRAME.headers, FLAG.endHeaders, 1, 'head'),
  frame(FRAME.data, 0, 1, 'one'),
  frame(FRAME.data, FLAG.padded, 1, '\u0004twopad!'),
  frame(FRAME.data, FLAG.padded, 1, '\u0000three'),
  frame(FRAME.data, FLAG.padded, 1, '\u0003pad'),
  frame(FRAME.data, FLAG.endStream, 1),
  frame(99, 255, 2 ** 31 - 1, 'unknown'),
]);
const told = [
  '4 0 0 ',
  '1 4 1 head',
  'data 1 3',
  'one',
  'data 1 8',
  'two',
  'data 1 6',
  'three',
  'data 1 4',
  '',
  'data 1 0',
  '.',
  '99 255 2147483647 unknown',
];

test('frames are read as they are', () => expect(read(everything)).toEqual(told));

test('it does not matter where bytes are cut', () => {
  for (let cut = 1; cut < everything.length; cut++) {
    expect(read(everything.subarray(0, cut), everything.subarray(cut))).toEqual(told);
  }
  expect(read(...Array.from(everything, (byte) => Buffer.of(byte)))).toEqual(told);
});

test('the bit before the number of a stream means nothing', () => {
  const bytes = frame(FRAME.ping, 0, 5, '12345678');
  bytes[5]! |= 0x80;
  expect(read(bytes)).toEqual(['6 0 5 12345678']);
});

test.each([
  ['longer than allowed', frameOf({ type: FRAME.ping, flags: 0, streamId: 0 }, 16_385, 0), 'FRAME_SIZE_ERROR'],
  ['padded by more than there is', frame(FRAME.data, FLAG.padded, 1, '\u0004pad'), 'PROTOCOL_ERROR'],
  ['padded by nothing at all', frame(FRAME.data, FLAG.padded, 1), 'FRAME_SIZE_ERROR'],
])('a frame that is %s is none', (_, bytes, reason) => {
  expect(() => read(bytes)).toThrow(expect.objectContaining({ reason }));
});

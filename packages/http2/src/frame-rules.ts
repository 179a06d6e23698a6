import type { FrameHead } from './frame.ts';
import { Fault, FLAG, FRAME } from './frame.ts';

/** Frames of the connection as a whole, and frames of a stream; windows are of both. */
const OF_CONNECTION = new Set<number>([FRAME.settings, FRAME.ping, FRAME.goAway]);
const OF_STREAM = new Set<number>([FRAME.data, FRAME.headers, FRAME.priority, FRAME.reset, FRAME.continuation]);
const SIZES = new Map<number, number>([
  [FRAME.priority, 5],
  [FRAME.reset, 4],
  [FRAME.ping, 8],
  [FRAME.windowUpdate, 4],
]);
const SETTING_BYTES = 6;
const MIN_GO_AWAY_BYTES = 8;

/** Throws a `Fault` where a frame is not what its type says. */
export function checkFrame(head: FrameHead, length: number): void {
  const { type, streamId } = head;
  if (streamId === 0 ? OF_STREAM.has(type) : OF_CONNECTION.has(type))
    throw new Fault('PROTOCOL_ERROR', streamId === 0 ? 'a frame is of no stream' : 'a frame is of a stream');
  if (!isSized(head, length)) throw new Fault('FRAME_SIZE_ERROR', 'a frame has another size than its kind');
  if (type === FRAME.pushPromise) throw new Fault('PROTOCOL_ERROR', 'something is pushed that nobody asked for');
}

function isSized({ type, flags }: FrameHead, length: number): boolean {
  if (type === FRAME.settings) return (flags & FLAG.ack) === 0 ? length % SETTING_BYTES === 0 : length === 0;
  if (type === FRAME.goAway) return length >= MIN_GO_AWAY_BYTES;
  return (SIZES.get(type) ?? length) === length;
}

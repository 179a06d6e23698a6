/** What connections of HTTP/2 begin with, then with settings (RFC 9113, section 3.4). */
export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** The same bit means `ack` in frames that have no end. */
export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const SETTING = {
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Why a stream or a connection ends. The place is the number. */
const REASONS = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;

export type Reason = (typeof REASONS)[number];

/** As a text; servers may use numbers that nobody knows. */
export function reasonOf(code: number): string {
  return REASONS[code] ?? `code ${code}`;
}

/** The other side did what ends a stream, or where it is not of one, the connection. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const HEAD_BYTES = 9;
/** Nobody may send more in a frame to somebody who did not say that it may; we neither say so nor make use of it. */
export const MAX_FRAME_BYTES = 16_384;
/** A window is at first so large, and never larger than that. */
export const FIRST_WINDOW_BYTES = 65_535;
export const MAX_WINDOW_BYTES = 2 ** 31 - 1;
export const MAX_STREAM_ID = 2 ** 31 - 1;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0: the connection. */
  readonly streamId: number;
}

/** The head of a frame of so many bytes, and room for them unless they are written elsewhere. */
export function frameOf({ type, flags, streamId }: FrameHead, length: number, room: number = length): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + room);
  frame.writeUIntBE(length, 0, 3);
  frame[3] = type;
  frame[4] = flags;
  frame.writeUInt32BE(streamId, 5);
  return frame;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const frame = frameOf({ type: FRAME.settings, flags: 0, streamId: 0 }, settings.length * 6);
  settings.forEach(([id, value], index) => {
    frame.writeUInt16BE(id, HEAD_BYTES + index * 6);
    frame.writeUInt32BE(value, HEAD_BYTES + index * 6 + 2);
  });
  return frame;
}

export function settingsAck(): Buffer {
  return frameOf({ type: FRAME.settings, flags: FLAG.ack, streamId: 0 }, 0);
}

/** `data`: 8 bytes. */
export function pingFrame(data: Uint8Array, flags: number = 0): Buffer {
  const frame = frameOf({ type: FRAME.ping, flags, streamId: 0 }, data.length);
  frame.set(data, HEAD_BYTES);
  return frame;
}

export function windowUpdateFrame(streamId: number, bytes: number): Buffer {
  return numberFrame(FRAME.windowUpdate, streamId, bytes);
}

export function resetFrame(streamId: number, reason: Reason): Buffer {
  return numberFrame(FRAME.reset, streamId, REASONS.indexOf(reason));
}

/** `lastId`: of the last stream of the other side that was looked at. */
export function goAwayFrame(reason: Reason, lastId = 0): Buffer {
  const frame = frameOf({ type: FRAME.goAway, flags: 0, streamId: 0 }, 8);
  frame.writeUInt32BE(lastId, HEAD_BYTES);
  frame.writeUInt32BE(REASONS.indexOf(reason), HEAD_BYTES + 4);
  return frame;
}

/** A header block, in as many frames as it takes. */
export function headersFrames(streamId: number, block: Buffer, isLast: boolean): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += MAX_FRAME_BYTES) {
    const part = block.subarray(at, at + MAX_FRAME_BYTES);
    const type = at === 0 ? FRAME.headers : FRAME.continuation;
    const endHeaders = at + part.length === block.length ? FLAG.endHeaders : 0;
    const flags = endHeaders | (at === 0 && isLast ? FLAG.endStream : 0);
    const frame = frameOf({ type, flags, streamId }, part.length);
    frame.set(part, HEAD_BYTES);
    frames.push(frame);
  }
  return frames;
}

function numberFrame(type: number, streamId: number, value: number): Buffer {
  const frame = frameOf({ type, flags: 0, streamId }, 4);
  frame.writeUInt32BE(value, HEAD_BYTES);
  return frame;
}

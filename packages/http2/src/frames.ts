/** First bytes of a client on a connection; SETTINGS follow (RFC 9113, section 3.4). */
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

/** `ack` shares its bit with `endStream`: it is used in frames that do not belong to a stream. */
export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const SETTING = {
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Error codes of RFC 9113, section 7. The index is the code. */
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

/** Returns the name of an error code, and `code 42` for one that RFC 9113 does not define. */
export function reasonOf(code: number): string {
  return REASONS[code] ?? `code ${code}`;
}

/** A breach of the protocol by the peer. Ends the stream, or the connection when it concerns no stream. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error';
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const HEAD_BYTES = 9;
/** Largest payload unless the peer's SETTINGS_MAX_FRAME_SIZE allows more, which we neither offer nor use. */
export const MAX_FRAME_BYTES = 16_384;
/** Initial size of every window, and the largest size that a window may grow to. */
export const FIRST_WINDOW_BYTES = 65_535;
export const MAX_WINDOW_BYTES = 2 ** 31 - 1;
export const MAX_STREAM_ID = 2 ** 31 - 1;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0 for frames of the connection. */
  readonly streamId: number;
}

/** Returns a frame header for a payload of `length` bytes, with `room` bytes behind it for the payload. */
export function frameOf({ type, flags, streamId }: FrameHead, length: number, room: number = length): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + room);
  frame.writeUIntBE(length, 0, 3);
  frame[3] = type;
  frame[4] = flags;
  frame.writeUInt32BE(streamId, 5);
  return frame;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const frame = frameOf({ type: FRAME.settings, flags: 0, streamId: 0 }, settings.length * SETTING_BYTES);
  settings.forEach(([id, value], index) => {
    frame.writeUInt16BE(id, HEAD_BYTES + index * SETTING_BYTES);
    frame.writeUInt32BE(value, HEAD_BYTES + index * SETTING_BYTES + 2);
  });
  return frame;
}

export function settingsAck(): Buffer {
  return frameOf({ type: FRAME.settings, flags: FLAG.ack, streamId: 0 }, 0);
}

/** `data` has 8 bytes. */
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

/** `lastId` is the peer's last stream that was processed. */
export function goAwayFrame(reason: Reason, lastId = 0): Buffer {
  const frame = frameOf({ type: FRAME.goAway, flags: 0, streamId: 0 }, 8);
  frame.writeUInt32BE(lastId, HEAD_BYTES);
  frame.writeUInt32BE(REASONS.indexOf(reason), HEAD_BYTES + 4);
  return frame;
}

/** Splits a header block into a HEADERS frame and as many CONTINUATION frames as it needs. */
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

/** The peer's settings. Settings that its frame did not name are absent, and stay as they were. */
export interface Settings {
  /** Whether the peer accepts server push. */
  readonly takesPushes?: boolean;
  readonly maxStreams?: number;
  readonly firstWindowBytes?: number;
}

const SETTING_BYTES = 6;
const MAX_MAX_FRAME_BYTES = 2 ** 24 - 1;

/** Returns the number of settings in a SETTINGS frame. */
export function countSettings(payload: Buffer): number {
  return payload.length / SETTING_BYTES;
}

/** Throws an `Http2Error` for a value outside its range. Ignores table and frame sizes: ours fit any peer. */
export function readSettings(payload: Buffer): Settings {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = {};
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.enablePush:
        if (value > 1) throw new Http2Error('PROTOCOL_ERROR', 'SETTINGS_ENABLE_PUSH is neither 0 nor 1');
        settings.takesPushes = value === 1;
        break;
      case SETTING.maxConcurrentStreams:
        settings.maxStreams = value;
        break;
      case SETTING.initialWindowSize:
        if (value > MAX_WINDOW_BYTES)
          throw new Http2Error('FLOW_CONTROL_ERROR', 'SETTINGS_INITIAL_WINDOW_SIZE is larger than allowed');
        settings.firstWindowBytes = value;
        break;
      case SETTING.maxFrameSize:
        if (value < MAX_FRAME_BYTES || value > MAX_MAX_FRAME_BYTES)
          throw new Http2Error('PROTOCOL_ERROR', 'SETTINGS_MAX_FRAME_SIZE is out of range');
        break;
    }
  }
  return settings;
}

/** Types of frames that belong to the connection, and to a stream. WINDOW_UPDATE belongs to either. */
const OF_CONNECTION = new Set<number>([FRAME.settings, FRAME.ping, FRAME.goAway]);
const OF_STREAM = new Set<number>([FRAME.data, FRAME.headers, FRAME.priority, FRAME.reset, FRAME.continuation]);
const SIZES = new Map<number, number>([
  [FRAME.priority, 5],
  [FRAME.reset, 4],
  [FRAME.ping, 8],
  [FRAME.windowUpdate, 4],
]);
const MIN_GO_AWAY_BYTES = 8;

/** Throws an `Http2Error` for a frame on the wrong stream or of the wrong size for its type. */
export function checkFrame(head: FrameHead, length: number): void {
  const { type, streamId } = head;
  if (streamId === 0 ? OF_STREAM.has(type) : OF_CONNECTION.has(type))
    throw new Http2Error(
      'PROTOCOL_ERROR',
      streamId === 0 ? 'the frame needs a stream' : 'the frame must not have a stream',
    );
  if (!isSized(head, length)) throw new Http2Error('FRAME_SIZE_ERROR', 'the size of the frame does not fit its type');
  if (type === FRAME.pushPromise) throw new Http2Error('PROTOCOL_ERROR', 'server push is disabled');
}

function isSized({ type, flags }: FrameHead, length: number): boolean {
  if (type === FRAME.settings) return (flags & FLAG.ack) === 0 ? length % SETTING_BYTES === 0 : length === 0;
  if (type === FRAME.goAway) return length >= MIN_GO_AWAY_BYTES;
  return (SIZES.get(type) ?? length) === length;
}

/** Receives the frames of a connection, in order. `FrameReader.read` throws what a method throws. */
export interface FrameSink {
  /** Receives any frame but DATA. The payload is valid until this returns. */
  frame(head: FrameHead, payload: Buffer): void;
  /** `length` includes the padding, which counts for windows. */
  dataBegins(streamId: number, length: number): void;
  /** Receives the next bytes of the frame, valid until this returns. */
  data(bytes: Buffer): void;
  dataEnds(isLast: boolean): void;
}

/** Reads frames from the bytes of a connection, however they are cut. Passes DATA on as it arrives and other frames whole. */
export class FrameReader {
  readonly #sink: FrameSink;
  #state: 'head' | 'whole' | 'pad-length' | 'data' | 'padding' = 'head';
  readonly #heldHead = Buffer.alloc(HEAD_BYTES);
  /** Payload of a frame that has not arrived completely. */
  #held: Buffer | undefined;
  /** Bytes in `#heldHead` or `#held`. */
  #heldBytes = 0;
  #head: FrameHead = { type: 0, flags: 0, streamId: 0 };
  /** Bytes of the frame that are still to come; in the state `data`, without the padding. */
  #left = 0;
  #padding = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at);
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'whole':
        return this.#readWhole(bytes, at);
      case 'pad-length':
        this.#padding = bytes[at]!;
        this.#beginData(this.#left - 1 - this.#padding);
        return at + 1;
      case 'data':
        return this.#readData(bytes, at);
      case 'padding':
        return this.#skipPadding(bytes, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    if (this.#heldBytes === 0 && bytes.length - at >= HEAD_BYTES) {
      this.#begin(bytes, at);
      return at + HEAD_BYTES;
    }
    const end = Math.min(bytes.length, at + HEAD_BYTES - this.#heldBytes);
    bytes.copy(this.#heldHead, this.#heldBytes, at, end);
    this.#heldBytes += end - at;
    if (this.#heldBytes === HEAD_BYTES) {
      this.#heldBytes = 0;
      this.#begin(this.#heldHead, 0);
    }
    return end;
  }

  #begin(bytes: Buffer, at: number): void {
    const length = bytes.readUIntBE(at, 3);
    const head = { type: bytes[at + 3]!, flags: bytes[at + 4]!, streamId: bytes.readUInt32BE(at + 5) & MAX_STREAM_ID };
    if (length > MAX_FRAME_BYTES) throw new Http2Error('FRAME_SIZE_ERROR', 'the frame is longer than allowed');
    this.#head = head;
    this.#left = length;
    if (head.type === FRAME.data) {
      this.#sink.dataBegins(head.streamId, length);
      if ((head.flags & FLAG.padded) === 0) this.#beginData(length);
      else if (length > 0) this.#state = 'pad-length';
      else throw new Http2Error('FRAME_SIZE_ERROR', 'a padded frame has no pad length');
    } else if (length === 0) this.#sink.frame(head, NOTHING);
    else this.#state = 'whole';
  }

  #readWhole(bytes: Buffer, at: number): number {
    const length = this.#left;
    if (this.#held === undefined && bytes.length - at >= length) {
      this.#state = 'head';
      this.#sink.frame(this.#head, bytes.subarray(at, at + length));
      return at + length;
    }
    this.#held ??= Buffer.allocUnsafe(length);
    const end = Math.min(bytes.length, at + length - this.#heldBytes);
    bytes.copy(this.#held, this.#heldBytes, at, end);
    this.#heldBytes += end - at;
    if (this.#heldBytes === length) this.#giveHeld(this.#held);
    return end;
  }

  #giveHeld(payload: Buffer): void {
    this.#held = undefined;
    this.#heldBytes = 0;
    this.#state = 'head';
    this.#sink.frame(this.#head, payload);
  }

  #beginData(length: number): void {
    if (length < 0) throw new Http2Error('PROTOCOL_ERROR', 'the padding is longer than the frame');
    this.#left = length;
    this.#state = 'data';
    if (length === 0) this.#endData();
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.data(bytes.subarray(at, end));
    if (this.#left === 0) this.#endData();
    return end;
  }

  /** Ends the frame, or first skips its padding. */
  #endData(): void {
    if (this.#padding > 0) {
      this.#state = 'padding';
      return;
    }
    this.#state = 'head';
    this.#sink.dataEnds((this.#head.flags & FLAG.endStream) !== 0);
  }

  #skipPadding(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#padding);
    this.#padding -= end - at;
    if (this.#padding === 0) this.#endData();
    return end;
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

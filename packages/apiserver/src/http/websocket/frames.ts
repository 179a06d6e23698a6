/** The kinds of frames of RFC 6455. */
export const OPCODES = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
export type Opcode = (typeof OPCODES)[keyof typeof OPCODES];

export interface Frame {
  readonly opcode: Opcode;
  readonly isFinal: boolean;
  readonly payload: Uint8Array;
}

/** Why a connection is closed. */
export const CLOSE_CODES = { normal: 1000, goingAway: 1001, protocolError: 1002, tooBig: 1009 } as const;

/** A peer that does not keep to the protocol; the connection is closed with `code`. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(`Cannot read the frame: ${message}`);
    this.code = code;
  }
}

/** A whole frame as a server sends it: not masked, not fragmented. */
export function encodeFrame(opcode: Opcode, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

export function encodeClose(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return encodeFrame(OPCODES.close, payload);
}

/** Cuts what a client sends into frames. Holds at most one frame of `maxBytes` and its head. */
export class FrameReader {
  readonly #maxBytes: number;
  #pending: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The frames that are complete now. Throws FrameError at the first one that breaks the rules for clients. */
  *push(bytes: Uint8Array): Generator<Frame> {
    this.#pending = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) yield frame;
  }

  #next(): Frame | undefined {
    const bytes = this.#pending;
    if (bytes.length < 2) return undefined;
    const opcode = readOpcode(bytes[0]!);
    const isFinal = (bytes[0]! & 0x80) !== 0;
    if ((bytes[1]! & 0x80) === 0) throw new FrameError(CLOSE_CODES.protocolError, 'it is not masked');
    const size = readLength(bytes);
    if (size === undefined) return undefined;
    if (opcode >= OPCODES.close && (!isFinal || size.length > 125)) {
      throw new FrameError(CLOSE_CODES.protocolError, 'a control frame is short and whole');
    }
    if (size.length > this.#maxBytes) throw new FrameError(CLOSE_CODES.tooBig, `it is longer than ${this.#maxBytes}`);
    const start = size.headBytes + 4;
    const end = start + size.length;
    if (bytes.length < end) return undefined;
    const payload = unmask(bytes.subarray(start, end), bytes.subarray(size.headBytes, start));
    this.#pending = bytes.subarray(end);
    return { opcode, isFinal, payload };
  }
}

function readOpcode(byte: number): Opcode {
  if ((byte & 0x70) !== 0) throw new FrameError(CLOSE_CODES.protocolError, 'a reserved bit is set');
  const opcode = Object.values(OPCODES).find((candidate) => candidate === (byte & 0x0f));
  if (opcode === undefined) throw new FrameError(CLOSE_CODES.protocolError, 'its kind is unknown');
  return opcode;
}

function readLength(bytes: Buffer): { readonly length: number; readonly headBytes: number } | undefined {
  const short = bytes[1]! & 0x7f;
  if (short < 126) return { length: short, headBytes: 2 };
  if (short === 126) return bytes.length < 4 ? undefined : { length: bytes.readUInt16BE(2), headBytes: 4 };
  // Beyond 2^53 the number loses digits, but it is beyond any limit too.
  return bytes.length < 10 ? undefined : { length: Number(bytes.readBigUInt64BE(2)), headBytes: 10 };
}

function unmask(payload: Uint8Array, mask: Uint8Array): Uint8Array {
  return payload.map((byte, i) => byte ^ mask[i & 3]!);
}

import type { FrameHead } from './frame.ts';
import { Fault, FLAG, FRAME, HEAD_BYTES, MAX_FRAME_BYTES, MAX_STREAM_ID } from './frame.ts';

/** Told what a connection brings, in order. What it throws, the reader throws. */
export interface FrameSink {
  /** Any frame but DATA. The payload is lent until this returns. */
  frame(head: FrameHead, payload: Buffer): void;
  /** `length`: of the whole frame, which counts for windows: its padding too. */
  dataBegins(streamId: number, length: number): void;
  /** What has come of it, lent until this returns. */
  data(bytes: Buffer): void;
  dataEnds(isLast: boolean): void;
}

/** Reads frames from the bytes of a connection, however they are cut. DATA is handed on as it comes, other frames whole. */
export class FrameReader {
  readonly #sink: FrameSink;
  #state: 'head' | 'whole' | 'pad-length' | 'data' | 'padding' = 'head';
  readonly #heldHead = Buffer.alloc(HEAD_BYTES);
  /** A frame whose end has not come. */
  #held: Buffer | undefined;
  /** Of the head or the frame. */
  #heldBytes = 0;
  #head: FrameHead = { type: 0, flags: 0, streamId: 0 };
  /** What is still to come of the frame; in `data`, of what comes before the padding. */
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
    if (length > MAX_FRAME_BYTES) throw new Fault('FRAME_SIZE_ERROR', 'a frame is longer than allowed');
    this.#head = head;
    this.#left = length;
    if (head.type === FRAME.data) {
      this.#sink.dataBegins(head.streamId, length);
      if ((head.flags & FLAG.padded) === 0) this.#beginData(length);
      else if (length > 0) this.#state = 'pad-length';
      else throw new Fault('FRAME_SIZE_ERROR', 'a padded frame has no padding');
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
    if (length < 0) throw new Fault('PROTOCOL_ERROR', 'the padding of a frame is longer than the frame');
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

  /** What pads it may be still to come. */
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

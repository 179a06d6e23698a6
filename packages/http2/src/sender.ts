import type { Writable } from 'node:stream';
import type { FrameHead } from './frames.ts';
import {
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  frameOf,
  HEAD_BYTES,
  Http2Error,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
} from './frames.ts';

/** Shorter payloads are copied behind their frame header: two writes cost more. */
const SHORT_BYTES = 4 * 1024;

/**
 * The peer answers DATA with WINDOW_UPDATE frames. Clients and servers in use send at most two for a DATA frame (one for the
 * stream, one for the connection), or two for every 4 KiB. Each frame and each KiB allows more than that.
 */
const WINDOW_UPDATES_PER_FRAME = 4;
const BYTES_PER_WINDOW_UPDATE = 1024;
/** More than 400 MB in flight, read at once, would cause with an update for every 4 KiB. */
const MAX_WINDOW_UPDATES = 256 * 1024;

/** Takes frames to the socket. */
export interface SenderOutbox {
  /** True while too much of what was written has not left. */
  readonly isFull: boolean;
  /** Calls back when the bytes have left, and never when they do not. */
  writeBody(bytes: Uint8Array, onGone?: () => void): void;
}

/** The sending half of a stream. */
export interface OutgoingStream {
  readonly id: number;
  /** Bytes that the peer accepts now. Negative when it has reduced its initial window. */
  window: number;
  readonly queue: Uint8Array[];
  /** Bytes already sent of the first chunk in the queue. */
  sentBytes: number;
  /** True when nothing will be added to the queue. */
  isEnded: boolean;
  /** Called when the queue is empty. */
  onSent(): void;
  /** Called when the last byte has left the outbox. */
  readonly onGone?: (() => void) | undefined;
}

/** Sends the queues of a connection's streams in turn, within the peer's windows. */
export class Sender {
  readonly #outbox: SenderOutbox;
  readonly #sending = new Set<OutgoingStream>();
  #window = FIRST_WINDOW_BYTES;
  #firstWindow = FIRST_WINDOW_BYTES;
  #isSending = false;
  /** WINDOW_UPDATE frames that the peer may send for the DATA it received. At most MAX_WINDOW_UPDATES add up. */
  #windowUpdates = WINDOW_UPDATES_PER_FRAME;

  constructor(outbox: SenderOutbox) {
    this.#outbox = outbox;
  }

  /** Initial window of new streams. */
  get firstWindow(): number {
    return this.#firstWindow;
  }

  /** Adds a stream that has data, or its end, to send. */
  add(stream: OutgoingStream): void {
    this.#sending.add(stream);
    this.send();
  }

  /** Takes bytes from both windows for data that the caller sends itself. False when they do not fit or others are queued. */
  spend(stream: OutgoingStream, bytes: number): boolean {
    if (stream.queue.length > 0 || bytes > Math.min(stream.window, this.#window)) return false;
    stream.window -= bytes;
    this.#window -= bytes;
    this.#earn(bytes);
    return true;
  }

  /** Allows WINDOW_UPDATE frames for a new stream: some clients set its window at once. */
  expectWindowUpdates(): void {
    this.#earn(0);
  }

  /** Counts a WINDOW_UPDATE frame. False when no DATA accounts for it. */
  takeWindowUpdate(): boolean {
    if (this.#windowUpdates < 1) return false;
    this.#windowUpdates--;
    return true;
  }

  remove(stream: OutgoingStream): void {
    this.#sending.delete(stream);
  }

  /** Continues sending, after a window has grown or the outbox has drained. */
  send(): void {
    // A stream may add more data in `onSent`.
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#sendRound()) {}
    } finally {
      this.#isSending = false;
    }
  }

  growConnection(bytes: number): void {
    this.#window = grown(this.#window, checked(bytes));
    this.send();
  }

  grow(stream: OutgoingStream, bytes: number): void {
    stream.window = grown(stream.window, checked(bytes));
    this.send();
  }

  /** Sets the initial window of new streams. The windows of `open` change by the difference. */
  setFirstWindow(bytes: number, open: Iterable<OutgoingStream>): void {
    const difference = bytes - this.#firstWindow;
    this.#firstWindow = bytes;
    for (const stream of open) stream.window = grown(stream.window, difference);
    this.send();
  }

  #earn(bytes: number): void {
    const earned = WINDOW_UPDATES_PER_FRAME + bytes / BYTES_PER_WINDOW_UPDATE;
    this.#windowUpdates = Math.min(this.#windowUpdates + earned, MAX_WINDOW_UPDATES);
  }

  /** Sends one frame of each stream that has a window. False when none has. */
  #sendRound(): boolean {
    let isAnySent = false;
    for (const stream of this.#sending) {
      if (this.#outbox.isFull) return false;
      if (this.#sendFrame(stream)) isAnySent = true;
    }
    return isAnySent;
  }

  #sendFrame(stream: OutgoingStream): boolean {
    const { id, queue, sentBytes } = stream;
    const first = queue[0];
    const left = first === undefined ? 0 : first.length - sentBytes;
    const length = Math.max(0, Math.min(left, stream.window, this.#window, MAX_FRAME_BYTES));
    if (length === 0 && left > 0) return false;
    if (length === left) {
      queue.shift();
      stream.sentBytes = 0;
    } else stream.sentBytes += length;
    stream.window -= length;
    this.#window -= length;
    // A short frame that the window has cut allows no updates: windows that grow byte by byte would pay for themselves.
    if (length === left || length >= BYTES_PER_WINDOW_UPDATE) this.#earn(length);
    const isLast = stream.isEnded && queue.length === 0;
    const head = { type: FRAME.data, flags: isLast ? FLAG.endStream : 0, streamId: id };
    const bytes = first?.subarray(sentBytes, sentBytes + length) ?? NOTHING;
    this.#write(head, bytes, isLast ? stream.onGone : undefined);
    if (queue.length === 0) {
      this.#sending.delete(stream);
      stream.onSent();
    }
    return true;
  }

  #write(head: FrameHead, bytes: Uint8Array, onGone: (() => void) | undefined): void {
    const isShort = bytes.length <= SHORT_BYTES;
    const frame = frameOf(head, bytes.length, isShort ? bytes.length : 0);
    if (isShort) frame.set(bytes, HEAD_BYTES);
    this.#outbox.writeBody(frame, isShort ? onGone : undefined);
    if (!isShort) this.#outbox.writeBody(bytes, onGone);
  }
}

const NOTHING = new Uint8Array(0);

/** `bytes` is negative when the peer reduces its initial window. */
function grown(window: number, bytes: number): number {
  if (window + bytes > MAX_WINDOW_BYTES)
    throw new Http2Error('FLOW_CONTROL_ERROR', 'the window is larger than allowed');
  return window + bytes;
}

function checked(bytes: number): number {
  if (bytes === 0) throw new Http2Error('PROTOCOL_ERROR', 'WINDOW_UPDATE has an increment of 0');
  return bytes;
}

/** Bodies wait while more bytes than this have not left. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Replies to pings, settings and late frames that may wait. A peer that reads none of them is disconnected. */
const MAX_ANSWERS = 1_000;

export interface OutboxOptions {
  /** Disconnects a peer that leaves more waiting: headers of responses, unlike bodies, are never held back. Default: no limit. */
  readonly maxBytes?: number;
  /** Calls back when bodies may leave that were not written with their headers. Default: at the end of the tick. */
  readonly later?: (send: () => void) => void;
}

/** Writes to the socket. Everything written in one tick is sent together. */
export class Outbox {
  readonly #socket: Writable;
  readonly #maxBytes: number;
  readonly #later: (send: () => void) => void;
  #isCorked = false;
  /** True when everything written so far leaves at the end of this tick. */
  #isDue = false;
  /** `later` was asked to call back. */
  #isWaiting = false;
  /** Replies that have not left. */
  #answers = 0;

  constructor(socket: Writable, { maxBytes = Number.POSITIVE_INFINITY, later = process.nextTick }: OutboxOptions = {}) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#later = later;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > MAX_WAITING_BYTES;
  }

  write(bytes: Uint8Array): void {
    this.#write(bytes, undefined);
    this.#sendSoon();
  }

  /** Writes a part of a body, which leaves when `later` says so, or with what is written otherwise until then. */
  writeBody(bytes: Uint8Array, onGone?: () => void): void {
    this.#write(bytes, onGone);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#later(this.#sendBodies);
  }

  /** Writes a reply to a frame of the peer. Throws an `Http2Error` when too many replies wait. */
  answer(frame: Buffer): void {
    if (++this.#answers > MAX_ANSWERS) throw new Http2Error('ENHANCE_YOUR_CALM', 'the peer does not read its replies');
    this.#write(frame, this.#onAnswered);
    this.#sendSoon();
  }

  /** Writes a last frame, which may not arrive, and closes the socket. */
  close(last: Buffer): void {
    this.#uncork();
    if (this.#socket.writable) this.#socket.write(last);
    setImmediate(() => this.#socket.destroy());
  }

  #write(bytes: Uint8Array, onGone: (() => void) | undefined): void {
    if (!this.#socket.writable) return;
    if (this.#socket.writableLength > this.#maxBytes) {
      this.#socket.destroy();
      return;
    }
    if (!this.#isCorked) this.#socket.cork();
    this.#isCorked = true;
    this.#socket.write(bytes, onGone && ((error) => error ?? onGone()));
  }

  #sendSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(this.#send);
  }

  readonly #send = (): void => {
    this.#isDue = false;
    this.#uncork();
  };

  readonly #sendBodies = (): void => {
    this.#isWaiting = false;
    this.#uncork();
  };

  #uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  }

  readonly #onAnswered = (): void => {
    this.#answers--;
  };
}

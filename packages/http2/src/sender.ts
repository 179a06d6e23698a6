import type { Socket } from 'node:net';
import type { FrameHead } from './frames.ts';
import {
  Fault,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  frameOf,
  HEAD_BYTES,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
} from './frames.ts';

/** So much is copied behind the head of its frame: two writes cost more. */
const SHORT_BYTES = 4 * 1024;

/**
 * The other side answers DATA with WINDOW_UPDATE frames. Clients and servers in use send at most two for a DATA frame (one of
 * the stream, one of the connection), or two for every 4 KiB; so each frame and each KiB is worth more than that.
 */
const WINDOW_UPDATES_PER_FRAME = 4;
const BYTES_PER_WINDOW_UPDATE = 1024;
/** More than 400 MB under way, read at once, would cause with an update for every 4 KiB. */
const MAX_WINDOW_UPDATES = 256 * 1024;

/** Where frames go. */
export interface SenderOutbox {
  /** Much that was written before is still waiting. */
  readonly isFull: boolean;
  /** Calls back when the bytes have left; never, if they do not. */
  write(bytes: Uint8Array, onGone?: () => void): void;
}

/** What is to be sent on one stream. */
export interface Sending {
  readonly id: number;
  /** So much the other side takes now. Less than nothing when it has changed its mind. */
  window: number;
  readonly queue: Uint8Array[];
  /** Of the first of the queue. */
  sentBytes: number;
  /** Nothing will be added to the queue. */
  isEnded: boolean;
  /** Everything of the queue is gone. */
  onSent(): void;
  /** The last byte has left the outbox. */
  readonly onGone?: (() => void) | undefined;
}

/** Sends what is queued on the streams of a connection, as much as the other side takes, by turns. */
export class Sender {
  readonly #outbox: SenderOutbox;
  readonly #sending = new Set<Sending>();
  #window = FIRST_WINDOW_BYTES;
  #firstWindow = FIRST_WINDOW_BYTES;
  #isSending = false;
  /** How many WINDOW_UPDATE frames the other side may send for what it got. At most MAX_WINDOW_UPDATES are saved up. */
  #windowUpdates = WINDOW_UPDATES_PER_FRAME;

  constructor(outbox: SenderOutbox) {
    this.#outbox = outbox;
  }

  /** With which the window of a new stream begins. */
  get firstWindow(): number {
    return this.#firstWindow;
  }

  /** A stream has something to send, or its end. */
  add(sending: Sending): void {
    this.#sending.add(sending);
    this.send();
  }

  /** Takes so much of both windows for what is sent by another way. False: it would be too much, or out of turn. */
  spend(sending: Sending, bytes: number): boolean {
    if (sending.queue.length > 0 || bytes > Math.min(sending.window, this.#window)) return false;
    sending.window -= bytes;
    this.#window -= bytes;
    this.#earn(bytes);
    return true;
  }

  /** A new stream: some clients set its window at once. */
  expectWindowUpdates(): void {
    this.#earn(0);
  }

  /** Counts a WINDOW_UPDATE frame. False: nothing that was sent explains it. */
  takeWindowUpdate(): boolean {
    if (this.#windowUpdates < 1) return false;
    this.#windowUpdates--;
    return true;
  }

  remove(sending: Sending): void {
    this.#sending.delete(sending);
  }

  /** Goes on where it can: after a window has grown, or what was written is gone. */
  send(): void {
    // Whoever is told that all is sent may add more.
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

  grow(sending: Sending, bytes: number): void {
    sending.window = grown(sending.window, checked(bytes));
    this.send();
  }

  /** The windows of all streams begin with so much; those of `open` change by the difference. */
  setFirstWindow(bytes: number, open: Iterable<Sending>): void {
    const difference = bytes - this.#firstWindow;
    this.#firstWindow = bytes;
    for (const sending of open) sending.window = grown(sending.window, difference);
    this.send();
  }

  #earn(bytes: number): void {
    const earned = WINDOW_UPDATES_PER_FRAME + bytes / BYTES_PER_WINDOW_UPDATE;
    this.#windowUpdates = Math.min(this.#windowUpdates + earned, MAX_WINDOW_UPDATES);
  }

  /** One frame of each stream that can. False: none could. */
  #sendRound(): boolean {
    let isAnySent = false;
    for (const sending of this.#sending) {
      if (this.#outbox.isFull) return false;
      if (this.#sendFrame(sending)) isAnySent = true;
    }
    return isAnySent;
  }

  #sendFrame(sending: Sending): boolean {
    const { id, queue, sentBytes } = sending;
    const first = queue[0];
    const left = first === undefined ? 0 : first.length - sentBytes;
    const length = Math.max(0, Math.min(left, sending.window, this.#window, MAX_FRAME_BYTES));
    if (length === 0 && left > 0) return false;
    if (length === left) {
      queue.shift();
      sending.sentBytes = 0;
    } else sending.sentBytes += length;
    sending.window -= length;
    this.#window -= length;
    // A short frame that the window has cut earns nothing: windows that grow byte by byte would pay for themselves.
    if (length === left || length >= BYTES_PER_WINDOW_UPDATE) this.#earn(length);
    const isLast = sending.isEnded && queue.length === 0;
    const head = { type: FRAME.data, flags: isLast ? FLAG.endStream : 0, streamId: id };
    const bytes = first?.subarray(sentBytes, sentBytes + length) ?? NOTHING;
    this.#write(head, bytes, isLast ? sending.onGone : undefined);
    if (queue.length === 0) {
      this.#sending.delete(sending);
      sending.onSent();
    }
    return true;
  }

  #write(head: FrameHead, bytes: Uint8Array, onGone: (() => void) | undefined): void {
    const isShort = bytes.length <= SHORT_BYTES;
    const frame = frameOf(head, bytes.length, isShort ? bytes.length : 0);
    if (isShort) frame.set(bytes, HEAD_BYTES);
    this.#outbox.write(frame, isShort ? onGone : undefined);
    if (!isShort) this.#outbox.write(bytes, onGone);
  }
}

const NOTHING = new Uint8Array(0);

/** `bytes`: fewer than none where the other side takes less than it said before. */
function grown(window: number, bytes: number): number {
  if (window + bytes > MAX_WINDOW_BYTES) throw new Fault('FLOW_CONTROL_ERROR', 'a window is larger than allowed');
  return window + bytes;
}

function checked(bytes: number): number {
  if (bytes === 0) throw new Fault('PROTOCOL_ERROR', 'a window grows by nothing');
  return bytes;
}

/** Bodies wait while more than this is not gone yet. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Who asks and asks but does not take the answers is cut off. */
const MAX_ANSWERS = 1_000;

/** What is to be sent. What is written in one tick goes together. */
export class Outbox {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  #isCorked = false;
  /** Not gone yet. */
  #answers = 0;

  /** Who lets more than `maxBytes` wait is cut off: heads of answers, unlike bodies, are never held back. */
  constructor(socket: Socket, { maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number } = {}) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > MAX_WAITING_BYTES;
  }

  /** Calls back when the bytes have left; never, if they do not. */
  write(bytes: Uint8Array, onGone?: () => void): void {
    if (this.#socket.writableLength > this.#maxBytes) this.#socket.destroy();
    else if (this.#cork()) this.#socket.write(bytes, onGone && ((error) => error ?? onGone()));
  }

  /** Writes what the other side, not we, made necessary. */
  answer(frame: Buffer): void {
    if (++this.#answers > MAX_ANSWERS) throw new Fault('ENHANCE_YOUR_CALM', 'the answers are not taken');
    if (this.#cork()) this.#socket.write(frame, this.#onAnswered);
  }

  /** Says a last word, which may not arrive. */
  close(last: Buffer): void {
    this.#uncork();
    if (this.#socket.writable) this.#socket.write(last);
    setImmediate(() => this.#socket.destroy());
  }

  #cork(): boolean {
    if (!this.#socket.writable) return false;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(this.#uncork);
    }
    return true;
  }

  readonly #uncork = (): void => {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  };

  readonly #onAnswered = (): void => {
    this.#answers--;
  };
}

import type { Socket } from 'node:net';
import { FLAG, FRAME, FrameReader, PREFACE, pingFrame, reasonOf } from '../frames.ts';
import type { Field } from '../headers.ts';
import { HeaderBlocks } from '../headers.ts';
import type { Reaction } from './rules.ts';

export interface SeenFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** Fields of a header block, in the frame that ends it. */
  readonly fields?: readonly Field[] | undefined;
}

const QUESTION = Buffer.from('are you?');

/** Records the frames that one of our ends sends, from the other side of its socket, which can write anything. */
export class FrameLog {
  readonly frames: SeenFrame[] = [];
  /** Bytes before the first frame: the preface of a client. */
  prefix: Buffer = Buffer.alloc(0);
  isClosed = false;
  readonly #socket: Socket;
  readonly #blocks = new HeaderBlocks();
  #wake: () => void = () => {};

  constructor(socket: Socket, { prefixBytes = 0 }: { readonly prefixBytes?: number } = {}) {
    this.#socket = socket;
    const reader = this.#reader();
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const rest = Math.min(prefixBytes - this.prefix.length, bytes.length);
      this.prefix = Buffer.concat([this.prefix, bytes.subarray(0, rest)]);
      if (bytes.length > rest) reader.read(bytes.subarray(rest));
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  write(...frames: Uint8Array[]): void {
    this.#socket.write(Buffer.concat(frames));
  }

  find(type: number, streamId?: number): SeenFrame | undefined {
    return this.all(type, streamId)[0];
  }

  all(type: number, streamId?: number): SeenFrame[] {
    return this.frames.filter((seen) => seen.type === type && (streamId === undefined || seen.streamId === streamId));
  }

  /** Returns the bytes of DATA on a stream. */
  dataBytes(streamId: number): number {
    return this.all(FRAME.data, streamId).reduce((sum, { payload }) => sum + payload.length, 0);
  }

  /** Waits until `find` returns something. */
  async until<T>(find: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      if (this.isClosed)
        throw new Error(`Cannot wait for a frame: the connection was closed after ${JSON.stringify(this.frames)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until the connection is closed. */
  async closed(): Promise<void> {
    while (!this.isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  /** Resolves once everything written so far has been read: a ping is answered in its turn. */
  async settled(): Promise<void> {
    const before = this.#answers;
    this.write(pingFrame(QUESTION));
    await this.until(() => this.#answers > before);
  }

  /** Returns the end's reaction to everything written so far. */
  async reaction(): Promise<Reaction> {
    const before = this.#answers;
    this.write(pingFrame(QUESTION));
    const goAway = await this.until(() => this.#goAway ?? (this.#answers > before && 'none'));
    if (goAway !== 'none') return `goaway ${goAway}` as Reaction;
    const reset = this.find(FRAME.reset);
    return reset === undefined ? 'goes on' : (`reset ${reasonOf(reset.payload.readUInt32BE(0))}` as Reaction);
  }

  get #answers(): number {
    const isAnswer = ({ flags, payload }: SeenFrame) => flags === FLAG.ack && payload.equals(QUESTION);
    return this.all(FRAME.ping).filter(isAnswer).length;
  }

  get #goAway(): string | undefined {
    return this.all(FRAME.goAway)
      .map(({ payload }) => reasonOf(payload.readUInt32BE(4)))
      .find((reason) => reason !== 'NO_ERROR');
  }

  #reader(): FrameReader {
    let data: Buffer[] = [];
    let streamId = 0;
    return new FrameReader({
      frame: (head, lent) => {
        const payload = Buffer.from(lent);
        const isHeaders = head.type === FRAME.headers || head.type === FRAME.continuation;
        const fields = isHeaders ? this.#blocks.take(head, payload)?.fields : undefined;
        this.#see({ ...head, payload, ...(fields && { fields }) });
      },
      dataBegins: (id) => {
        streamId = id;
        data = [];
      },
      data: (bytes) => void data.push(Buffer.from(bytes)),
      dataEnds: (isLast) =>
        this.#see({
          type: FRAME.data,
          flags: isLast ? FLAG.endStream : 0,
          streamId,
          payload: Buffer.concat(data),
        }),
    });
  }

  #see(seen: SeenFrame): void {
    this.frames.push(seen);
    this.#wake();
  }
}

export const PREFACE_BYTES: number = PREFACE.length;

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect } from 'node:net';
import type { Field } from '@pintle/http2';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  FrameReader,
  frameOf,
  HEAD_BYTES,
  HeaderBlocks,
  headersFrames,
  PREFACE,
  reasonOf,
  settingsFrame,
} from '@pintle/http2';

export interface ReceivedFrame {
  readonly type: number;
  readonly streamId: number;
  readonly isLast: boolean;
  /** Content of DATA, RST_STREAM and GOAWAY frames as text. */
  readonly text: string;
}

/** A raw HTTP/2 client, which can violate the protocol. */
export class Peer {
  readonly socket: Socket;
  readonly seen: ReceivedFrame[] = [];
  readonly #blocks = new HeaderBlocks();
  #waiting: (() => void)[] = [];
  isClosed = false;

  static async open(server: Server, greeting: readonly Buffer[] = [PREFACE, settingsFrame([])]): Promise<Peer> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return Peer.on(socket, greeting);
  }

  /** Uses an open connection. */
  static on(socket: Socket, greeting: readonly Buffer[] = [PREFACE, settingsFrame([])]): Peer {
    const peer = new Peer(socket);
    peer.send(...greeting);
    return peer;
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    let data = '';
    let dataId = 0;
    const reader = new FrameReader({
      frame: ({ type, flags, streamId }, payload) => {
        const isLast = type === FRAME.headers && (flags & FLAG.endStream) !== 0;
        this.#receive({ type, streamId, isLast, text: this.#textOf(type, flags, streamId, payload) });
      },
      dataBegins: (streamId) => {
        dataId = streamId;
        data = '';
      },
      data: (bytes) => {
        data += bytes.toString('latin1');
      },
      dataEnds: (isLast) => this.#receive({ type: FRAME.data, streamId: dataId, isLast, text: data }),
    });
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => reader.read(bytes));
    socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  send(...frames: Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  request(streamId: number, fields: readonly Field[] = GET, isLast = true): void {
    this.send(...headersFrames(streamId, encodeHeaders(fields), isLast));
  }

  /** Waits until `find` returns a value. */
  async until<T>(find: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      if (this.isClosed) throw new Error(`closed after ${JSON.stringify(this.seen)}`);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  find(type: number, streamId: number): ReceivedFrame | undefined {
    return this.seen.find((each) => each.type === type && each.streamId === streamId);
  }

  text(streamId: number): string {
    return this.seen
      .filter((each) => each.type === FRAME.data && each.streamId === streamId)
      .map(({ text }) => text)
      .join('');
  }

  async answer(streamId: number): Promise<string> {
    await this.until(() => this.seen.find((each) => each.streamId === streamId && each.isLast));
    return `${this.find(FRAME.headers, streamId)!.text} ${this.text(streamId)}`.trim();
  }

  /** Returns the reason of the stream's RST_STREAM. */
  async reset(streamId: number): Promise<string> {
    return (await this.until(() => this.find(FRAME.reset, streamId))).text;
  }

  /** Returns the reason of GOAWAY. */
  async goAway(): Promise<string> {
    return (await this.until(() => this.find(FRAME.goAway, 0))).text;
  }

  async closed(): Promise<void> {
    if (!this.isClosed) await once(this.socket, 'close');
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #receive(seen: ReceivedFrame): void {
    this.seen.push(seen);
    this.#wake();
  }

  #textOf(type: number, flags: number, streamId: number, payload: Buffer): string {
    if (type === FRAME.headers || type === FRAME.continuation) {
      const block = this.#blocks.take({ type, flags, streamId }, payload);
      return block?.fields?.find(([name]) => name === ':status')?.[1] ?? '';
    }
    if (type === FRAME.reset) return reasonOf(payload.readUInt32BE(0));
    if (type === FRAME.goAway) return `${payload.readUInt32BE(0)} ${reasonOf(payload.readUInt32BE(4))}`;
    if (type === FRAME.windowUpdate) return String(payload.readUInt32BE(0));
    return payload.toString('latin1');
  }
}

export const GET: Field[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a'],
  [':path', '/a'],
];
export const POST: Field[] = [[':method', 'POST'], ...GET.slice(1)];

export function dataFrame(streamId: number, text: string | Uint8Array, { isLast = true, padding = 0 } = {}): Buffer {
  const bytes = Buffer.from(text);
  const flags = (isLast ? FLAG.endStream : 0) | (padding > 0 ? FLAG.padded : 0);
  const pad = padding > 0 ? [Buffer.from([padding]), bytes, Buffer.alloc(padding)] : [bytes];
  const payload = Buffer.concat(pad);
  const frame = frameOf({ type: FRAME.data, flags, streamId }, payload.length);
  frame.set(payload, HEAD_BYTES);
  return frame;
}

export function rawFrame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const frame = frameOf({ type, flags, streamId }, payload.length);
  frame.set(payload, HEAD_BYTES);
  return frame;
}

import type { Socket } from 'node:net';
import type { Clock } from '@pintle/async';
import { TokenBucket } from '@pintle/async';
import type { FrameHead, FrameSink, HeaderBlock, HeaderLimits, Reason } from '@pintle/http2';
import {
  checkFrame,
  countSettings,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  FrameReader,
  frameOf,
  goAwayFrame,
  HEAD_BYTES,
  HeaderBlocks,
  HeaderEncoder,
  Http2Error,
  headerListBytes,
  headersFrames,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
  Outbox,
  PREFACE,
  pingFrame,
  readSettings,
  resetFrame,
  SETTING,
  Sender,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import { afterTurn, ReadShare } from '../batching.ts';
import type { RequestHead, ResponseHeaders } from '../headers.ts';
import { areTrailers, MAX_HEADER_FIELDS, requestHeadOf, responseFieldsOf } from '../headers.ts';
import type { Http2Connection } from '../http2-connection.ts';
import type { StreamConnection } from './server-stream.ts';
import { ServerStream } from './server-stream.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly maxHeaderBytes: number;
  readonly onStream: (stream: ServerStream, connection: ServerConnection) => void;
}

/** Streams that may be open on a connection. */
export const MAX_STREAMS = 100;
/** Bytes of a body that may arrive before it is read. All streams together may reach MAX_STREAMS times that. */
export const STREAM_WINDOW_BYTES = 256 * 1024;
const CONNECTION_WINDOW_BYTES = 1024 * 1024;
/** Limit on streams that are opened and reset: each costs the server more than the client. */
const RESETS = { burst: 1_000, ratePerSecond: 33 };
/** Frames without data, from an authenticated client and from an unauthenticated one. */
const IDLE_FRAMES = { burst: 10_000, ratePerSecond: 1_000 };
const ANONYMOUS_IDLE_FRAMES = { burst: 1_000, ratePerSecond: 100 };
/** Frames before the first request: clients begin with settings, a window and a few priorities. */
const GREETING_FRAMES = 100;
/** DATA frames with few bytes that do not end their stream: some clients write bodies in small pieces. */
const SMALL_DATA_BYTES = 16;
const SMALL_DATA_FRAMES = { burst: 10_000, ratePerSecond: 1_000 };
/** Longest body that is copied behind its headers, which is cheaper than two writes. */
const SHORT_BYTES = 8 * 1024;
/** Bytes that may wait to be sent. Headers of responses are never held back, so a client that reads none is disconnected. */
const MAX_UNTAKEN_BYTES = 2 * 1024 * 1024;
const NO_BODY = new Uint8Array(0);

/** The server's end of an HTTP/2 connection (RFC 9113). An error of the client ends a stream, or the connection. */
export class ServerConnection implements Http2Connection, FrameSink, StreamConnection {
  readonly socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #reader = new FrameReader(this);
  readonly #share: ReadShare;
  readonly #limits: HeaderLimits;
  readonly #blocks: HeaderBlocks;
  readonly #encoder = new HeaderEncoder();
  readonly #outbox: Outbox;
  readonly #responses: Sender;
  readonly #streams = new Map<number, ServerStream>();
  readonly #resets: TokenBucket;
  #idleFrames: TokenBucket;
  readonly #smallFrames: TokenBucket;
  #greetingFrames = 0;
  #isKnown = false;
  /** Bytes of the client's preface that have arrived. */
  #preface = 0;
  #hasSettings = false;
  #lastId = 0;
  /** True when the client has skipped stream ids. */
  #hasGaps = false;
  /** Newest streams that were reset before their request ended: the client may have sent frames before it knew. */
  readonly #abandoned = new Set<number>();
  #window = CONNECTION_WINDOW_BYTES;
  /** Stream whose DATA is being read, the length of the frame, and the part of it that is padding. */
  #receiving: ServerStream | undefined;
  #frameBytes = 0;
  #padding = 0;
  #isClosing = false;
  #isClosed = false;
  #busyAtMs: number;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket;
    this.#options = options;
    this.#share = new ReadShare(socket);
    this.#limits = { maxBytes: options.maxHeaderBytes, maxFields: MAX_HEADER_FIELDS };
    this.#blocks = new HeaderBlocks(this.#limits);
    this.#outbox = new Outbox(socket, { maxBytes: MAX_UNTAKEN_BYTES, later: afterTurn });
    this.#responses = new Sender(this.#outbox);
    this.#resets = new TokenBucket({ ...RESETS, clock: options.clock });
    this.#idleFrames = new TokenBucket({ ...ANONYMOUS_IDLE_FRAMES, clock: options.clock });
    this.#smallFrames = new TokenBucket({ ...SMALL_DATA_FRAMES, clock: options.clock });
    this.#busyAtMs = options.clock.monotonic();
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('drain', () => this.#guarded(() => this.#responses.send()));
    socket.once('end', () => this.#end());
    socket.once('close', () => this.#close());
    this.#greet();
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  markKnown(): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    this.#idleFrames = new TokenBucket({ ...IDLE_FRAMES, clock: this.#options.clock });
  }

  close(): void {
    if (this.#isClosing || this.#isClosed) return;
    this.#isClosing = true;
    this.#outbox.write(goAwayFrame('NO_ERROR', this.#lastId));
    this.#endIfDone();
  }

  closeIfIdleSince(timeMs: number, { firstMs = timeMs }: { readonly firstMs?: number } = {}): void {
    if (!this.isIdle || this.#busyAtMs >= (this.#lastId === 0 ? firstMs : timeMs)) return;
    // A connection that was sent GOAWAY opens no new streams.
    if (this.#isClosing) this.socket.destroy();
    else this.close();
  }

  // Frames of the client.

  frame(head: FrameHead, payload: Buffer): void {
    checkFrame(head, payload.length);
    this.#blocks.check(head);
    if (!this.#hasSettings && (head.type !== FRAME.settings || (head.flags & FLAG.ack) !== 0))
      throw new Http2Error('PROTOCOL_ERROR', 'the first frame is not SETTINGS');
    switch (head.type) {
      case FRAME.headers:
      case FRAME.continuation:
        this.#takeHeaders(head, payload);
        break;
      case FRAME.settings:
        this.#takeSettings(head, payload);
        break;
      case FRAME.windowUpdate:
        this.#takeWindow(head.streamId, payload.readUInt32BE(0) & MAX_WINDOW_BYTES);
        break;
      case FRAME.reset:
        this.#takeReset(head.streamId);
        break;
      case FRAME.ping:
        this.#spendIdle();
        if ((head.flags & FLAG.ack) === 0) this.#outbox.answer(pingFrame(payload, FLAG.ack));
        break;
      case FRAME.goAway:
        this.#spendIdle();
        this.#isClosing = true;
        this.#endIfDone();
        break;
      default:
        this.#spendIdle();
    }
  }

  dataBegins(streamId: number, length: number): void {
    this.#blocks.check({ type: FRAME.data, flags: 0, streamId });
    if (streamId === 0) throw new Http2Error('PROTOCOL_ERROR', 'DATA needs a stream');
    if (streamId > this.#lastId) throw new Http2Error('PROTOCOL_ERROR', 'DATA of a stream that was not opened');
    this.#receive(length);
    this.#frameBytes = length;
    this.#padding = length;
    const stream = this.#streams.get(streamId);
    if (stream === undefined) this.#refuseLateData(streamId);
    else if (stream.body.isOver) this.#refuse(stream, 'STREAM_CLOSED');
    else if (length > stream.receiveWindow) this.#refuse(stream, 'FLOW_CONTROL_ERROR');
    else {
      stream.receiveWindow -= length;
      this.#receiving = stream;
    }
  }

  data(bytes: Buffer): void {
    this.#padding -= bytes.length;
    const stream = this.#receiving;
    if (stream !== undefined && !stream.isClosed && !stream.body.push(bytes)) this.#refuse(stream, 'PROTOCOL_ERROR');
  }

  dataEnds(isLast: boolean): void {
    const stream = this.#receiving;
    this.#receiving = undefined;
    if (stream === undefined || stream.isClosed) return;
    if (this.#padding > 0) this.take(stream, this.#padding);
    if (isLast) this.#endBody(stream);
    else if (this.#frameBytes - this.#padding < SMALL_DATA_BYTES) this.#spendSmall();
  }

  // Calls of streams.

  sendHead(stream: ServerStream, status: number, headers: ResponseHeaders, body: Uint8Array | undefined): void {
    const block = this.#encoder.encode(responseFieldsOf(status, headers, this.#options.clock.now()));
    if (this.#sendShort(stream, block, body)) {
      stream.onSent();
      return;
    }
    // A stream stays open until earlier writes can leave, so that a client that reads nothing cannot open ever more streams.
    const isLast = body !== undefined && body.length === 0 && !this.#outbox.isFull;
    for (const frame of headersFrames(stream.id, block, isLast)) this.#outbox.write(frame);
    if (isLast) stream.onSent();
    else if (body !== undefined) {
      if (body.length > 0) stream.queue.push(body);
      this.#responses.add(stream);
    }
  }

  send(stream: ServerStream): void {
    this.#responses.add(stream);
  }

  take(stream: ServerStream, bytes: number): void {
    if (stream.body.isOver) return;
    stream.unreportedBytes += bytes;
    if (stream.unreportedBytes < STREAM_WINDOW_BYTES / 2) return;
    this.#outbox.write(windowUpdateFrame(stream.id, stream.unreportedBytes));
    stream.receiveWindow += stream.unreportedBytes;
    stream.unreportedBytes = 0;
  }

  reset(stream: ServerStream, reason: Reason): void {
    this.#abandon(stream.id, reason, stream.body.isOver);
    this.finish(stream);
  }

  finish(stream: ServerStream): void {
    this.#streams.delete(stream.id);
    this.#responses.remove(stream);
    this.#busyAtMs = this.#options.clock.monotonic();
    stream.close();
    this.#endIfDone();
  }

  #greet(): void {
    const settings = settingsFrame([
      [SETTING.enablePush, 0],
      [SETTING.maxConcurrentStreams, MAX_STREAMS],
      [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
      [SETTING.maxHeaderListSize, headerListBytes(this.#limits)],
    ]);
    const window = windowUpdateFrame(0, CONNECTION_WINDOW_BYTES - FIRST_WINDOW_BYTES);
    this.#outbox.write(Buffer.concat([settings, window]));
  }

  #read(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#share.add(bytes.length);
    this.#guarded(() => {
      const rest = this.#preface < PREFACE.length ? this.#readPreface(bytes) : bytes;
      this.#reader.read(rest);
    });
  }

  #readPreface(bytes: Buffer): Buffer {
    const length = Math.min(bytes.length, PREFACE.length - this.#preface);
    const isRight = bytes.compare(PREFACE, this.#preface, this.#preface + length, 0, length) === 0;
    if (!isRight) throw new Http2Error('PROTOCOL_ERROR', 'the preface is not that of HTTP/2');
    this.#preface += length;
    return bytes.subarray(length);
  }

  /** Ends the connection when `work` throws, and nothing else. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      const reason = error instanceof Http2Error ? error.reason : 'INTERNAL_ERROR';
      this.#outbox.close(goAwayFrame(reason, this.#lastId));
      this.#close();
    }
  }

  #takeHeaders(head: FrameHead, payload: Buffer): void {
    const block = this.#blocks.take(head, payload);
    if (block === undefined) return;
    const { streamId } = block;
    if (streamId % 2 === 0) throw new Http2Error('PROTOCOL_ERROR', 'a client opens streams with odd ids');
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) this.#takeTrailers(stream, block);
    else if (streamId <= this.#lastId) this.#takeLateHeaders(streamId);
    else {
      this.#hasGaps ||= streamId > this.#lastId + 2;
      this.#lastId = streamId;
      this.#open(block);
    }
  }

  #takeTrailers(stream: ServerStream, { fields, isLast }: HeaderBlock): void {
    if (stream.body.isOver) this.#refuse(stream, 'STREAM_CLOSED');
    else if (!isLast || fields === undefined || !areTrailers(fields)) this.#refuse(stream, 'PROTOCOL_ERROR');
    else this.#endBody(stream);
  }

  /** Ignores trailers that were sent before the client knew of the reset. */
  #takeLateHeaders(streamId: number): void {
    if (!this.#abandoned.has(streamId))
      throw new Http2Error(this.#hasGaps ? 'PROTOCOL_ERROR' : 'STREAM_CLOSED', 'HEADERS of a closed stream');
    this.#spendIdle();
  }

  #refuseLateData(streamId: number): void {
    this.#spendIdle();
    if (!this.#abandoned.has(streamId)) this.#outbox.answer(resetFrame(streamId, 'STREAM_CLOSED'));
  }

  #open({ streamId, fields, isLast }: HeaderBlock): void {
    if (this.#isClosing || this.#streams.size >= MAX_STREAMS) {
      this.#spendReset();
      this.#abandon(streamId, 'REFUSED_STREAM', isLast);
      return;
    }
    const isTooLarge = fields === undefined;
    const head = isTooLarge ? TOO_LARGE : requestHeadOf(fields);
    if (head === undefined) {
      this.#spendReset();
      this.#abandon(streamId, 'PROTOCOL_ERROR', isLast);
      return;
    }
    const windows = { send: this.#responses.firstWindow, receive: STREAM_WINDOW_BYTES };
    const stream = new ServerStream(this, streamId, head, windows);
    this.#streams.set(streamId, stream);
    this.#responses.expectWindowUpdates();
    if (isLast) this.#endBody(stream);
    if (isTooLarge) this.#refuseHead(stream);
    else if (!stream.isClosed) {
      if (!isLast && head.headers.expect === '100-continue') this.#sendContinue(streamId);
      this.#options.onStream(stream, this);
    }
  }

  /** Accepts the body, whatever the headers are. */
  #sendContinue(streamId: number): void {
    for (const frame of headersFrames(streamId, this.#encoder.encode([[':status', '100']]), false))
      this.#outbox.write(frame);
  }

  #endBody(stream: ServerStream): void {
    if (stream.body.end()) stream.finishIfDone();
    else this.#refuse(stream, 'PROTOCOL_ERROR');
  }

  #refuseHead(stream: ServerStream): void {
    this.#spendReset();
    stream.respond(431, {}, NO_BODY);
    stream.reset('NO_ERROR');
  }

  /** Resets a stream for an error of the client, which counts as a reset by the client. */
  #refuse(stream: ServerStream, reason: Reason): void {
    this.#spendReset();
    stream.reset(reason);
  }

  #abandon(streamId: number, reason: Reason, isRead: boolean): void {
    this.#outbox.write(resetFrame(streamId, reason));
    if (isRead) return;
    this.#abandoned.add(streamId);
    const [oldest] = this.#abandoned;
    if (this.#abandoned.size > RESETS.burst) this.#abandoned.delete(oldest!);
  }

  #takeSettings({ flags }: FrameHead, payload: Buffer): void {
    this.#hasSettings = true;
    this.#spendIdle(Math.max(1, countSettings(payload)));
    if ((flags & FLAG.ack) !== 0) return;
    const { firstWindowBytes } = readSettings(payload);
    this.#outbox.answer(settingsAck());
    if (firstWindowBytes !== undefined) this.#responses.setFirstWindow(firstWindowBytes, this.#streams.values());
  }

  #takeWindow(streamId: number, bytes: number): void {
    if (!this.#responses.takeWindowUpdate()) this.#spendIdle();
    if (streamId === 0) {
      this.#responses.growConnection(bytes);
      return;
    }
    if (streamId > this.#lastId)
      throw new Http2Error('PROTOCOL_ERROR', 'WINDOW_UPDATE of a stream that was not opened');
    const stream = this.#streams.get(streamId);
    // The frame of a closed stream was sent before the client knew of its end.
    if (stream === undefined) return;
    if (bytes === 0) this.#refuse(stream, 'PROTOCOL_ERROR');
    else if (stream.window + bytes > MAX_WINDOW_BYTES) this.#refuse(stream, 'FLOW_CONTROL_ERROR');
    else this.#responses.grow(stream, bytes);
  }

  #takeReset(streamId: number): void {
    if (streamId > this.#lastId) throw new Http2Error('PROTOCOL_ERROR', 'RST_STREAM of a stream that was not opened');
    const stream = this.#streams.get(streamId);
    if (stream === undefined) this.#spendIdle();
    else {
      this.#spendReset();
      this.finish(stream);
    }
  }

  /** Renews the window of the connection at once: the windows of streams bound the data. */
  #receive(length: number): void {
    this.#window -= length;
    if (this.#window < 0) throw new Http2Error('FLOW_CONTROL_ERROR', 'DATA exceeds the window of the connection');
    if (this.#window > CONNECTION_WINDOW_BYTES / 2) return;
    this.#outbox.write(windowUpdateFrame(0, CONNECTION_WINDOW_BYTES - this.#window));
    this.#window = CONNECTION_WINDOW_BYTES;
  }

  /** Sends headers and a short body in one write, if the windows allow and nothing is queued. */
  #sendShort(stream: ServerStream, block: Buffer, body: Uint8Array | undefined): boolean {
    if (body === undefined || body.length === 0 || body.length > SHORT_BYTES || block.length > MAX_FRAME_BYTES)
      return false;
    if (this.#outbox.isFull || !this.#responses.spend(stream, body.length)) return false;
    const { id: streamId } = stream;
    const room = block.length + HEAD_BYTES + body.length;
    const bytes = frameOf({ type: FRAME.headers, flags: FLAG.endHeaders, streamId }, block.length, room);
    bytes.set(block, HEAD_BYTES);
    const dataAt = HEAD_BYTES + block.length;
    bytes.set(frameOf({ type: FRAME.data, flags: FLAG.endStream, streamId }, body.length, 0), dataAt);
    bytes.set(body, dataAt + HEAD_BYTES);
    this.#outbox.write(bytes);
    return true;
  }

  #spendReset(): void {
    if (!this.#resets.tryTake()) throw new Http2Error('ENHANCE_YOUR_CALM', 'too many streams were reset');
  }

  #spendIdle(frames = 1): void {
    if (this.#lastId === 0) this.#greetingFrames += frames;
    if (this.#greetingFrames > GREETING_FRAMES || !this.#idleFrames.tryTake(frames))
      throw new Http2Error('ENHANCE_YOUR_CALM', 'too many frames without data');
  }

  #spendSmall(): void {
    if (!this.#smallFrames.tryTake()) throw new Http2Error('ENHANCE_YOUR_CALM', 'too many short DATA frames');
  }

  #endIfDone(): void {
    if (this.#isClosing && this.isIdle && !this.#isClosed) this.socket.end();
  }

  /** Closes the connection after the client has ended its side. */
  #end(): void {
    this.socket.destroySoon();
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.close();
  }
}

const TOO_LARGE: RequestHead = { method: '', target: '', headers: {}, length: undefined };

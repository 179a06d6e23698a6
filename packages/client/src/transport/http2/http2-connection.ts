import type { Socket } from 'node:net';
import { type Clock, oncePerTurn, TokenBucket } from '@pintle/async';
import type { Field, FrameHead, FrameSink, Reason } from '@pintle/http2';
import {
  checkFrame,
  countSettings,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  FrameReader,
  goAwayFrame,
  HEADER_LIMITS,
  HeaderBlocks,
  HeaderEncoder,
  Http2Error,
  headerListBytes,
  headersFrames,
  MAX_STREAM_ID,
  MAX_WINDOW_BYTES,
  Outbox,
  PREFACE,
  pingFrame,
  readSettings,
  reasonOf,
  resetFrame,
  SETTING,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import { ClientError } from '../../errors.ts';
import type { DialedSocket } from '../dialed-socket.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { ChunkCoalescer } from './chunk-coalescer.ts';
import type { StreamLink } from './http2-stream.ts';
import { Http2Stream, STREAM_WINDOW_BYTES } from './http2-stream.ts';
import { Liveness } from './liveness.ts';
import { StreamTable } from './stream-table.ts';
import { Uploads } from './uploads.ts';

/** Receive window of the connection. Bytes count as consumed on arrival, so that a paused stream does not block others. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** Received bytes after which a WINDOW_UPDATE is sent. */
const WINDOW_UPDATE_BYTES = CONNECTION_WINDOW_BYTES / 4;
/** Streams before the server's SETTINGS arrive, and when they set no limit. */
const FIRST_MAX_STREAMS = 100;
const DEFAULT_MAX_STREAMS = 1_000;
/** Limit of frames without payload data. The connection ends when the server sends more. */
const IDLE_FRAMES = { burst: 10_000, ratePerSecond: 1_000 };

interface Http2ConnectionOptions {
  readonly server: URL;
  readonly dialed: Pick<DialedSocket, 'socket' | 'listen'>;
  readonly clock: Clock;
  readonly onClose: (connection: Http2Connection) => void;
}

/**
 * HTTP/2 connection with many requests at a time (RFC 9113). An error of the connection fails all of them. An idle connection
 * does not keep the process running.
 */
export class Http2Connection {
  readonly #options: Http2ConnectionOptions;
  readonly #socket: Socket;
  readonly #outbox: Outbox;
  readonly #reader: FrameReader;
  readonly #liveness: Liveness;
  readonly #encoder = new HeaderEncoder();
  readonly #blocks = new HeaderBlocks();
  readonly #streams = new StreamTable();
  readonly #uploads: Uploads;
  readonly #coalescer = new ChunkCoalescer();
  readonly #idleFrames: TokenBucket;
  /** `undefined` before the server's SETTINGS. */
  #maxStreams: number | undefined;
  /** Bytes that no WINDOW_UPDATE has announced yet. */
  #received = 0;
  /** Stream of the DATA frame that is being read; `undefined` when the data is dropped. */
  #reading: Http2Stream | undefined;
  #isDataEmpty = true;
  /** Streams with a head whose body may still arrive in this turn of the event loop. */
  #unanswered: Http2Stream[] = [];
  readonly #flushSoon = oncePerTurn(() => {
    this.#coalescer.flush();
    const unanswered = this.#unanswered;
    this.#unanswered = [];
    for (const stream of unanswered) stream.respond();
  });
  #isRetired = false;
  #isClosed = false;
  #failure: unknown;

  constructor(options: Http2ConnectionOptions) {
    const { dialed, clock } = options;
    const { socket } = dialed;
    this.#options = options;
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#uploads = new Uploads(this.#outbox);
    this.#reader = new FrameReader(this.#sink);
    this.#idleFrames = new TokenBucket({ ...IDLE_FRAMES, clock });
    this.#liveness = new Liveness({
      clock,
      ping: () => this.#outbox.write(pingFrame(Buffer.alloc(8))),
      onTimeout: (error) => this.#end(error),
    });
  }

  /** Sends the preface and starts reading. Requests may be sent at once. */
  open(): void {
    const { socket, listen } = this.#options.dialed;
    this.#sendPreface();
    this.#follow(socket);
    this.#liveness.start();
    listen((bytes) => this.#read(bytes));
    if (socket.destroyed) this.#end(new Error('the connection closed before the first request'));
  }

  /** True when another request can be sent. */
  get hasFreeStream(): boolean {
    const isUsable = !this.#isClosed && !this.#isRetired && !this.#streams.isUsedUp && this.#socket.writable;
    return isUsable && this.#streams.size < (this.#maxStreams ?? FIRST_MAX_STREAMS);
  }

  /** True when no stream is open. */
  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** `fields` are the result of `requestFieldsOf`. */
  send(request: TransportRequest, fields: readonly Field[]): Promise<TransportResponse> {
    const server = this.#options.server.origin;
    if (!this.hasFreeStream) {
      const cause = this.#failure ?? new Error('the connection accepts no more requests');
      return Promise.reject(new ClientError({ code: 'Unreachable', server, isSent: false }, { cause }));
    }
    if (this.isIdle) this.#socket.ref();
    return new Promise((resolve, reject) => {
      const link = this.#link;
      const { id } = this.#streams.open((id) => new Http2Stream({ id, request, server, link, resolve, reject }));
      this.#sendRequest(id, fields, request.body);
    });
  }

  /** Fails all open requests. */
  close(): void {
    this.#end(new Error('the client closed the connection'));
  }

  #sendPreface(): void {
    this.#outbox.write(PREFACE);
    this.#outbox.write(
      settingsFrame([
        [SETTING.enablePush, 0],
        [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
        [SETTING.maxHeaderListSize, headerListBytes(HEADER_LIMITS)],
      ]),
    );
    this.#outbox.write(windowUpdateFrame(0, CONNECTION_WINDOW_BYTES - FIRST_WINDOW_BYTES));
  }

  #follow(socket: Socket): void {
    const onEnd = (): void => {
      this.#end(this.#failure ?? new Error('the connection was closed before the response was complete'));
    };
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('end', onEnd).once('close', onEnd);
    socket.on('drain', () => this.#uploads.send());
    socket.unref();
  }

  #sendRequest(id: number, fields: readonly Field[], body: Uint8Array = EMPTY): void {
    const block = this.#encoder.encode(fields);
    for (const frame of headersFrames(id, block, body.length === 0)) this.#outbox.write(frame);
    if (body.length > 0) this.#uploads.add(id, body);
  }

  #read(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#liveness.noteActivity();
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#end(error, error instanceof Http2Error ? error.reason : 'INTERNAL_ERROR');
    }
  }

  readonly #sink: FrameSink = {
    frame: (head, payload) => {
      if (this.#isClosed) return;
      this.#check(head, payload.length);
      this.#take(head, payload);
    },
    dataBegins: (streamId, length) => {
      if (this.#isClosed) return;
      this.#check({ type: FRAME.data, flags: 0, streamId }, length);
      this.#receive(length);
      this.#isDataEmpty = true;
      this.#reading = this.#streams.findUnfinished(streamId);
      this.#onReading((stream) => stream.beginData(length));
    },
    data: (bytes) => {
      this.#isDataEmpty = false;
      this.#onReading((stream) => stream.takeData(bytes));
    },
    dataEnds: (isLast) => {
      if (this.#isDataEmpty && !isLast) this.#countIdle();
      this.#onReading((stream) => stream.endData(isLast));
      this.#reading = undefined;
    },
  };

  #check(head: FrameHead, length: number): void {
    checkFrame(head, length);
    this.#blocks.check(head);
    if (this.#maxStreams !== undefined) return;
    if (head.type !== FRAME.settings || (head.flags & FLAG.ack) !== 0)
      throw new Http2Error('PROTOCOL_ERROR', 'the server does not begin with a SETTINGS frame');
    this.#maxStreams = DEFAULT_MAX_STREAMS;
  }

  #take(head: FrameHead, payload: Buffer): void {
    const { type, flags, streamId } = head;
    switch (type) {
      case FRAME.headers:
      case FRAME.continuation:
        this.#takeHeaders(head, payload);
        break;
      case FRAME.reset:
        this.#takeReset(streamId, payload.readUInt32BE(0));
        break;
      case FRAME.settings:
        this.#countIdle(Math.max(1, countSettings(payload)));
        if ((flags & FLAG.ack) === 0) this.#takeSettings(payload);
        break;
      case FRAME.ping:
        this.#countIdle();
        if ((flags & FLAG.ack) === 0) this.#outbox.answer(pingFrame(payload, FLAG.ack));
        break;
      case FRAME.goAway:
        this.#countIdle();
        this.#retire(payload.readUInt32BE(0) & MAX_STREAM_ID, payload.readUInt32BE(4));
        break;
      case FRAME.windowUpdate:
        this.#takeWindow(streamId, payload.readUInt32BE(0) & MAX_WINDOW_BYTES);
        break;
      default:
        this.#countIdle();
    }
  }

  #takeHeaders(head: FrameHead, payload: Buffer): void {
    const block = this.#blocks.take(head, payload);
    if (block === undefined) return;
    const stream = this.#streams.findUnfinished(block.streamId);
    if (stream !== undefined) this.#runStep(stream, () => stream.takeHeaders(block));
  }

  #takeReset(streamId: number, code: number): void {
    const stream = this.#streams.find(streamId);
    if (stream === undefined) {
      this.#countIdle();
      return;
    }
    this.#streams.finish(stream);
    this.#release(stream);
    const reason = reasonOf(code);
    stream.fail(new Error(`the server reset the stream: ${reason}`), { isSent: reason !== 'REFUSED_STREAM' });
  }

  #takeSettings(payload: Buffer): void {
    const { takesPushes, maxStreams, firstWindowBytes } = readSettings(payload);
    if (takesPushes) throw new Http2Error('PROTOCOL_ERROR', 'the server enabled push for the client');
    this.#outbox.answer(settingsAck());
    if (maxStreams !== undefined) this.#maxStreams = maxStreams;
    if (firstWindowBytes !== undefined) this.#uploads.setFirstWindow(firstWindowBytes);
  }

  #takeWindow(streamId: number, bytes: number): void {
    if (!this.#uploads.takeWindowUpdate()) this.#countIdle();
    if (streamId === 0) {
      this.#uploads.growConnection(bytes);
      return;
    }
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) this.#runStep(stream, () => this.#uploads.grow(streamId, bytes));
  }

  /** Handles GOAWAY: fails streams after the last that the server processes, as not sent; the server finishes the others. */
  #retire(lastId: number, code: number): void {
    this.#isRetired = true;
    const cause = new Error(`the server sent GOAWAY: ${reasonOf(code)}`);
    this.#failure ??= cause;
    for (const stream of this.#streams.takeAfter(lastId)) {
      this.#release(stream);
      stream.fail(cause, { isSent: false });
    }
    this.#onStreamEnd();
  }

  #countIdle(frames = 1): void {
    if (!this.#idleFrames.tryTake(frames))
      throw new Http2Error('ENHANCE_YOUR_CALM', 'the server sent too many frames without data');
  }

  #receive(bytes: number): void {
    this.#received += bytes;
    if (this.#received < WINDOW_UPDATE_BYTES) return;
    this.#outbox.write(windowUpdateFrame(0, this.#received));
    this.#received = 0;
  }

  #onReading(step: (stream: Http2Stream) => void): void {
    const stream = this.#reading;
    if (stream !== undefined) this.#runStep(stream, () => step(stream));
  }

  /** Resets the stream when `step` throws. */
  #runStep(stream: Http2Stream, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#reset(stream, error instanceof Http2Error ? error.reason : 'PROTOCOL_ERROR');
      stream.fail(error);
    }
  }

  #reset(stream: Http2Stream, reason: Reason): void {
    if (this.#reading === stream) this.#reading = undefined;
    this.#streams.cancel(stream);
    this.#outbox.write(resetFrame(stream.id, reason));
    this.#release(stream);
  }

  readonly #link: StreamLink = {
    coalesce: (stream, bytes) => {
      this.#coalescer.add(stream, bytes);
      this.#flushSoon();
    },
    flushCoalesced: () => this.#coalescer.flush(),
    respondSoon: (stream) => {
      this.#unanswered.push(stream);
      this.#flushSoon();
    },
    replenish: ({ id }, bytes) => this.#outbox.write(windowUpdateFrame(id, bytes)),
    finish: (stream) => {
      this.#streams.finish(stream);
      const isSent = this.#release(stream);
      // After its response a server ignores the rest of the request.
      if (!isSent) this.#outbox.write(resetFrame(stream.id, 'NO_ERROR'));
    },
    cancel: (stream) => this.#reset(stream, 'CANCEL'),
  };

  /** Returns true when the whole request was sent. */
  #release({ id }: Http2Stream): boolean {
    const isSent = !this.#uploads.remove(id);
    this.#onStreamEnd();
    return isSent;
  }

  #onStreamEnd(): void {
    if (!this.isIdle) return;
    this.#socket.unref();
    if (this.#isRetired) this.#end(this.#failure);
  }

  #end(cause: unknown, reason: Reason = 'NO_ERROR'): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reading = undefined;
    this.#failure ??= cause;
    this.#liveness.stop();
    this.#outbox.close(goAwayFrame(reason));
    for (const stream of this.#streams.takeAfter(0)) stream.fail(cause);
    this.#options.onClose(this);
  }
}

const EMPTY = new Uint8Array(0);

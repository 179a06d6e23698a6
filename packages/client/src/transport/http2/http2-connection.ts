import type { Socket } from 'node:net';
import { type Clock, oncePerTurn, TokenBucket } from '@pintle/async';
import type { Field, FrameHead, FrameSink, Reason } from '@pintle/http2';
import {
  checkFrame,
  Fault,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  FrameReader,
  goAwayFrame,
  HEADER_LIMITS,
  HeaderBlocks,
  HeaderEncoder,
  headersFrames,
  listBytesOf,
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
  settingsIn,
  windowUpdateFrame,
} from '@pintle/http2';
import { ClientError } from '../../errors.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import type { Wire } from '../wire.ts';
import { Gathering } from './gathering.ts';
import type { StreamLink } from './http2-stream.ts';
import { Http2Stream, STREAM_WINDOW_BYTES } from './http2-stream.ts';
import { Liveness } from './liveness.ts';
import { StreamTable } from './stream-table.ts';
import { Uploads } from './uploads.ts';

/** So much may be under way to us. It counts as taken when it arrives: a stream that waits holds up no other. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** The server is told when so much has come. */
const RECEIVED_BYTES = CONNECTION_WINDOW_BYTES / 4;
/** Streams until the server says how many it takes, and if it does not. */
const FIRST_MAX_STREAMS = 100;
const DEFAULT_MAX_STREAMS = 1_000;
/** Frames that bring nothing. A server that sends more is not listened to any longer. */
const IDLE_FRAMES = { burst: 10_000, ratePerSecond: 1_000 };

interface Http2ConnectionOptions {
  readonly server: URL;
  readonly wire: Pick<Wire, 'socket' | 'listen'>;
  readonly clock: Clock;
  readonly onClose: (connection: Http2Connection) => void;
}

/**
 * One connection, which carries many requests at a time (RFC 9113). What ends it, ends all of them, with the words for it
 * in their errors. While it carries none, it keeps no program running.
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
  readonly #gathering = new Gathering();
  readonly #idleFrames: TokenBucket;
  /** Undefined: the server has not said anything yet. */
  #maxStreams: number | undefined;
  /** Not told to the server yet. */
  #received = 0;
  /** Whose DATA is being read; undefined: nobody wants it. */
  #reading: Http2Stream | undefined;
  #isDataEmpty = true;
  /** Have a head, and maybe more by the end of the turn. */
  #unsettled: Http2Stream[] = [];
  readonly #giveSoon = oncePerTurn(() => {
    this.#gathering.give();
    const unsettled = this.#unsettled;
    this.#unsettled = [];
    for (const stream of unsettled) stream.settle();
  });
  #isRetired = false;
  #isClosed = false;
  #failure: unknown;

  constructor(options: Http2ConnectionOptions) {
    const { wire, clock } = options;
    const { socket } = wire;
    this.#options = options;
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#uploads = new Uploads(this.#outbox);
    this.#reader = new FrameReader(this.#sink);
    this.#idleFrames = new TokenBucket({ ...IDLE_FRAMES, clock });
    this.#liveness = new Liveness({
      clock,
      ask: () => this.#outbox.write(pingFrame(Buffer.alloc(8))),
      giveUp: (error) => this.#end(error),
    });
  }

  /** Begins to talk. Requests may be sent at once. */
  open(): void {
    const { socket, listen } = this.#options.wire;
    this.#greet();
    this.#follow(socket);
    this.#liveness.start();
    listen((bytes) => this.#read(bytes));
    if (socket.destroyed) this.#end(new Error('the connection was closed at once'));
  }

  /** Whether it takes another request. */
  get hasRoom(): boolean {
    const isUsable = !this.#isClosed && !this.#isRetired && !this.#streams.isUsedUp && this.#socket.writable;
    return isUsable && this.#streams.size < (this.#maxStreams ?? FIRST_MAX_STREAMS);
  }

  /** It carries nothing. */
  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** `fields`: as `requestFieldsOf` makes them. */
  send(request: TransportRequest, fields: readonly Field[]): Promise<TransportResponse> {
    const server = this.#options.server.origin;
    if (!this.hasRoom) {
      const cause = this.#failure ?? new Error('the connection takes no more requests');
      return Promise.reject(new ClientError({ code: 'Unreachable', server, isSent: false }, { cause }));
    }
    if (this.isIdle) this.#socket.ref();
    return new Promise((resolve, reject) => {
      const link = this.#link;
      const { id } = this.#streams.open((id) => new Http2Stream({ id, request, server, link, resolve, reject }));
      this.#sendRequest(id, fields, request.body);
    });
  }

  /** Ends everything that it carries. */
  close(): void {
    this.#end(new Error('the connection was closed here'));
  }

  #greet(): void {
    this.#outbox.write(PREFACE);
    this.#outbox.write(
      settingsFrame([
        [SETTING.enablePush, 0],
        [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
        [SETTING.maxHeaderListSize, listBytesOf(HEADER_LIMITS)],
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
    this.#liveness.hear();
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#end(error, error instanceof Fault ? error.reason : 'INTERNAL_ERROR');
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
      if (this.#isDataEmpty && !isLast) this.#spendIdle();
      this.#onReading((stream) => stream.endData(isLast));
      this.#reading = undefined;
    },
  };

  #check(head: FrameHead, length: number): void {
    checkFrame(head, length);
    this.#blocks.check(head);
    if (this.#maxStreams !== undefined) return;
    if (head.type !== FRAME.settings || (head.flags & FLAG.ack) !== 0)
      throw new Fault('PROTOCOL_ERROR', 'the server does not begin with its settings');
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
        this.#spendIdle(Math.max(1, settingsIn(payload)));
        if ((flags & FLAG.ack) === 0) this.#takeSettings(payload);
        break;
      case FRAME.ping:
        this.#spendIdle();
        if ((flags & FLAG.ack) === 0) this.#outbox.answer(pingFrame(payload, FLAG.ack));
        break;
      case FRAME.goAway:
        this.#spendIdle();
        this.#retire(payload.readUInt32BE(0) & MAX_STREAM_ID, payload.readUInt32BE(4));
        break;
      case FRAME.windowUpdate:
        this.#takeWindow(streamId, payload.readUInt32BE(0) & MAX_WINDOW_BYTES);
        break;
      default:
        this.#spendIdle();
    }
  }

  #takeHeaders(head: FrameHead, payload: Buffer): void {
    const block = this.#blocks.take(head, payload);
    if (block === undefined) return;
    const stream = this.#streams.findUnfinished(block.streamId);
    if (stream !== undefined) this.#on(stream, () => stream.takeHeaders(block));
  }

  #takeReset(streamId: number, code: number): void {
    const stream = this.#streams.find(streamId);
    if (stream === undefined) {
      this.#spendIdle();
      return;
    }
    this.#streams.finish(stream);
    this.#leave(stream);
    const reason = reasonOf(code);
    stream.fail(new Error(`the server reset the stream: ${reason}`), { isSent: reason !== 'REFUSED_STREAM' });
  }

  #takeSettings(payload: Buffer): void {
    const { takesPushes, maxStreams, firstWindowBytes } = readSettings(payload);
    if (takesPushes) throw new Fault('PROTOCOL_ERROR', 'the server wants us to push');
    this.#outbox.answer(settingsAck());
    if (maxStreams !== undefined) this.#maxStreams = maxStreams;
    if (firstWindowBytes !== undefined) this.#uploads.setFirstWindow(firstWindowBytes);
  }

  #takeWindow(streamId: number, bytes: number): void {
    if (!this.#uploads.takeWindowUpdate()) this.#spendIdle();
    if (streamId === 0) {
      this.#uploads.growConnection(bytes);
      return;
    }
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) this.#on(stream, () => this.#uploads.grow(streamId, bytes));
  }

  /** Streams after the last that the server will look at are as good as never sent; it finishes the others. */
  #retire(lastId: number, code: number): void {
    this.#isRetired = true;
    const cause = new Error(`the server is going away: ${reasonOf(code)}`);
    this.#failure ??= cause;
    for (const stream of this.#streams.takeAfter(lastId)) {
      this.#leave(stream);
      stream.fail(cause, { isSent: false });
    }
    this.#rest();
  }

  #spendIdle(frames = 1): void {
    if (!this.#idleFrames.tryTake(frames)) throw new Fault('ENHANCE_YOUR_CALM', 'too many frames bring nothing');
  }

  #receive(bytes: number): void {
    this.#received += bytes;
    if (this.#received < RECEIVED_BYTES) return;
    this.#outbox.write(windowUpdateFrame(0, this.#received));
    this.#received = 0;
  }

  #onReading(step: (stream: Http2Stream) => void): void {
    const stream = this.#reading;
    if (stream !== undefined) this.#on(stream, () => step(stream));
  }

  /** What is wrong with one stream ends that one. */
  #on(stream: Http2Stream, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#reset(stream, error instanceof Fault ? error.reason : 'PROTOCOL_ERROR');
      stream.fail(error);
    }
  }

  #reset(stream: Http2Stream, reason: Reason): void {
    if (this.#reading === stream) this.#reading = undefined;
    this.#streams.cancel(stream);
    this.#outbox.write(resetFrame(stream.id, reason));
    this.#leave(stream);
  }

  readonly #link: StreamLink = {
    gather: (stream, bytes) => {
      this.#gathering.add(stream, bytes);
      this.#giveSoon();
    },
    giveGathered: () => this.#gathering.give(),
    settleSoon: (stream) => {
      this.#unsettled.push(stream);
      this.#giveSoon();
    },
    replenish: ({ id }, bytes) => this.#outbox.write(windowUpdateFrame(id, bytes)),
    finish: (stream) => {
      this.#streams.finish(stream);
      const isSent = this.#leave(stream);
      // A server that has answered wants no more of the request.
      if (!isSent) this.#outbox.write(resetFrame(stream.id, 'NO_ERROR'));
    },
    cancel: (stream) => this.#reset(stream, 'CANCEL'),
  };

  /** Tells whether all of the request was sent. */
  #leave({ id }: Http2Stream): boolean {
    const isSent = !this.#uploads.remove(id);
    this.#rest();
    return isSent;
  }

  #rest(): void {
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

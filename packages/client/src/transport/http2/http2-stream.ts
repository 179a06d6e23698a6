import type { HeaderBlock } from '@pintle/http2';
import { Http2Error } from '@pintle/http2';
import { ClientError } from '../../errors.ts';
import { MAX_INTERIMS } from '../header-syntax.ts';
import type { ByteSink, ByteSource } from '../stream-body.ts';
import { bodyOf } from '../stream-body.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { Backlog } from './backlog.ts';
import type { ChunkReceiver } from './chunk-coalescer.ts';
import type { ResponseHead } from './response-fields.ts';
import { checkTrailers, responseHeadOf } from './response-fields.ts';

/** Receive window of a stream. A smaller one delays long lists. */
export const STREAM_WINDOW_BYTES: number = 4 * 1024 * 1024;
/** Consumed bytes after which a WINDOW_UPDATE is sent. */
const WINDOW_UPDATE_BYTES = STREAM_WINDOW_BYTES / 4;

/** Connection, as a stream uses it. */
export interface StreamLink {
  /** Joins pieces of a body, and passes them to `receive` soon. */
  coalesce(stream: Http2Stream, bytes: Buffer): void;
  flushCoalesced(): void;
  /** Calls `respond` once everything that has arrived is read. */
  respondSoon(stream: Http2Stream): void;
  /** Sends a WINDOW_UPDATE for the stream. */
  replenish(stream: Http2Stream, bytes: number): void;
  /** Called when the response is complete. */
  finish(stream: Http2Stream): void;
  /** Resets the stream: its response is not needed any more. */
  cancel(stream: Http2Stream): void;
}

interface StreamOptions {
  readonly id: number;
  readonly request: TransportRequest;
  readonly server: string;
  readonly link: StreamLink;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One request and its response. A response that arrives at once has its whole body. A longer one is buffered up to its window
 * until its body is read, without blocking the other streams of the connection.
 */
export class Http2Stream implements ByteSource, ChunkReceiver {
  readonly isLending = true;
  readonly id: number;
  readonly #options: StreamOptions;
  readonly #backlog = new Backlog();
  #head: ResponseHead | undefined;
  #interims = 0;
  /** Bytes of the body that are still to come, by content-length. */
  #left = Number.POSITIVE_INFINITY;
  /** Bytes that the server may send now. */
  #window = STREAM_WINDOW_BYTES;
  /** Consumed bytes that no WINDOW_UPDATE has announced yet. */
  #taken = 0;
  /** Bytes of the current frame that are not body, as far as is known. */
  #padding = 0;
  #isAnswered = false;
  #sink: ByteSink | undefined;
  #isPaused = false;
  /** True when the response is complete. */
  #isDone = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(options: StreamOptions) {
    this.id = options.id;
    this.#options = options;
    options.request.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Throws an `Http2Error` when the response is malformed, as the other methods for received frames do. */
  takeHeaders({ fields, isLast }: Pick<HeaderBlock, 'fields' | 'isLast'>): void {
    if (this.#head !== undefined) {
      checkTrailers(fields);
      if (!isLast)
        throw new Http2Error('PROTOCOL_ERROR', 'the response has a second head that does not end the stream');
      this.#end();
      return;
    }
    const head = responseHeadOf(fields);
    const isInterim = head.status < 200;
    if (isInterim && (isLast || head.status === 101))
      throw new Http2Error('PROTOCOL_ERROR', `the final response has interim status ${head.status}`);
    if (isInterim) {
      this.#interims++;
      if (this.#interims > MAX_INTERIMS)
        throw new Http2Error('ENHANCE_YOUR_CALM', `the server sent more than ${MAX_INTERIMS} interim responses`);
      return;
    }
    this.#head = head;
    this.#left = this.#hasNoBody(head) ? 0 : (head.length ?? Number.POSITIVE_INFINITY);
    if (isLast && !this.#hasNoBody(head)) this.#end();
    else if (isLast) this.#complete();
    else this.#options.link.respondSoon(this);
  }

  beginData(length: number): void {
    if (this.#head === undefined) throw new Http2Error('PROTOCOL_ERROR', 'the response has data before its head');
    if (length > this.#window)
      throw new Http2Error('FLOW_CONTROL_ERROR', 'the server sent more than the flow control window');
    this.#window -= length;
    this.#padding = length;
  }

  takeData(bytes: Buffer): void {
    const expected = this.#left;
    this.#left -= bytes.length;
    if (this.#left < 0) throw new Http2Error('PROTOCOL_ERROR', 'the response is longer than its content-length');
    this.#padding -= bytes.length;
    if (this.#sink !== undefined && !this.#isPaused) this.#options.link.coalesce(this, bytes);
    else this.#backlog.push(bytes, expected === Number.POSITIVE_INFINITY ? 0 : expected);
  }

  endData(isLast: boolean): void {
    if (isLast) this.#end();
    else this.#replenish(this.#padding);
  }

  /** Takes coalesced bytes. */
  receive(bytes: Buffer): void {
    if (this.#failure !== undefined) return;
    if (this.#isPaused) this.#backlog.push(bytes);
    else this.#pass(bytes);
  }

  /** Resolves the request with what has arrived. */
  respond(): void {
    if (this.#isAnswered || this.#failure !== undefined) return;
    this.#isAnswered = true;
    const { resolve, request, server } = this.#options;
    const { status, headers } = this.#head!;
    if (this.#isDone) this.#stopListening();
    const body = this.#isDone ? this.#backlog.takeAll() : bodyOf(this, server, request.signal);
    resolve({ status, headers, body });
  }

  /** Fails the response. Has no effect after its end. */
  fail(cause: unknown, { isSent = true }: { readonly isSent?: boolean } = {}): void {
    if (this.#failure !== undefined || this.#isDone) return;
    this.#options.link.flushCoalesced();
    this.#fail(cause, isSent);
  }

  start(sink: ByteSink): void {
    this.#sink = sink;
    if (this.#failure !== undefined) sink.fail(this.#failure.cause);
    else this.resume();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && !this.#backlog.isEmpty) this.#pass(this.#backlog.shift()!);
    if (this.#isDone) this.#endSink();
  }

  destroy(): void {
    this.#cancel(new Error('the reader closed the response body'));
  }

  #pass(bytes: Buffer): void {
    this.#sink!.chunk(bytes);
    this.#replenish(bytes.length);
  }

  #replenish(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < WINDOW_UPDATE_BYTES || this.#isDone || this.#failure !== undefined) return;
    this.#window += this.#taken;
    this.#options.link.replenish(this, this.#taken);
    this.#taken = 0;
  }

  #hasNoBody({ status }: ResponseHead): boolean {
    return this.#options.request.method === 'HEAD' || status === 204 || status === 304;
  }

  #end(): void {
    if (this.#left > 0 && this.#left !== Number.POSITIVE_INFINITY)
      throw new Http2Error('PROTOCOL_ERROR', 'the response is shorter than its content-length');
    this.#options.link.flushCoalesced();
    this.#complete();
  }

  #complete(): void {
    // The reader of the last bytes may have closed the body.
    if (this.#failure !== undefined) return;
    this.#isDone = true;
    this.#options.link.finish(this);
    if (this.#isAnswered) this.#endSink();
    else this.respond();
  }

  /** Ends the sink once all bytes are read. */
  #endSink(): void {
    if (this.#sink === undefined || !this.#backlog.isEmpty) return;
    this.#stopListening();
    this.#sink.end();
  }

  readonly #onAbort = (): void => this.#cancel(this.#options.request.signal!.reason);

  #cancel(cause: unknown): void {
    if (this.#failure !== undefined) return;
    this.#backlog.takeAll();
    if (!this.#isDone) this.#options.link.cancel(this);
    this.#fail(cause, true);
  }

  #fail(cause: unknown, isSent: boolean): void {
    this.#failure = { cause };
    this.#stopListening();
    this.#sink?.fail(cause);
    if (this.#isAnswered) return;
    const { reject, request, server } = this.#options;
    const { signal } = request;
    reject(signal?.aborted ? signal.reason : new ClientError({ code: 'Unreachable', server, isSent }, { cause }));
  }

  #stopListening(): void {
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

import type { HeaderBlock } from '@pintle/http2';
import { Fault } from '@pintle/http2';
import { ClientError } from '../../errors.ts';
import { MAX_INTERIMS } from '../header-syntax.ts';
import type { ByteSink, ByteSource } from '../stream-body.ts';
import { bodyOf } from '../stream-body.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { Backlog } from './backlog.ts';
import type { Gatherer } from './gathering.ts';
import type { ResponseHead } from './response-fields.ts';
import { checkTrailers, responseHeadOf } from './response-fields.ts';

/** So much the server may send before it is told that it was taken: what is smaller makes long lists wait. */
export const STREAM_WINDOW_BYTES: number = 4 * 1024 * 1024;
/** It is told when so much was taken. */
const TAKEN_BYTES = STREAM_WINDOW_BYTES / 4;

/** What a stream asks of its connection. */
export interface StreamLink {
  /** Puts pieces of a body together, and gives them back soon. */
  gather(stream: Http2Stream, bytes: Buffer): void;
  giveGathered(): void;
  /** Calls `settle` when everything is read that has come by now. */
  settleSoon(stream: Http2Stream): void;
  /** The server may send so much more on the stream. */
  replenish(stream: Http2Stream, bytes: number): void;
  /** The response is complete. */
  finish(stream: Http2Stream): void;
  /** Nobody wants it any more. */
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
 * One request and its response. A response that came together is given whole. Of a longer one so much is kept as its window
 * allows until somebody wants its body; the other streams of the connection do not wait for that.
 */
export class Http2Stream implements ByteSource, Gatherer {
  readonly isLending = true;
  readonly id: number;
  readonly #options: StreamOptions;
  readonly #backlog = new Backlog();
  #head: ResponseHead | undefined;
  #interims = 0;
  /** Of the body, where the server said how long it is. */
  #left = Number.POSITIVE_INFINITY;
  /** So much the server may send now. */
  #window = STREAM_WINDOW_BYTES;
  /** Not told to the server yet. */
  #taken = 0;
  /** Of the frame that is being read, so much is no body, as far as is known. */
  #padding = 0;
  #isAnswered = false;
  #sink: ByteSink | undefined;
  #isPaused = false;
  /** All of the response has come. */
  #isDone = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(options: StreamOptions) {
    this.id = options.id;
    this.#options = options;
    options.request.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Throws a `Fault` at what is no response, as all that takes something from the server does. */
  takeHeaders({ fields, isLast }: Pick<HeaderBlock, 'fields' | 'isLast'>): void {
    if (this.#head !== undefined) {
      checkTrailers(fields);
      if (!isLast) throw new Fault('PROTOCOL_ERROR', 'the response has two heads');
      this.#end();
      return;
    }
    const head = responseHeadOf(fields);
    const isInterim = head.status < 200;
    if (isInterim && (isLast || head.status === 101)) throw new Fault('PROTOCOL_ERROR', 'the response is none');
    if (isInterim) {
      this.#interims++;
      if (this.#interims > MAX_INTERIMS)
        throw new Fault('ENHANCE_YOUR_CALM', 'the server sends too many interim responses');
      return;
    }
    this.#head = head;
    this.#left = this.#hasNoBody(head) ? 0 : (head.length ?? Number.POSITIVE_INFINITY);
    if (isLast && !this.#hasNoBody(head)) this.#end();
    else if (isLast) this.#complete();
    else this.#options.link.settleSoon(this);
  }

  beginData(length: number): void {
    if (this.#head === undefined) throw new Fault('PROTOCOL_ERROR', 'the response has no head');
    if (length > this.#window) throw new Fault('FLOW_CONTROL_ERROR', 'the server sends more than it may');
    this.#window -= length;
    this.#padding = length;
  }

  takeData(bytes: Buffer): void {
    const expected = this.#left;
    this.#left -= bytes.length;
    if (this.#left < 0) throw new Fault('PROTOCOL_ERROR', 'the response is longer than it says');
    this.#padding -= bytes.length;
    if (this.#sink !== undefined && !this.#isPaused) this.#options.link.gather(this, bytes);
    else this.#backlog.push(bytes, expected === Number.POSITIVE_INFINITY ? 0 : expected);
  }

  endData(isLast: boolean): void {
    if (isLast) this.#end();
    else this.#replenish(this.#padding);
  }

  /** What was gathered. */
  give(bytes: Buffer): void {
    if (this.#failure !== undefined) return;
    if (this.#isPaused) this.#backlog.push(bytes);
    else this.#give(bytes);
  }

  /** Answers the request with what there is. */
  settle(): void {
    if (this.#isAnswered || this.#failure !== undefined) return;
    this.#isAnswered = true;
    const { resolve, request, server } = this.#options;
    const { status, headers } = this.#head!;
    if (this.#isDone) this.#leave();
    const body = this.#isDone ? this.#backlog.takeAll() : bodyOf(this, server, request.signal);
    resolve({ status, headers, body });
  }

  /** The response will never be complete. Told again, or too late, it changes nothing. */
  fail(cause: unknown, { isSent = true }: { readonly isSent?: boolean } = {}): void {
    if (this.#failure !== undefined || this.#isDone) return;
    this.#options.link.giveGathered();
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
    while (!this.#isPaused && !this.#backlog.isEmpty) this.#give(this.#backlog.shift()!);
    if (this.#isDone) this.#endSink();
  }

  destroy(): void {
    this.#giveUp(new Error('nobody wants the rest of the response'));
  }

  #give(bytes: Buffer): void {
    this.#sink!.chunk(bytes);
    this.#replenish(bytes.length);
  }

  #replenish(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < TAKEN_BYTES || this.#isDone || this.#failure !== undefined) return;
    this.#window += this.#taken;
    this.#options.link.replenish(this, this.#taken);
    this.#taken = 0;
  }

  #hasNoBody({ status }: ResponseHead): boolean {
    return this.#options.request.method === 'HEAD' || status === 204 || status === 304;
  }

  #end(): void {
    if (this.#left > 0 && this.#left !== Number.POSITIVE_INFINITY)
      throw new Fault('PROTOCOL_ERROR', 'the response is shorter than it says');
    this.#options.link.giveGathered();
    this.#complete();
  }

  #complete(): void {
    // What was given last may have ended it.
    if (this.#failure !== undefined) return;
    this.#isDone = true;
    this.#options.link.finish(this);
    if (this.#isAnswered) this.#endSink();
    else this.settle();
  }

  /** Once all of it was taken. */
  #endSink(): void {
    if (this.#sink === undefined || !this.#backlog.isEmpty) return;
    this.#leave();
    this.#sink.end();
  }

  readonly #onAbort = (): void => this.#giveUp(this.#options.request.signal!.reason);

  #giveUp(cause: unknown): void {
    if (this.#failure !== undefined) return;
    this.#backlog.takeAll();
    if (!this.#isDone) this.#options.link.cancel(this);
    this.#fail(cause, true);
  }

  #fail(cause: unknown, isSent: boolean): void {
    this.#failure = { cause };
    this.#leave();
    this.#sink?.fail(cause);
    if (this.#isAnswered) return;
    const { reject, request, server } = this.#options;
    const { signal } = request;
    reject(signal?.aborted ? signal.reason : new ClientError({ code: 'Unreachable', server, isSent }, { cause }));
  }

  #leave(): void {
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

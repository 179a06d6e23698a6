import type { Eventual } from '@pintle/async';
import type { Reason, Sending } from '@pintle/http2';
import type { ApiResponse } from '../../request/exchange.ts';
import type { OpenExchange } from '../open-exchange.ts';
import type { Http2Stream } from './http2-connection.ts';
import { RequestBody } from './request-body.ts';
import type { RequestHead } from './request-fields.ts';
import { sendOnStream } from './send-response.ts';

/** What a stream has its connection do. */
export interface StreamConnection {
  /** Sends the head of the answer; `body`: and all of the rest. */
  sendHead(stream: ServerStream, status: number, headers: ResponseHeaders, body: Uint8Array | undefined): void;
  /** Something is in the queue, or the end was said. */
  send(stream: ServerStream): void;
  /** So much of the body was taken by whoever reads it. */
  take(stream: ServerStream, bytes: number): void;
  reset(stream: ServerStream, reason: Reason): void;
  /** Both sides have said all they will. */
  finish(stream: ServerStream): void;
}

export type ResponseHeaders = Readonly<Record<string, number | string | readonly string[]>>;

/** Of a body that nobody wants, so much is taken before the client is told to stop. */
const MAX_LEFTOVER_BYTES = 16 * 1024 * 1024;

/** A request and its answer on a connection of HTTP/2. */
export class ServerStream implements Http2Stream, Sending {
  readonly id: number;
  readonly head: RequestHead;
  readonly body: RequestBody;
  onClose: () => void = () => {};
  /** Called when the last byte of the answer has left; never, if it does not. */
  onGone: (() => void) | undefined;
  /** So much more the client may send. */
  receiveWindow: number;
  /** Taken, and the client was not told yet. */
  untoldBytes = 0;
  window: number;
  readonly queue: Uint8Array[] = [];
  sentBytes = 0;
  isEnded = false;
  readonly #connection: StreamConnection;
  #isHeadSent = false;
  /** All of the answer, its end too. */
  #isSent = false;
  #isClosed = false;
  #onDrain: (() => void) | undefined;

  constructor(
    connection: StreamConnection,
    id: number,
    head: RequestHead,
    windows: { readonly send: number; readonly receive: number },
  ) {
    this.#connection = connection;
    this.id = id;
    this.head = head;
    this.window = windows.send;
    this.receiveWindow = windows.receive;
    this.body = new RequestBody(head.length, (bytes) => this.#take(bytes));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing can be said any more. */
  get isOver(): boolean {
    return this.isEnded || this.#isClosed;
  }

  /** The head of the answer, and all of its body where that is given. */
  respond(status: number, headers: ResponseHeaders, body?: Uint8Array): void {
    if (this.#isClosed || this.#isHeadSent) return;
    this.#isHeadSent = true;
    if (body !== undefined) this.isEnded = true;
    this.#connection.sendHead(this, status, headers, body);
  }

  /** False: more should be written only once `onceDrained` calls back. */
  write(chunk: Uint8Array): boolean {
    if (this.isOver || chunk.length === 0) return true;
    this.queue.push(chunk);
    this.#connection.send(this);
    return this.queue.length === 0 || this.#isClosed;
  }

  /** Calls back once all that was written is gone, or never will be. */
  onceDrained(callback: () => void): void {
    if (this.queue.length === 0 || this.#isClosed) callback();
    else this.#onDrain = callback;
  }

  end(): void {
    if (this.isOver) return;
    this.isEnded = true;
    this.#connection.send(this);
  }

  answer(answer: ApiResponse, exchange: OpenExchange): Eventual<void> {
    return sendOnStream(this, answer, exchange);
  }

  reset(reason: Reason): void {
    if (!this.#isClosed) this.#connection.reset(this, reason);
  }

  /** Of the connection: all that was queued is sent. */
  onSent(): void {
    this.#isSent = this.isEnded;
    this.#drain();
    this.finishIfDone();
  }

  /** Of the connection: the answer is out. What is left of the request is taken, within reason, and dropped. */
  finishIfDone(): void {
    if (!this.#isSent || this.#isClosed) return;
    if (this.body.isOver) this.#connection.finish(this);
    else this.body.drop();
  }

  /** Of the connection: nothing more will be sent or come. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.queue.length = 0;
    this.body.break();
    this.#drain();
    this.onClose();
  }

  #take(bytes: number): void {
    if (this.#isClosed) return;
    if (this.isEnded && this.body.arrivedBytes > MAX_LEFTOVER_BYTES) this.reset('NO_ERROR');
    else this.#connection.take(this, bytes);
  }

  #drain(): void {
    const drained = this.#onDrain;
    this.#onDrain = undefined;
    drained?.();
  }
}

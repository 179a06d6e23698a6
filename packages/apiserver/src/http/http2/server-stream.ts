import type { Eventual } from '@pintle/async';
import type { OutgoingStream, Reason } from '@pintle/http2';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import { asUtf8, discard, PIECE_BYTES, pieces } from '../../request/exchange.ts';
import type { RequestHead, ResponseHeaders } from '../headers.ts';
import type { OpenExchange } from '../http-exchange.ts';
import type { Http2Stream } from '../http2-connection.ts';

/** Operations of a connection for its streams. */
export interface StreamConnection {
  /** Sends the headers of the response, and its whole body when given. */
  sendHead(stream: ServerStream, status: number, headers: ResponseHeaders, body: Uint8Array | undefined): void;
  /** Sends what is in the queue, or the end of the stream. */
  send(stream: ServerStream): void;
  /** Counts bytes of the request body that were read. */
  take(stream: ServerStream, bytes: number): void;
  reset(stream: ServerStream, reason: Reason): void;
  /** Removes a stream whose request and response have ended. */
  finish(stream: ServerStream): void;
}

/** Bytes of an unread request body that are discarded before the stream is reset. */
const MAX_LEFTOVER_BYTES = 16 * 1024 * 1024;

/** A request and its response on an HTTP/2 connection. */
export class ServerStream implements Http2Stream, OutgoingStream {
  readonly id: number;
  readonly head: RequestHead;
  readonly body: RequestBody;
  onClose: () => void = () => {};
  /** Called when the last byte of the response has left, and never when it does not. */
  onGone: (() => void) | undefined;
  /** Bytes that the client may send. */
  receiveWindow: number;
  /** Bytes that were read and not yet returned by a WINDOW_UPDATE. */
  unreportedBytes = 0;
  window: number;
  readonly queue: Uint8Array[] = [];
  sentBytes = 0;
  isEnded = false;
  readonly #connection: StreamConnection;
  #isHeadSent = false;
  /** True when the response and its end were sent. */
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

  /** True when nothing more can be sent. */
  get isOver(): boolean {
    return this.isEnded || this.#isClosed;
  }

  /** Sends the headers of the response, and its whole body when given. */
  respond(status: number, headers: ResponseHeaders, body?: Uint8Array): void {
    if (this.#isClosed || this.#isHeadSent) return;
    this.#isHeadSent = true;
    if (body !== undefined) this.isEnded = true;
    this.#connection.sendHead(this, status, headers, body);
  }

  /** Returns false when the caller should wait for `onceDrained` before it writes more. */
  write(chunk: Uint8Array): boolean {
    if (this.isOver || chunk.length === 0) return true;
    this.queue.push(chunk);
    this.#connection.send(this);
    return this.queue.length === 0 || this.#isClosed;
  }

  /** Calls back once everything was sent, or the stream is closed. */
  onceDrained(callback: () => void): void {
    if (this.queue.length === 0 || this.#isClosed) callback();
    else this.#onDrain = callback;
  }

  end(): void {
    if (this.isOver) return;
    this.isEnded = true;
    this.#connection.send(this);
  }

  answer(response: ApiResponse, exchange: OpenExchange): Eventual<void> {
    return sendOnStream(this, response, exchange);
  }

  reset(reason: Reason): void {
    if (!this.#isClosed) this.#connection.reset(this, reason);
  }

  /** For the connection: the queue was sent. */
  onSent(): void {
    this.#isSent = this.isEnded;
    this.#drain();
    this.finishIfDone();
  }

  /** For the connection: finishes a stream whose response was sent. Discards the rest of the request, up to a limit. */
  finishIfDone(): void {
    if (!this.#isSent || this.#isClosed) return;
    if (this.body.isOver) this.#connection.finish(this);
    else this.body.drop();
  }

  /** For the connection: nothing more will be sent or received. */
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

const NOTHING = new Uint8Array(0);

/** Sends the response, as `Http2Stream.answer` promises. */
export function sendOnStream(stream: ServerStream, response: ApiResponse, exchange: OpenExchange): Eventual<void> {
  const { status, headers, body } = response;
  if (stream.isClosed || exchange.isGone) return discard(response);
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length);
  if (headers.warning !== undefined) headers.warning = asUtf8(headers.warning);
  if (stream.head.method === 'HEAD') {
    exchange.handOver();
    stream.respond(status, headers, NOTHING);
    return discard(response);
  }
  if (body instanceof Uint8Array) exchange.hold(body.length);
  if (body instanceof Uint8Array && body.length <= PIECE_BYTES) {
    exchange.handOver();
    stream.respond(status, headers, body);
    return;
  }
  stream.onGone = response.release;
  stream.respond(status, headers);
  return sendParts(stream, body instanceof Uint8Array ? pieces(body) : body, exchange);
}

async function sendParts(
  stream: ServerStream,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  exchange: OpenExchange,
): Promise<void> {
  for await (const part of parts) {
    if (exchange.isGone) break;
    if (!stream.write(part)) await exchange.blocked((taken) => stream.onceDrained(taken));
  }
  stream.end();
  await exchange.blocked((taken) => stream.onceDrained(taken));
  // The rest of the request has not arrived.
  if (!stream.isClosed) exchange.handOver();
}

/** Body of a request as it arrives on a stream. `onTaken` reports the bytes that were read, for flow control. */
export class RequestBody implements AsyncIterable<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  readonly #announcedBytes: number | undefined;
  readonly #chunks = new Chunks();
  #arrivedBytes = 0;
  #state: 'open' | 'whole' | 'broken' | 'unwanted' = 'open';
  #wake: (() => void) | undefined;

  constructor(announcedBytes: number | undefined, onTaken: (bytes: number) => void) {
    this.#announcedBytes = announcedBytes;
    this.#onTaken = onTaken;
  }

  /** True when nothing more will arrive, complete or not. */
  get isOver(): boolean {
    return this.#state === 'whole' || this.#state === 'broken';
  }

  get arrivedBytes(): number {
    return this.#arrivedBytes;
  }

  /** Returns false when the body exceeds its content-length. */
  push(chunk: Uint8Array): boolean {
    this.#arrivedBytes += chunk.length;
    if (this.#arrivedBytes > (this.#announcedBytes ?? Number.POSITIVE_INFINITY)) return false;
    if (this.#state === 'unwanted') this.#onTaken(chunk.length);
    else {
      this.#chunks.push(chunk);
      this.#wake?.();
    }
    return true;
  }

  /** Returns false when the body is shorter than its content-length. */
  end(): boolean {
    if (this.#announcedBytes !== undefined && this.#arrivedBytes !== this.#announcedBytes) return false;
    this.#state = 'whole';
    this.#wake?.();
    return true;
  }

  /** Ends an incomplete body. */
  break(): void {
    if (this.isOver) return;
    this.#state = 'broken';
    this.#chunks.take();
    this.#wake?.();
  }

  /** Discards the body, including what is still to arrive. */
  drop(): void {
    if (this.#state === 'open') this.#state = 'unwanted';
    this.#take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunks = this.#take();
      yield* chunks;
      // More may have arrived meanwhile.
      if (chunks.length > 0) continue;
      if (this.#state === 'broken') throw cutShort();
      if (this.#state !== 'open') return;
      await this.#more();
    }
  }

  /** Returns the whole body, synchronously if it has arrived; `undefined` at the first byte beyond `maxBytes`. */
  collect(maxBytes: number): Eventual<Uint8Array | undefined> {
    if (this.#state !== 'whole') return this.#gather(maxBytes);
    return this.#chunks.bytes > maxBytes ? undefined : joined(this.#take());
  }

  async #gather(maxBytes: number): Promise<Uint8Array | undefined> {
    const chunks = new Chunks();
    for await (const chunk of this) {
      chunks.push(chunk);
      if (chunks.bytes > maxBytes) return undefined;
    }
    return joined(chunks.take());
  }

  #take(): Uint8Array[] {
    const { bytes } = this.#chunks;
    const chunks = this.#chunks.take();
    if (bytes > 0) this.#onTaken(bytes);
    return chunks;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function cutShort(): Error {
  return badRequestError('the connection was closed before the body was complete');
}

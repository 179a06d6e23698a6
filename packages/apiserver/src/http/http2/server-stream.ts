import type { Eventual } from '@pintle/async';
import type { Reason, Sending } from '@pintle/http2';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../../request/exchange.ts';
import { asUtf8, discard, PIECE_BYTES, pieces } from '../../request/exchange.ts';
import type { RequestHead, ResponseHeaders } from '../headers.ts';
import type { OpenExchange } from '../http-exchange.ts';
import type { Http2Stream } from '../http2-connection.ts';

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

const NOTHING = new Uint8Array(0);

/** Sends the answer, as `Http2Stream.answer` promises. */
export function sendOnStream(stream: ServerStream, answer: ApiResponse, exchange: OpenExchange): Eventual<void> {
  const { status, headers, body } = answer;
  if (stream.isClosed || exchange.isGone) return discard(answer);
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length);
  if (headers.warning !== undefined) headers.warning = asUtf8(headers.warning);
  if (stream.head.method === 'HEAD') {
    exchange.handOver();
    stream.respond(status, headers, NOTHING);
    return discard(answer);
  }
  if (body instanceof Uint8Array) exchange.hold(body.length);
  if (body instanceof Uint8Array && body.length <= PIECE_BYTES) {
    exchange.handOver();
    stream.respond(status, headers, body);
    return;
  }
  stream.onGone = answer.release;
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
  // The rest of the request is still to come.
  if (!stream.isClosed) exchange.handOver();
}

/** The body of a request as it arrives on a stream. What nobody takes is not asked for: `onTaken` tells how much was. */
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

  /** Nothing more will come, be it that all is here. */
  get isOver(): boolean {
    return this.#state === 'whole' || this.#state === 'broken';
  }

  get arrivedBytes(): number {
    return this.#arrivedBytes;
  }

  /** False when it is more than was announced. */
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

  /** False when it is less than was announced. */
  end(): boolean {
    if (this.#announcedBytes !== undefined && this.#arrivedBytes !== this.#announcedBytes) return false;
    this.#state = 'whole';
    this.#wake?.();
    return true;
  }

  /** Nothing more will come, though more should. */
  break(): void {
    if (this.isOver) return;
    this.#state = 'broken';
    this.#chunks.take();
    this.#wake?.();
  }

  /** Whatever comes is dropped. */
  drop(): void {
    if (this.#state === 'open') this.#state = 'unwanted';
    this.#take();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunks = this.#take();
      yield* chunks;
      // More may have come while somebody looked at these.
      if (chunks.length > 0) continue;
      if (this.#state === 'broken') throw cutShort();
      if (this.#state !== 'open') return;
      await this.#more();
    }
  }

  /** All of it: at once, if it is here. Stops at the first byte beyond `maxBytes`: `undefined`. */
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

import type { Duplex, Readable } from 'node:stream';
import { onRequestEnd } from './request-end.ts';
import type { ClientMemory } from './response-memory.ts';
import type { UserInfo } from './user-info.ts';

/** A request from a socket or from another part of this process. */
export interface ApiRequest {
  readonly method: string;
  /** Path as sent: percent-encoded, without the query. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly query: string;
  /** Names are lower case. A header sent several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> | Uint8Array;
  /**
   * Aborts when the client is gone or the server stops. Use it only to wait for something: the signal is created on first
   * access, and costs more than the rest of most requests.
   */
  readonly signal: AbortSignal;
  /** Calls back when `signal` would abort, without creating a signal. Use `onRequestEnd`, which handles its absence. */
  readonly onEnd?: OnEnd | undefined;
  /** Calls back once the client has received the response, or never will. Absent for in-process callers. */
  readonly onTaken?: ((callback: () => void) => void) | undefined;
  /** Sets the client whose memory the response counts against until it is received. Absent for in-process callers. */
  chargeTo?(client: ClientMemory): void;
  readonly peer: Peer;
  /** True when the connection can be upgraded to the protocol in the `upgrade` header. */
  readonly canUpgrade?: boolean;
}

/** Returns a function that removes the callback. */
export type OnEnd = (callback: () => void) => () => void;

export interface RequestChange {
  readonly query?: string;
  readonly headers?: ApiRequest['headers'];
  readonly body?: ApiRequest['body'];
  /** A new signal replaces `onEnd` too, by none unless one is given. */
  readonly signal?: () => AbortSignal;
  readonly onEnd?: OnEnd;
  readonly canUpgrade?: boolean;
  readonly peer?: Peer;
}

/** Returns the request with changed parts. A spread would lose the signal, which is a getter. */
export function alterRequest(request: ApiRequest, change: RequestChange): ApiRequest {
  return new AlteredRequest(request, change);
}

class AlteredRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ApiRequest['headers'];
  readonly body: ApiRequest['body'];
  readonly peer: Peer;
  readonly canUpgrade: boolean;
  readonly onEnd: OnEnd | undefined;
  readonly onTaken: ApiRequest['onTaken'];
  readonly #signal: (() => AbortSignal) | undefined;
  readonly #original: ApiRequest;

  constructor(original: ApiRequest, { query, headers, body, signal, onEnd, canUpgrade, peer }: RequestChange) {
    this.method = original.method;
    this.path = original.path;
    this.query = query ?? original.query;
    this.headers = headers ?? original.headers;
    this.body = body ?? original.body;
    this.peer = peer ?? original.peer;
    this.canUpgrade = canUpgrade ?? original.canUpgrade ?? false;
    this.onEnd = signal === undefined ? original.onEnd : onEnd;
    this.onTaken = original.onTaken;
    this.#signal = signal;
    this.#original = original;
  }

  get signal(): AbortSignal {
    return this.#signal === undefined ? this.#original.signal : this.#signal();
  }

  chargeTo(client: ClientMemory): void {
    this.#original.chargeTo?.(client);
  }
}

/** The client, as far as the transport knows it. */
export interface Peer {
  readonly address: string;
  /** Address of this server that the client connected to, as `address:port`. Absent in process. */
  readonly reachedAt?: string;
  /** Certificate whose key the client holds, in DER. Authentication decides whether it is trusted. */
  readonly certificate?: Uint8Array;
  /** User of an in-process caller, which needs no credentials: holding the transport is the capability. */
  readonly user?: UserInfo;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** Whole body, or chunks that are sent as they arrive. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Call once the body's bytes are not read any more: their buffer is reused then. Need not be called. */
  readonly release?: () => void;
  /** True when other responses have the same body object: results derived from it, such as its gzip, are worth caching. */
  readonly isShared?: true;
  /** True for a response of another server, which is passed on unchanged. */
  readonly isProxyResponse?: true;
  /** With status 101: the connection to join to the client's, and the first bytes it sent. */
  readonly upgraded?: { readonly socket: Duplex; readonly head: Uint8Array };
  /** With status 101: the WebSocket to open on the client's connection. */
  readonly webSocket?: WebSocketAnswer;
}

export interface WebSocketAnswer {
  /** One of the protocols that the client offers. */
  readonly protocol: string;
  /** Limits messages of the client; a longer one ends the connection. */
  readonly maxMessageBytes: number;
  /** Called once the WebSocket is open. Must not throw. */
  readonly serve: (socket: MessageSocket) => void;
}

/** The server's end of a WebSocket. */
export interface MessageSocket {
  /** Messages of the client; texts are strings. Reading applies back-pressure to the connection. */
  readonly messages: Readable;
  /** Sends a binary message. Resolves once it has left, and rejects when it cannot leave. */
  send(message: Uint8Array): Promise<void>;
  /** Sends a close frame. `messages` ends when the client has answered it, so keep reading. */
  close(): void;
}

/** Returns the header's value; several are joined by a comma. */
export function headerOf(request: Pick<ApiRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'object' ? value.join(', ') : value;
}

const encoder = new TextEncoder();

export function textResponse(status: number, text: string, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
    body: encoder.encode(text),
  };
}

const RETRY_AFTER_SECONDS = 1;

/** Returns a 429 response with `retry-after`. */
export function tooManyRequests(): ApiResponse {
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return textResponse(429, 'Too many requests, please try again later.\n', headers);
}

/** Observes the sending of a response. */
interface SendObserver {
  /** Called exactly once, when no more of the response will be produced. */
  readonly done: () => void;
  /** Called for every chunk of a stream. */
  readonly chunk?: (bytes: Uint8Array) => void;
}

/**
 * Returns the response, and calls `done` exactly once when no more of it will be produced: immediately for bytes; for a stream
 * when it ends, fails or is left, or when the request ends.
 */
export function whenSent(
  response: ApiResponse,
  request: Pick<ApiRequest, 'signal' | 'onEnd'>,
  observer: SendObserver | (() => void),
): ApiResponse {
  const { body } = response;
  const added = typeof observer === 'function' ? { done: observer } : observer;
  if (body instanceof Uint8Array) {
    added.done();
    return response;
  }
  if (body instanceof ObservedBody) {
    body.add(added);
    return response;
  }
  return { ...response, body: new ObservedBody(body, request, added) };
}

/** As `whenSent`, but for a body longer than one piece, `done` waits until the client has received it. */
export function whenTaken(
  response: ApiResponse,
  request: Pick<ApiRequest, 'signal' | 'onEnd' | 'onTaken'>,
  done: () => void,
): ApiResponse {
  const { body } = response;
  const isLong = body instanceof Uint8Array && body.length > PIECE_BYTES;
  if (!isLong || request.onTaken === undefined) return whenSent(response, request, done);
  request.onTaken(done);
  return response;
}

/**
 * A stream with observers: one object for all of them, since there may be thousands of watches. Not a generator: one that is
 * left before its first step runs none of its code.
 */
class ObservedBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #observers: SendObserver[];
  readonly #unlisten: (() => void) | undefined;
  #source: AsyncIterator<Uint8Array> | undefined;
  #isDone = false;

  constructor(body: AsyncIterable<Uint8Array>, request: Pick<ApiRequest, 'signal' | 'onEnd'>, first: SendObserver) {
    this.#body = body;
    this.#observers = [first];
    this.#unlisten = onRequestEnd(request, () => this.#finish());
  }

  add(observer: SendObserver): void {
    if (this.#isDone) observer.done();
    else this.#observers.push(observer);
  }

  [Symbol.asyncIterator](): this {
    this.#source ??= this.#body[Symbol.asyncIterator]();
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return this.#source!.next().then(this.#observe, this.#fail);
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#finish();
    await this.#source!.return?.();
    return { done: true, value: undefined };
  }

  readonly #observe = (step: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    if (step.done) this.#finish();
    else for (const { chunk } of this.#observers) chunk?.(step.value);
    return step;
  };

  readonly #fail = (error: unknown): never => {
    this.#finish();
    throw error;
  };

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // Undefined when the request had ended before the constructor returned.
    this.#unlisten?.();
    for (const { done } of this.#observers) done();
  }
}

/** Ends a response that will not be sent. */
export async function discard(response: ApiResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}

/** Size of the pieces in which a body is written, so that a slow client can be distinguished from a stuck one. */
export const PIECE_BYTES = 256 * 1024;

export function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES);
}

/** Encodes a header value as UTF-8 in Latin-1 characters: each is sent as one byte. For warnings, which may have any character. */
export function asUtf8(texts: string | string[]): string | string[] {
  const encode = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  return typeof texts === 'string' ? encode(texts) : texts.map(encode);
}

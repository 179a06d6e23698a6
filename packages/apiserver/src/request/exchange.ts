import type { Duplex, Readable } from 'node:stream';
import { onRequestEnd } from './request-end.ts';
import type { ClientMemory } from './response-memory.ts';
import type { UserInfo } from './user-info.ts';

/** A request, wherever it came from: a socket or another part of this process. */
export interface ApiRequest {
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Names are lower case. A header sent several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> | Uint8Array;
  /**
   * Aborts when the client is gone or the server stops. Ask only when there is something to wait for: a signal is made
   * when first asked for, and costs more than most requests do without.
   */
  readonly signal: AbortSignal;
  /** Calls back when `signal` would abort, without a signal being made. Use `onRequestEnd`, which knows when it is absent. */
  readonly onEnd?: OnEnd | undefined;
  /** Calls back once the client has taken all of the answer, or never will. Absent where an answer is taken at once. */
  readonly onTaken?: ((callback: () => void) => void) | undefined;
  /** Tells whose memory the answer counts against until it is taken. Absent where it is taken at once. */
  chargeTo?(client: ClientMemory): void;
  readonly peer: Peer;
  /** The connection can be handed over to whoever agrees to what the `upgrade` header asks for. */
  readonly canUpgrade?: boolean;
}

/** Gives the way to stop listening. */
export type OnEnd = (callback: () => void) => () => void;

export interface RequestChange {
  readonly headers?: ApiRequest['headers'];
  readonly body?: ApiRequest['body'];
  /** Another end needs another `onEnd` too, or has none. */
  readonly signal?: () => AbortSignal;
  readonly onEnd?: OnEnd;
  readonly canUpgrade?: boolean;
}

/** The request with something else in its place. A spread would not do: it leaves out a signal that is not made yet. */
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

  constructor(original: ApiRequest, { headers, body, signal, onEnd, canUpgrade }: RequestChange) {
    this.method = original.method;
    this.path = original.path;
    this.query = original.query;
    this.headers = headers ?? original.headers;
    this.body = body ?? original.body;
    this.peer = original.peer;
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

/** Who is at the other end, as far as the transport knows. */
export interface Peer {
  readonly address: string;
  /** Where they reached this server, as `address:port`. Absent in process. */
  readonly reachedAt?: string;
  /** The certificate the client proved it holds, in DER; whether it is trusted is for authentication to say. */
  readonly certificate?: Uint8Array;
  /** Set only by in-process callers, which need no credentials: holding the transport is the capability. */
  readonly user?: UserInfo;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  /** Bytes, or chunks that are sent as they come. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** To be called once nobody holds the body's bytes any more; they are used for something else then. May be left out. */
  readonly release?: () => void;
  /** The body is a document that others are sent too: what is made of these bytes is worth keeping as long as they are. */
  readonly isShared?: true;
  /** Comes from another server, and goes out as it came. */
  readonly isPassedOn?: true;
  /** With status 101: what the client's connection is joined to from now on, and what that has said already. */
  readonly upgraded?: { readonly socket: Duplex; readonly head: Uint8Array };
  /** With status 101: the WebSocket to open on the client's connection. */
  readonly webSocket?: WebSocketAnswer;
}

export interface WebSocketAnswer {
  /** One of those that the client offers. */
  readonly protocol: string;
  /** Ends a connection that brings a longer message. */
  readonly maxMessageBytes: number;
  /** Is called once the WebSocket is open. Must not throw. */
  readonly serve: (socket: MessageSocket) => void;
}

/** A WebSocket as its server sees it. */
export interface MessageSocket {
  /** The client's messages; texts are strings. What is not read is not taken from the connection. */
  readonly messages: Readable;
  /** Sends a binary message. Resolves once it has left, rejects when it never will. */
  send(message: Uint8Array): Promise<void>;
  /** Sends a close. `messages` ends when the client has answered it, so keep reading. */
  close(): void;
}

/** The header's value; several are joined by a comma. */
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

/** Refuses what there is no room for now. */
export function tooManyRequests(): ApiResponse {
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return textResponse(429, 'Too many requests, please try again later.\n', headers);
}

/** Somebody who wants to know what becomes of a response. */
interface SendObserver {
  /** Called exactly once when nothing more of the response will be made. */
  readonly done: () => void;
  /** Called for every chunk of a stream. */
  readonly chunk?: (bytes: Uint8Array) => void;
}

/**
 * The response, with `done` called exactly once when nothing more of it will be made: at once for bytes; for a stream
 * when it ends, fails or is left, or when the request ends.
 */
export function whenSent(
  response: ApiResponse,
  request: Pick<ApiRequest, 'signal' | 'onEnd'>,
  observer: SendObserver | (() => void),
): ApiResponse {
  const { body } = response;
  const told = typeof observer === 'function' ? { done: observer } : observer;
  if (body instanceof Uint8Array) {
    told.done();
    return response;
  }
  if (body instanceof ObservedBody) {
    body.add(told);
    return response;
  }
  return { ...response, body: new ObservedBody(body, request, told) };
}

/** As `whenSent`, but what is too long to be handed over at once is waited for until the client has taken it. */
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
 * A stream that tells what becomes of it: one object however many want to know, for there may be thousands of watches.
 * A generator would not do: one that is left before its first step runs none of its code.
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
    return this.#source!.next().then(this.#tell, this.#fail);
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#finish();
    await this.#source!.return?.();
    return { done: true, value: undefined };
  }

  readonly #tell = (step: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
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
    // Not yet there when the request had ended before anybody listened.
    this.#unlisten?.();
    for (const { done } of this.#observers) done();
  }
}

/** Lets go of a response that nobody will read. */
export async function discard(response: ApiResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}

/** A body is handed to the socket in pieces of this size, so that a slow client can be told from a stuck one. */
export const PIECE_BYTES = 256 * 1024;

export function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES);
}

/** A character of a header goes out as one byte. Warnings may hold any, which clients read as UTF-8. */
export function asUtf8(texts: string | string[]): string | string[] {
  const encode = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  return typeof texts === 'string' ? encode(texts) : texts.map(encode);
}

import type { IncomingMessage } from 'node:http';
import { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { isIPv4, isIPv6 } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock, Eventual } from '@pintle/async';
import type { Field } from '@pintle/http2';
import type { ApiRequest, ApiResponse, OnEnd, Peer } from '../request/exchange.ts';
import { asUtf8, discard, PIECE_BYTES, pieces } from '../request/exchange.ts';
import type { ClientMemory } from '../request/response-memory.ts';
import { readRawHeaders, responseFieldsOf } from './headers.ts';
import type { Http2Connection, Http2Stream } from './http2-connection.ts';
import { IncomingBody } from './incoming-body.ts';

/** A request that is being answered, with the state of its response. */
export class OpenExchange {
  readonly #clock: Clock;
  readonly #cut: () => void;
  /** Created on first access to `signal`. */
  #controller: AbortController | undefined;
  /** Reason why the response is not needed any more. */
  #goneBecause: string | undefined;
  #listeners: Set<() => void> | undefined;
  /** Created by `onFinish`, which few requests use. */
  #finishListeners: readonly (() => void)[] | undefined;
  /** Ends the current wait for the client. */
  #wake: (() => void) | undefined;
  #blockedSinceMs = Number.POSITIVE_INFINITY;
  #isOver = false;
  #isHandedOver = false;
  #isFinished = false;
  /** Client whose memory the response counts against. */
  #client: ClientMemory | undefined;
  #heldBytes = 0;

  /** `cut` closes the connection, or resets the stream of an HTTP/2 connection. */
  constructor(clock: Clock, cut: () => void) {
    this.#clock = clock;
    this.#cut = cut;
  }

  /** Current time of the listener's clock. */
  get nowMs(): number {
    return this.#clock.now();
  }

  /** Aborts when the client is gone or the server stops. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#goneBecause !== undefined) this.#controller.abort(new Error(this.#goneBecause));
    }
    return this.#controller.signal;
  }

  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  /** Calls back when `signal` would abort, immediately when it has. Returns a function that removes the callback. */
  onEnd(callback: () => void): () => void {
    if (this.isGone) {
      callback();
      return () => {};
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(callback);
    return () => listeners.delete(callback);
  }

  readonly leave = (): void => this.abort('The client is gone');

  abort(reason: string): void {
    if (this.#isOver || this.#goneBecause !== undefined) return;
    this.#goneBecause = reason;
    this.#controller?.abort(new Error(reason));
    for (const listener of [...(this.#listeners ?? [])]) listener();
    this.#wake?.();
  }

  /** Ends the exchange, after the response was sent or abandoned. `leave` has no effect then. */
  finish(): void {
    this.#isOver = true;
    this.#isFinished = true;
    if (this.#heldBytes > 0) this.#letGo();
    const listeners = this.#finishListeners;
    this.#finishListeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** Authenticated client, if any. */
  get client(): ClientMemory | undefined {
    return this.#client;
  }

  chargeTo(client: ClientMemory): void {
    this.#client = client;
  }

  /** Counts bytes of the response against its client until the exchange is finished. */
  hold(bytes: number): void {
    if (this.#isFinished || this.#client === undefined) return;
    this.#heldBytes += bytes;
    this.#client.add(bytes);
  }

  #letGo(): void {
    this.#client?.remove(this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** Calls back when the exchange is finished, immediately when it is. */
  onFinish(callback: () => void): void {
    if (this.#isFinished) callback();
    else this.#finishListeners = [...(this.#finishListeners ?? []), callback];
  }

  /** Notes that the whole response was written, though it may not have left yet. */
  handOver(): void {
    this.#isOver = true;
    this.#isHandedOver = true;
    this.#blockedSinceMs = this.#clock.monotonic();
  }

  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Waits for the client to read: until `start` calls back, or the client is gone. */
  blocked(start: (taken: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const taken = (): void => {
        if (this.#wake !== taken) return;
        this.#wake = undefined;
        this.#blockedSinceMs = Number.POSITIVE_INFINITY;
        resolve();
      };
      this.#wake = taken;
      this.#blockedSinceMs = this.#clock.monotonic();
      if (this.isGone) taken();
      else start(taken);
    });
  }

  /** Cuts the connection when the client has read nothing since `timeMs`. */
  cutIfBlockedSince(timeMs: number): void {
    if (this.#blockedSinceMs < timeMs) this.#cut();
  }
}

/** Bytes of an unread request body that are discarded before the connection is cut. */
const MAX_LEFTOVER_BYTES = 16 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

const peers = new WeakMap<object, Peer>();

/** Returns the peer of a connection: the same object while it lasts. */
function peerOf(connection: object, socket: TLSSocket | Socket | undefined): Peer {
  let peer = peers.get(connection);
  if (peer === undefined) {
    const certificate = (socket as TLSSocket | undefined)?.getPeerCertificate?.()?.raw;
    const reachedAt = socket && reachedAtOf(socket);
    peer = {
      address: plainAddress(socket?.remoteAddress ?? ''),
      ...(reachedAt && { reachedAt }),
      ...(certificate && { certificate }),
    };
    peers.set(connection, peer);
  }
  return peer;
}

function reachedAtOf({ localAddress, localPort }: TLSSocket | Socket): string | undefined {
  if (localAddress === undefined) return undefined;
  const address = plainAddress(localAddress);
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}

/** Removes the prefix of `::ffff:10.0.0.1`, which servers on `::` see for IPv4 clients, as Go does in audit logs. */
function plainAddress(address: string): string {
  const rest = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIPv4(rest) ? rest : address;
}

export function fromHttp1(request: IncomingMessage, exchange: OpenExchange): ApiRequest {
  const { method = 'GET', url = '/', rawHeaders, socket } = request;
  const headers = readRawHeaders(rawHeaders);
  const body = bodyOf(method, request, request.headers['content-length']);
  return new NodeApiRequest(method, url, headers, body, peerOf(socket, socket), exchange);
}

export function fromHttp2(stream: Http2Stream, connection: Http2Connection, exchange: OpenExchange): ApiRequest {
  const { method, target, headers } = stream.head;
  const body = takesBody(method) ? stream.body : NOTHING;
  return new NodeApiRequest(method, target, headers, body, peerOf(connection, connection.socket), exchange);
}

function bodyOf(method: string, source: Readable, contentLength: string | undefined): ApiRequest['body'] {
  return takesBody(method) ? new IncomingBody(source, contentLength) : NOTHING;
}

export function takesBody(method: string | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

class NodeApiRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ApiRequest['headers'];
  readonly body: ApiRequest['body'];
  readonly peer: Peer;
  readonly #exchange: OpenExchange;

  constructor(
    method: string,
    target: string,
    headers: ApiRequest['headers'],
    body: ApiRequest['body'],
    peer: Peer,
    exchange: OpenExchange,
  ) {
    const url = originForm(target);
    const question = url.indexOf('?');
    this.method = method;
    this.path = question === -1 ? url : url.slice(0, question);
    this.query = question === -1 ? '' : url.slice(question + 1);
    this.headers = headers;
    this.body = body;
    this.peer = peer;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get onEnd(): OnEnd {
    return (callback) => this.#exchange.onEnd(callback);
  }

  get onTaken(): (callback: () => void) => void {
    return (callback) => this.#exchange.onFinish(callback);
  }

  chargeTo(client: ClientMemory): void {
    this.#exchange.chargeTo(client);
  }
}

/** Accepts the absolute form of a URL, as sent to proxies. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  return url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

/** Target of a response: that of HTTP/1.1, or a stream of the Node.js HTTP/2 server. */
export type Outgoing = ServerResponse | ServerHttp2Stream;

/**
 * Sends the response. A short one is written at once; `outgoing` emits `close` when it has left. Otherwise resolves when the
 * last part has been written, or the client is gone.
 */
export function sendResponse(
  outgoing: Outgoing,
  response: ApiResponse,
  exchange: OpenExchange,
  { isHead }: { readonly isHead: boolean },
): Eventual<void> {
  const { body } = response;
  if (outgoing.destroyed || exchange.isGone) return discard(response);
  begin(outgoing, response, exchange, isHead);
  if (isHead || !(body instanceof Uint8Array) || body.length > PIECE_BYTES) {
    return sendLong(outgoing, response, exchange, isHead);
  }
  exchange.hold(body.length);
  exchange.handOver();
  if (outgoing.writableEnded) return;
  if (body.length === 0) outgoing.end();
  else outgoing.end(body);
}

async function sendLong(
  outgoing: Outgoing,
  response: ApiResponse,
  exchange: OpenExchange,
  isHead: boolean,
): Promise<void> {
  const { body } = response;
  if (isHead) {
    await discard(response);
    return await exchange.blocked((taken) => end(outgoing, taken));
  }
  if (body instanceof Uint8Array) exchange.hold(body.length);
  for await (const chunk of body instanceof Uint8Array ? pieces(body) : body) {
    if (exchange.isGone) break;
    const isTaken = (outgoing as Writable).write(chunk);
    if (!isTaken) await exchange.blocked((taken) => (outgoing as Writable).once('drain', taken));
  }
  if (response.release !== undefined) (outgoing as Writable).once('finish', response.release);
  await exchange.blocked((taken) => end(outgoing, taken));
}

/** Sends the headers: of a streamed body at once, because its first chunk may take long. */
function begin(
  outgoing: Outgoing,
  { status, headers, body }: ApiResponse,
  exchange: OpenExchange,
  isHead: boolean,
): void {
  const isWhole = body instanceof Uint8Array;
  if (isWhole) headers['content-length'] = String(body.length);
  if (headers.warning !== undefined) headers.warning = asUtf8(headers.warning);
  if (!(outgoing instanceof ServerResponse)) {
    outgoing.respond(listsOf(responseFieldsOf(status, headers, exchange.nowMs)), { endStream: isHead });
  } else {
    outgoing.writeHead(status, headers);
    if (!isWhole && !isHead) outgoing.flushHeaders();
  }
}

function listsOf(fields: readonly Field[]): Record<string, string | string[]> {
  const lists: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    const known = lists[name];
    lists[name] = known === undefined ? value : [known, value].flat();
  }
  return lists;
}

/** Shorter responses leave before the next request arrives, unless earlier writes wait. */
const LINGERING_BYTES = 8 * 1024;

/**
 * Call before a response of HTTP/1.1 that may still be leaving when the next request arrives. Node.js pauses its parser then, but
 * TLS continues to pass it bytes that are decrypted already, which the parser reports as malformed. A socket that had a `data`
 * listener is read through its stream instead, which is slower, and keeps such bytes. A socket that is already paused, by an
 * unread body, would never resume: this is its last response. Not for sockets that a `RequestQueue` reads.
 */
export function expectPauses(socket: Socket, { body, headers }: ApiResponse): void {
  if (body instanceof Uint8Array && body.length < LINGERING_BYTES && socket.writableLength === 0) return;
  if (socket.isPaused()) {
    headers.connection = 'close';
    return;
  }
  const listener = (): void => {};
  socket.on('data', listener);
  socket.off('data', listener);
}

function end(outgoing: Outgoing, taken: () => void): void {
  if (outgoing.writableEnded) taken();
  else outgoing.end(taken);
}

/** Creates a response to an upgrade request, for which Node.js provides a bare socket. It ends the connection. */
export function bareResponse(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end(() => socket.destroy()));
  return response;
}

/** Discards the rest of the request's body, up to a limit, so that the connection can continue. */
export function dropRest(source: IncomingMessage | ServerHttp2Stream, cut: () => void): void {
  if (source.readableEnded || source.destroyed || isEmpty(source)) return;
  let left = MAX_LEFTOVER_BYTES;
  source.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  source.resume();
}

/** True when the headers show that there is no body. */
function isEmpty(source: IncomingMessage | ServerHttp2Stream): boolean {
  if ('endAfterHeaders' in source) return source.endAfterHeaders;
  const { headers } = source;
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

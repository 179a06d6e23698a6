import type { IncomingMessage } from 'node:http';
import { ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { badRequestError } from '@pintle/machinery/errors';
import { drained } from './drained.ts';
import type { ApiRequest, ApiResponse, Peer } from './exchange.ts';
import { discard } from './sent.ts';

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Of a body that is not wanted any more, so much is taken from the wire before the connection is cut. */
const MAX_LEFTOVER_BYTES = 16 * 1024 * 1024;
/** A body is handed to the socket in pieces of this size, so that a slow client can be told from a stuck one. */
const PIECE_BYTES = 256 * 1024;
const NOTHING = new Uint8Array(0);

export interface SendOptions {
  readonly isHead: boolean;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Told whenever the client has to take something before more can be sent. */
  readonly blocked: (taken: Promise<void>) => Promise<void>;
}

const peers = new WeakMap<object, Peer>();

/** Who is at the other end of the connection: one object for as long as it lasts. */
export function peerOf(request: NodeRequest): Peer {
  const connection = 'stream' in request ? (request.stream.session ?? request.stream) : request.socket;
  let peer = peers.get(connection);
  if (peer === undefined) {
    const socket = request.socket as TLSSocket;
    const certificate = socket.getPeerCertificate?.()?.raw;
    peer = { address: socket.remoteAddress ?? '', ...(certificate && { certificate }) };
    peers.set(connection, peer);
  }
  return peer;
}

export function toApiRequest(request: NodeRequest, signal: AbortSignal): ApiRequest {
  const url = originForm(request.url ?? '/');
  const question = url.indexOf('?');
  const { method = 'GET', headers } = request;
  return {
    method,
    path: question === -1 ? url : url.slice(0, question),
    query: question === -1 ? '' : url.slice(question + 1),
    headers,
    body: method === 'GET' || method === 'HEAD' ? NOTHING : bodyOf(request),
    signal,
    peer: peerOf(request),
  };
}

/** Clients may send the whole URL, as they would to a proxy. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  return url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

/** The body as it arrives. Leaving it early leaves the connection usable, so that the answer can still go out. */
async function* bodyOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* (request as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch {
    throw badRequestError('the connection was closed before the body was complete');
  }
}

/** Sends the answer; resolves when the last of it has been handed over, or the client is gone. */
export async function sendResponse(response: NodeResponse, answer: ApiResponse, options: SendOptions): Promise<void> {
  const { body, status, headers } = answer;
  const { isHead, signal, blocked } = options;
  if (response.destroyed || signal.aborted) return await discard(answer);
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length);
  response.writeHead(status, headers);
  if (isHead) {
    await discard(answer);
    return await blocked(ended(response, NOTHING, signal));
  }
  if (body instanceof Uint8Array && body.length <= PIECE_BYTES) return await blocked(ended(response, body, signal));
  for await (const chunk of body instanceof Uint8Array ? pieces(body) : flushed(response, body)) {
    if (signal.aborted) break;
    // Both response classes take bytes; their overloads only differ in the callback's type.
    if (!(response as ServerResponse).write(chunk)) await blocked(drained(response as Writable, signal));
  }
  await blocked(ended(response, NOTHING, signal));
}

/** A stream's headers go out at once: its first chunk may be long in coming. */
function flushed(response: NodeResponse, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  (response as ServerResponse).flushHeaders();
  return body;
}

function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES);
}

function ended(response: NodeResponse, last: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
    if (last.length === 0) response.end(done);
    else response.end(last, done);
  });
}

/** A response to a request that came with an upgrade, which Node hands over as a bare socket. Ends the connection. */
export function bareResponse(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end(() => socket.destroy()));
  return response;
}

/** Takes what is left of the request's body from the wire, within reason, so that the connection can go on. */
export function dropRest(request: NodeRequest): void {
  if (request.readableEnded || request.destroyed) return;
  let left = MAX_LEFTOVER_BYTES;
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left >= 0) return;
    if ('stream' in request) request.stream.close();
    else request.destroy();
  });
  request.resume();
}

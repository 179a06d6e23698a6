import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, realClock } from '@pintle/async';
import { createWebSocketStream, WebSocket } from 'ws';
import { ClientError } from '../errors.ts';
import { type DialOptions, dial } from './dial.ts';
import { streamBody } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Request for a WebSocket. */
export interface SocketRequest extends Omit<TransportRequest, 'method' | 'body'> {
  /** Subprotocols in the order of preference. */
  readonly protocols: readonly string[];
}

/** WebSocket. Has one reader; unread messages make the server wait. */
export interface MessageSocket extends AsyncIterable<Uint8Array>, AsyncDisposable {
  /** Subprotocol that the server chose. */
  readonly protocol: string;
  /** Resolves when the message is written to the socket. */
  send(message: Uint8Array): Promise<void>;
  /** Resolves when the connection is closed. May be called twice. */
  close(): Promise<void>;
}

/** Unread messages after which the server has to wait. */
const MAX_WAITING = 16;
/** Time that the server has to close its side. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Resolves with the response when the server refuses the WebSocket. */
export async function openMessageSocket(
  options: DialOptions,
  target: string,
  request: SocketRequest,
): Promise<MessageSocket | TransportResponse> {
  const { server, clock = realClock } = options;
  const socket = await dial({ ...options, alpn: ['http/1.1'] });
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );
  const address = new URL(target, server.origin.replace(/^http/, 'ws'));
  const opening = new WebSocket(address, [...request.protocols], {
    headers: headers as Record<string, string>,
    createConnection: () => socket,
    perMessageDeflate: false,
  });
  return await opened(opening, server, clock, request.signal);
}

function opened(
  socket: WebSocket,
  server: URL,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<MessageSocket | TransportResponse> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => socket.terminate();
    const done = (): void => signal?.removeEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    socket.once('open', () => {
      done();
      resolve(new WebSocketMessages(socket, server, clock, signal));
    });
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      done();
      const body = streamBody(response, server.origin, signal);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    socket.on('error', (cause) => {
      done();
      if (signal?.aborted) reject(signal.reason);
      else reject(new ClientError({ code: 'Unreachable', server: server.origin, isSent: true }, { cause }));
    });
  });
}

class WebSocketMessages implements MessageSocket {
  readonly #socket: WebSocket;
  readonly #messages: Duplex;
  readonly #server: URL;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #code: number | undefined;

  constructor(socket: WebSocket, server: URL, clock: Clock, signal: AbortSignal | undefined) {
    this.#socket = socket;
    this.#messages = createWebSocketStream(socket, { readableObjectMode: true, readableHighWaterMark: MAX_WAITING });
    this.#messages.on('error', () => undefined);
    this.#server = server;
    this.#clock = clock;
    this.#signal = signal;
    const onAbort = (): void => socket.terminate();
    signal?.addEventListener('abort', onAbort);
    socket.once('close', (code) => {
      this.#code = code;
      signal?.removeEventListener('abort', onAbort);
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(message, { binary: true }, (cause) => {
        if (cause == null) resolve();
        else reject(this.#broken(cause));
      });
    });
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    // Unread messages would keep the close frame of the server from being read.
    this.#messages.resume();
    this.#socket.close(1000);
    using _deadline = this.#clock.setTimer(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const message of this.#messages.iterator({ destroyOnReturn: false })) yield Buffer.from(message);
    } catch (cause) {
      this.#signal?.throwIfAborted();
      throw this.#broken(cause);
    }
    this.#signal?.throwIfAborted();
    // 1000 and 1005 are a normal close; other codes are errors.
    if (this.#code !== 1000 && this.#code !== 1005)
      throw this.#broken(new Error(`the WebSocket closed with code ${this.#code}`));
  }

  #broken(cause: unknown): ClientError {
    return new ClientError({ code: 'Unreachable', server: this.#server.origin, isSent: true }, { cause });
  }
}

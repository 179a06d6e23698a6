import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ApiRequest, ApiResponse } from './exchange.ts';

type NodeRequest = IncomingMessage | Http2ServerRequest;
type NodeResponse = ServerResponse | Http2ServerResponse;

export interface ListenOptions {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Client certificates are asked for when this is given; authentication decides what they are worth. */
  readonly clientCa?: string;
}

const MAX_HEADER_BYTES = 64 * 1024;
const HEADERS_TIMEOUT_MS = 32_000;
const IDLE_TIMEOUT_MS = 90_000;

/** HTTP/1.1 and HTTP/2 over TLS in front of `handle`. */
export class NodeListener implements AsyncDisposable {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #options: ListenOptions;
  readonly #stopping = new AbortController();
  #active = 0;
  #whenIdle: (() => void) | undefined;

  private constructor(options: ListenOptions) {
    this.#options = options;
    this.#server = createSecureServer({
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      cert: options.certificate,
      key: options.privateKey,
      ...(options.clientCa === undefined ? {} : { ca: options.clientCa, requestCert: true, rejectUnauthorized: false }),
      maxSessionMemory: 64,
      settings: { maxConcurrentStreams: 100, maxHeaderListSize: MAX_HEADER_BYTES, initialWindowSize: 256 * 1024 },
      maxHeaderSize: MAX_HEADER_BYTES,
    } as Parameters<typeof createSecureServer>[0]);
    this.#configure();
  }

  /** Resolves once the port is bound; rejects when it is taken. */
  static async listen(options: ListenOptions): Promise<NodeListener> {
    const listener = new NodeListener(options);
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', reject);
      listener.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1', () => {
        listener.#server.off('error', reject);
        resolve();
      });
    });
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops accepting, lets requests in flight finish for up to `graceMs`, then cuts what is left. */
  async close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#stopping.abort(new Error('The server is stopping'));
    if (this.#active > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#whenIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #configure(): void {
    const server = this.#server;
    // Malformed peers raise errors on sockets and sessions; each is that peer's trouble alone.
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
      socket.setNoDelay(true);
    });
    server.on('session', (session) => session.on('error', () => session.destroy()));
    server.on('sessionError', () => {});
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    server.on('clientError', (_error: Error, socket: Socket) => answerMalformed(socket));
    // The compatibility server inherits these from http.Server for HTTP/1.1 connections.
    Object.assign(server, { headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: IDLE_TIMEOUT_MS, requestTimeout: 0 });
    server.on('request', (request: NodeRequest, response: NodeResponse) => void this.#serve(request, response));
  }

  async #serve(request: NodeRequest, response: NodeResponse): Promise<void> {
    this.#active++;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('The client is gone')));
    response.on('error', () => gone.abort(new Error('The client is gone')));
    const stop = (): void => gone.abort(this.#stopping.signal.reason);
    this.#stopping.signal.addEventListener('abort', stop, { once: true });
    try {
      await send(response, await this.#options.handle(toApiRequest(request, gone.signal)), gone.signal);
    } catch {
      response.destroy();
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop);
      if (--this.#active === 0) this.#whenIdle?.();
    }
  }
}

function toApiRequest(request: NodeRequest, signal: AbortSignal): ApiRequest {
  const url = request.url ?? '/';
  const question = url.indexOf('?');
  const socket = request.socket as TLSSocket;
  const certificate = socket.getPeerCertificate?.()?.raw;
  return {
    method: request.method ?? 'GET',
    path: question === -1 ? url : url.slice(0, question),
    query: question === -1 ? '' : url.slice(question + 1),
    headers: request.headers,
    body: request as AsyncIterable<Uint8Array>,
    signal,
    peer: { address: socket.remoteAddress ?? '', ...(certificate === undefined ? {} : { certificate }) },
  };
}

async function send(response: NodeResponse, answer: ApiResponse, signal: AbortSignal): Promise<void> {
  const { body } = answer;
  if (response.destroyed) return;
  if (body instanceof Uint8Array) {
    answer.headers['content-length'] = String(body.length);
    response.writeHead(answer.status, answer.headers);
    response.end(body);
    return;
  }
  response.writeHead(answer.status, answer.headers);
  if ('flushHeaders' in response) response.flushHeaders();
  for await (const chunk of body) {
    if (signal.aborted) break;
    // Both response classes take bytes; their overloads only differ in the callback's type.
    if (!(response as ServerResponse).write(chunk)) await drained(response, signal);
  }
  response.end();
}

function drained(response: NodeResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

function answerMalformed(socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  else socket.destroy();
}

import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { deferred } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { Headers } from './header-syntax.ts';
import { addHeader, isTarget, MAX_INTERIMS, notAllowed } from './header-syntax.ts';
import type { CurrentExchange, Http1Agent } from './http1-agent.ts';
import { describeDisconnect, streamBody } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Bound of all headers of a response, and of its trailers. */
const MAX_HEAD_BYTES = 64 * 1024;

interface ExchangeOptions {
  readonly request: TransportRequest;
  readonly target: string;
  readonly server: URL;
  readonly agent: Http1Agent;
  /** Called when the exchange no longer needs its connection. */
  readonly onEnd: (exchange: Http1Exchange) => void;
}

/** One request and its response. A short response has its whole body; a longer one streams it on demand. */
export class Http1Exchange implements CurrentExchange {
  readonly #options: ExchangeOptions;
  readonly #response = deferred<TransportResponse>();
  #request: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #interims = 0;
  #isSent = false;
  #isOver = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Called once. Throws when the request has text that HTTP does not allow. */
  send(): Promise<TransportResponse> {
    const { signal, body } = this.#options.request;
    this.#request = start(this.#options)
      .once('socket', (socket) => this.#onSocket(socket))
      .on('information', () => this.#countInterim())
      .once('upgrade', (_, socket) => {
        socket.destroy();
        this.fail(new Error('the server switched protocols without a request to do so'));
      })
      .once('response', (incoming) => this.#receive(incoming))
      .on('error', (cause) => this.#onDisconnect(cause))
      .once('close', () => this.#onDisconnect(new Error('the connection was closed before the response was complete')));
    signal?.addEventListener('abort', this.#onAbort);
    this.#request.end(body);
    return this.#response.promise;
  }

  get isComplete(): boolean {
    return this.#incoming?.complete === true;
  }

  /** `Keep-Alive: timeout=5`. */
  get keepAliveMs(): number | undefined {
    const header = this.#incoming?.headers['keep-alive'] ?? '';
    const seconds = /(?:^|[ ,])timeout=(\d{1,6})(?:$|[ ,])/i.exec(String(header))?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  }

  /** Fails the exchange and closes its connection. Has no effect after the end of the exchange. */
  fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const { request, server } = this.#options;
    const failure = { code: 'Unreachable', server: server.origin, isSent: this.#isSent } as const;
    const error = cause instanceof ClientError ? cause : new ClientError(failure, { cause });
    this.#incoming?.destroy(cause instanceof Error ? cause : error);
    this.#request?.destroy();
    this.#response.reject(request.signal?.aborted ? request.signal.reason : error);
  }

  #onSocket(socket: Socket): void {
    if (socket.destroyed) this.fail(new Error('the connection closed before the request was sent'));
    if (this.#isOver) return;
    this.#isSent = true;
    this.#options.agent.startExchange(socket, this);
  }

  #countInterim(): void {
    this.#interims++;
    if (this.#interims > MAX_INTERIMS)
      this.fail(new Error(`the server sent more than ${MAX_INTERIMS} interim responses`));
  }

  #receive(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    // The reader of the body gets the errors.
    incoming.on('error', () => undefined);
    incoming.once('end', () => {
      // After its response a server ignores the rest of the request.
      if (!this.#request!.writableFinished) this.#request!.destroy();
      this.#end();
    });
    // By then everything that arrived with the head is read.
    process.nextTick(() => this.#respond(incoming));
  }

  #respond(incoming: IncomingMessage): void {
    if (this.#isOver) return;
    const { server, request } = this.#options;
    const status = incoming.statusCode!;
    if (status < 200) {
      this.fail(new Error('the server switched protocols without a request to do so'));
      return;
    }
    const headers = headersOf(incoming);
    if (!incoming.complete) {
      const body = streamBody(incoming, server.origin, request.signal);
      this.#response.resolve({ status, headers, body });
      return;
    }
    const body: Uint8Array = incoming.read() ?? Buffer.alloc(0);
    // By then Node.js has returned the connection to the pool.
    incoming.once('end', () => this.#response.resolve({ status, headers, body }));
  }

  /** Called when the connection ends. A response that is already complete stays valid. */
  #onDisconnect(cause: Error): void {
    if (this.isComplete) return;
    this.fail(describeDisconnect(cause));
  }

  readonly #onAbort = (): void => this.fail(this.#options.request.signal!.reason);

  #end(): void {
    this.#isOver = true;
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.onEnd(this);
  }
}

/** Methods whose requests have a content-length even without a body. */
const BODIED = new Set(['POST', 'PUT', 'PATCH']);

function start({ request, target, server, agent }: ExchangeOptions): ClientRequest {
  const { method, headers, body } = request;
  const length = body?.length ?? (BODIED.has(method) ? 0 : undefined);
  if (!isTarget(target)) throw notAllowed(target);
  try {
    return startRequest({
      agent,
      method,
      path: target,
      headers: { host: server.host, ...headers, ...(length !== undefined && { 'content-length': `${length}` }) },
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
    });
  } catch (cause) {
    throw notAllowed(cause instanceof Error ? cause.message : method);
  }
}

/** Reads headers as for HTTP/2: Node.js joins or drops repeated headers differently. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    addHeader(headers, rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!);
  return headers;
}

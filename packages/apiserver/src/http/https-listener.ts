import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions as NetListenOptions, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server, TLSSocket } from 'node:tls';
import type { Clock, Eventual, Timer } from '@pintle/async';
import { after, attempt, deferred, realClock } from '@pintle/async';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { alterRequest, textResponse } from '../request/exchange.ts';
import { readRequestInfo } from '../request/request-info.ts';
import { afterPollPhase, afterResponses } from './batching.ts';
import type { KnownConnection } from './connection-limits.ts';
import { AnonymousConnections, KnownConnections } from './connection-limits.ts';
import { isHost, MAX_HEADER_FIELDS, readRawHeaders } from './headers.ts';
import {
  bareResponse,
  dropRest,
  expectPauses,
  fromHttp1,
  fromHttp2,
  OpenExchange,
  sendResponse,
} from './http-exchange.ts';
import type { HttpListener, ListenOptions, PrivateListenOptions } from './http-listener.ts';
import type { Http2Connection, Http2Events, Http2Stream } from './http2-connection.ts';
import type { ServerCertificates, ServerLimits, ServerOptions, TlsSettings } from './https-server.ts';
import { createHttpsServer, DEFAULT_LIMITS, secureContextOf } from './https-server.ts';
import type { BareConnection } from './join-connections.ts';
import { joinConnections } from './join-connections.ts';
import { RequestQueue, WaitingBytes } from './request-queue.ts';
import { serveWebSocket } from './websocket/accept.ts';
import type { Handshake } from './websocket/handshake.ts';
import { isWebSocketUpgrade, readHandshake } from './websocket/handshake.ts';
import { sendWatch } from './websocket/watch-socket.ts';

/** Steps of answering a request on its connection. */
interface Serving {
  readonly work: () => Eventual<ApiResponse>;
  readonly send: (answer: ApiResponse) => Eventual<void>;
  readonly cut: () => void;
}

type CreateServer = (options: ServerOptions, events: Http2Events) => Server;

type FixedOptions = Pick<ServerOptions, 'limits' | 'clock'>;
type Settings = Omit<ListenOptions, 'certificate' | 'privateKey'>;

/** The listener, on one of two servers with different HTTP/2 implementations. Serves watches over WebSocket too. */
export class HttpsListener implements HttpListener {
  readonly #server: Server;
  readonly #handle: ListenOptions['handle'];
  readonly #clock: Clock;
  readonly #limits: ServerLimits;
  readonly #tls: TlsSettings | undefined;
  readonly #isDiverting: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #known: KnownConnections;
  readonly #anonymous: AnonymousConnections;
  readonly #connections = new Set<Http2Connection>();
  readonly #exchanges = new Set<OpenExchange>();
  readonly #queues = new WeakMap<Duplex, RequestQueue>();
  readonly #waitingBytes = new WaitingBytes();
  /** Last response that was begun on an HTTP/1.1 connection. */
  readonly #lastAnswers = new WeakMap<Duplex, ServerResponse>();
  readonly #idle = deferred();
  #bound: Pick<AddressInfo, 'address' | 'port'> | undefined;
  #sweep: Timer | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: Settings, create: (fixed: FixedOptions, events: Http2Events) => Server) {
    this.#handle = options.handle;
    this.#clock = options.clock ?? realClock;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#tls = options.tls;
    this.#server = create(
      { limits: this.#limits, clock: this.#clock },
      {
        onConnection: (connection) => this.#take(connection),
        onStream: (stream, connection) => this.#serveStream(stream, connection),
      },
    );
    this.#known = new KnownConnections(this.#limits.maxConnections);
    this.#anonymous = new AnonymousConnections(this.#limits.maxConnections, this.#known);
    this.#server.on('connection', (socket: Socket) => {
      track(this.#sockets, socket);
      this.#anonymous.add(socket, this.#sockets.size);
    });
    this.#server.on('request', (request, response) => this.#serve(request, response));
    // Node.js would answer these itself, and they would not count as waiting.
    this.#server.on('checkExpectation', (request, response) => this.#serve(request, response, { refused: 417 }));
    this.#server.on(
      'upgrade',
      (request: IncomingMessage, socket: Duplex, head: Uint8Array) => void this.#upgradeInTurn(request, socket, head),
    );
    const { divert } = options;
    this.#isDiverting = divert !== undefined;
    if (divert !== undefined) divertConnections(this.#server, divert);
  }

  /** Resolves once the port is bound; rejects when it is taken. */
  static async listen(options: ListenOptions): Promise<HttpsListener> {
    const isNodejs = options.http2 === 'node' && !options.tls?.isHttp2Disabled;
    const create: CreateServer = isNodejs ? (await import('./nodejs-server.ts')).createNodejsServer : createHttpsServer;
    const isPaused = options.divert !== undefined;
    const listener = new HttpsListener(options, (fixed, events) => create({ ...options, ...fixed, isPaused }, events));
    const { path, port = 0, host = '127.0.0.1' } = options;
    await listener.#listen(path === undefined ? { port, host } : { path });
    return listener;
  }

  /** Serves HTTP/1.1 without TLS to other processes of this server. */
  static async listenPrivately({ path, ...options }: PrivateListenOptions): Promise<HttpsListener> {
    const { createPrivateServer } = await import('./private-server.ts');
    const listener = new HttpsListener(options, ({ limits }) => createPrivateServer(limits));
    await listener.#listen({ path });
    return listener;
  }

  async #listen(place: NetListenOptions): Promise<void> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, () => {
        server.off('error', reject);
        resolve();
      });
    });
    const bound = server.address();
    this.#bound = typeof bound === 'string' ? { address: bound, port: 0 } : bound!;
    // A server that cannot accept, for lack of file descriptors, retries with the next connection.
    server.on('error', () => {});
    this.#cutStalled();
  }

  get address(): string {
    return this.#bound!.address;
  }

  get port(): number {
    return this.#bound!.port;
  }

  accept(socket: Socket): void {
    if (this.#closing !== undefined || this.#sockets.size >= this.#limits.maxConnections) socket.destroy();
    else this.#server.emit('connection', socket);
  }

  setCertificates(certificates: ServerCertificates): void {
    this.#server.setSecureContext(secureContextOf(certificates, this.#tls));
  }

  close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.close();
    if (this.#exchanges.size === 0) this.#idle.resolve();
    const overdue = deferred();
    const timer = this.#clock.setTimer(graceMs, overdue.resolve);
    await Promise.race([this.#idle.promise, overdue.promise]);
    // The last responses of HTTP/2 connections may not have left.
    const written = [...this.#connections].map(({ socket }) => whenWritten(socket));
    await Promise.race([Promise.all(written), overdue.promise]);
    timer.cancel();
    this.#sweep?.cancel();
    for (const exchange of this.#exchanges) exchange.abort('The server is stopping');
    for (const socket of this.#sockets) socket.destroy();
    // Node.js would wait for the connections of other processes too.
    if (!this.#isDiverting) await closed;
  }

  #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { bare, refused = refusalOf(request) }: { readonly bare?: BareConnection; readonly refused?: Refusal } = {},
  ): void {
    const exchange = this.#begin(() => response.destroy());
    const leave = (): void => this.#leave(exchange);
    const { socket } = request;
    const queue = this.#queueOf(socket);
    if (bare === undefined) this.#lastAnswers.set(socket, response);
    response.once('close', () => {
      leave();
      // A connection that ends serves no further requests.
      if (bare === undefined && response.shouldKeepAlive) queue.leave();
    });
    response.on('error', leave);
    request.on('error', leave);
    const canUpgrade = bare !== undefined;
    const read = (): ApiRequest => fromHttp1(request, exchange);
    const begin = (): void => {
      if (socket.destroyed) leave();
      this.#process(exchange, {
        work: () => {
          if (refused !== undefined) return textResponse(refused, `${REFUSALS[refused]}\n`);
          return this.#answer(request.url, canUpgrade ? () => alterRequest(read(), { canUpgrade }) : read);
        },
        send: (answer) => {
          if (refused !== undefined) response.shouldKeepAlive = false;
          else if (!isForAnonymous(answer) && !isForEverybody(answer)) {
            queue.markKnown();
            if (!this.#markKnown(queue, exchange)) response.shouldKeepAlive = false;
          }
          return this.#reply(request, response, answer, exchange, bare);
        },
        cut: () => response.destroy(),
      });
    };
    if (bare === undefined) queue.enter(request, begin);
    else begin();
  }

  #queueOf(socket: Socket): RequestQueue {
    const known = this.#queues.get(socket);
    if (known !== undefined) return known;
    const queue = new RequestQueue(socket as TLSSocket, this.#waitingBytes);
    this.#queues.set(socket, queue);
    return queue;
  }

  #reply(
    request: IncomingMessage,
    response: ServerResponse,
    answer: ApiResponse,
    exchange: OpenExchange,
    bare: BareConnection | undefined,
  ): Eventual<void> {
    const { headers, upgraded, webSocket } = answer;
    if (bare !== undefined && webSocket !== undefined) {
      response.detachSocket(bare.socket as Socket);
      return serveWebSocket(request, bare, webSocket);
    }
    if (bare !== undefined && upgraded !== undefined) {
      response.detachSocket(bare.socket as Socket);
      return joinConnections(bare, upgraded, headers);
    }
    if (headers.connection !== undefined) delete headers.connection;
    if (this.#closing !== undefined || !response.shouldKeepAlive) headers.connection = 'close';
    if (bare === undefined && !this.#queueOf(request.socket).isFeeding) expectPauses(request.socket, answer);
    if (headers.connection === 'close') response.shouldKeepAlive = false;
    return after(sendResponse(response, answer, exchange, { isHead: request.method === 'HEAD' }), () =>
      dropRest(request, () => request.destroy()),
    );
  }

  #take(connection: Http2Connection): void {
    this.#connections.add(connection);
    connection.socket.once('close', () => this.#connections.delete(connection));
    if (this.#closing !== undefined) connection.close();
  }

  #serveStream(stream: Http2Stream, connection: Http2Connection): void {
    const exchange = this.#begin(() => stream.reset('CANCEL'));
    stream.onClose = () => this.#leave(exchange);
    this.#process(exchange, {
      work: () => this.#answer(stream.head.target, () => fromHttp2(stream, connection, exchange)),
      send: (answer) => {
        if (isForAnonymous(answer)) connection.close();
        else if (!isForEverybody(answer)) {
          connection.markKnown();
          if (!this.#markKnown(connection, exchange)) connection.close();
        }
        return stream.answer(answer, exchange);
      },
      cut: () => stream.reset('INTERNAL_ERROR'),
    });
  }

  /** Returns false when the client has too many connections and this one must end after the response. */
  #markKnown(connection: KnownConnection, { client }: OpenExchange): boolean {
    const { socket } = connection;
    this.#anonymous.markKnown(socket);
    if (client === undefined) return this.#known.add(connection, `address ${socket.remoteAddress}`);
    return !client.isShared || this.#known.add(connection, client.name);
  }

  #answer(url: string | undefined, read: () => ApiRequest): Eventual<ApiResponse> {
    if (this.#isTooLong(url)) return textResponse(414, '414 URI Too Long\n');
    return this.#handle(read());
  }

  #isTooLong(url = ''): boolean {
    return url.length > this.#limits.maxUrlBytes;
  }

  /** Answers a request together with the others of its turn. An error cuts the connection. */
  #process(exchange: OpenExchange, { work, send, cut }: Serving): void {
    const fail = (): void => {
      cut();
      this.#end(exchange);
    };
    const sent = (): void => this.#endUnlessWritten(exchange);
    const reply = (answer: ApiResponse): void => afterResponses(() => void attempt(() => send(answer), sent, fail));
    // Requests of clients that are gone are not handled.
    afterPollPhase(() => (exchange.isGone ? fail() : void attempt(work, reply, fail)));
  }

  /** Ends the exchange. One whose response was written completely ends later, with `close`, once the response has left. */
  #endUnlessWritten(exchange: OpenExchange): void {
    if (!exchange.isHandedOver) this.#end(exchange);
  }

  #leave(exchange: OpenExchange): void {
    exchange.leave();
    if (exchange.isHandedOver) this.#end(exchange);
  }

  /** Handles an upgrade after the earlier responses, which may not have left when Node.js provides the bare socket. */
  async #upgradeInTurn(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void> {
    socket.on('error', () => socket.destroy());
    this.#queueOf(request.socket).release();
    try {
      await this.#allAnswered(socket);
      if (socket.destroyed) return;
      const isRefused = refusalOf(request) !== undefined || this.#isTooLong(request.url);
      if (!isRefused && isWatchUpgrade(request)) await this.#upgrade(request, { socket, head });
      else this.#passUpgrade(request, socket, head);
    } catch {
      socket.destroy();
    }
  }

  async #allAnswered(socket: Duplex): Promise<void> {
    const last = this.#lastAnswers.get(socket);
    if (last === undefined || socket.destroyed || (last.writableFinished && last.socket === null)) return;
    await new Promise<void>((resolve) => {
      last.once('close', resolve);
      socket.once('close', resolve);
    });
  }

  async #upgrade(request: IncomingMessage, bare: BareConnection): Promise<void> {
    const { socket } = bare;
    const exchange = this.#begin(() => socket.destroy());
    socket.once('close', () => this.#leave(exchange));
    try {
      const upgrade = fromHttp1(request, exchange);
      const handshake = readHandshake(upgrade);
      const answer = await this.#answerHandshake(upgrade, handshake);
      const { body } = answer;
      if (typeof handshake === 'string' || answer.status !== 200 || body instanceof Uint8Array) {
        await sendResponse(bareResponse(request, socket), answer, exchange, { isHead: false });
      } else {
        this.#markKnown(this.#queueOf(request.socket), exchange);
        await sendWatch(request, bare, handshake, { ...answer, body }, exchange);
      }
    } catch {
      socket.destroy();
    } finally {
      this.#endUnlessWritten(exchange);
    }
  }

  async #answerHandshake(request: ApiRequest, handshake: Handshake | string): Promise<ApiResponse> {
    if (typeof handshake === 'string') {
      return textResponse(400, `${handshake}\n`, { 'sec-websocket-version': '13' });
    }
    const { 'sec-websocket-protocol': _protocols, ...headers } = request.headers;
    const { token } = handshake;
    const authorization = headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    return await this.#handle(alterRequest(request, { headers: { ...headers, authorization } }));
  }

  /**
   * Passes an upgrade to `handle`, where another server may accept it. Otherwise the request is answered without the upgrade, and
   * its connection ends.
   */
  #passUpgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void {
    if (hasBody(request)) {
      // The following bytes may be a body or another request: a response could be taken for the wrong one.
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
      return;
    }
    this.#serve(request, bareResponse(request, socket), { bare: { socket, head } });
  }

  #begin(cut: () => void): OpenExchange {
    const exchange = new OpenExchange(this.#clock, cut);
    this.#exchanges.add(exchange);
    return exchange;
  }

  #end(exchange: OpenExchange): void {
    exchange.finish();
    this.#exchanges.delete(exchange);
    if (this.#closing !== undefined && this.#exchanges.size === 0) this.#idle.resolve();
  }

  #cutStalled(): void {
    const { stallTimeoutMs, idleTimeoutMs, headersTimeoutMs } = this.#limits;
    this.#sweep = this.#clock.setTimer(stallTimeoutMs / 2, () => {
      const nowMs = this.#clock.monotonic();
      for (const exchange of this.#exchanges) exchange.cutIfBlockedSince(nowMs - stallTimeoutMs);
      const firstMs = nowMs - headersTimeoutMs;
      for (const connection of this.#connections) connection.closeIfIdleSince(nowMs - idleTimeoutMs, { firstMs });
      this.#cutStalled();
    });
  }
}

/** Lets `divert` see each connection before the server does. */
function divertConnections(server: Server, divert: (socket: Socket) => boolean): void {
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!divert(socket)) for (const listener of serve) listener.call(server, socket);
  });
}

function track<T extends { once(event: 'close', listener: () => void): unknown }>(all: Set<T>, one: T): void {
  all.add(one);
  one.once('close', () => all.delete(one));
}

/** Resolves once an ended socket has sent everything, or is closed. */
function whenWritten(socket: Socket): Promise<void> {
  if (socket.writableFinished || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.once('finish', resolve).once('close', resolve));
}

/**
 * True when the client is anonymous or has an invalid credential. Its connection ends after the response, so that every request
 * costs it a new connection.
 */
function isForAnonymous({ status, headers }: ApiResponse): boolean {
  return headers.connection === 'close' || status === 401;
}

/**
 * True for a file that everybody may have, as the page of the console. Its connection stays, as one of an anonymous client:
 * when connections run out, it goes first.
 */
function isForEverybody({ headers }: ApiResponse): boolean {
  return headers.connection === 'keep-alive';
}

/** Responses to HTTP/1.1 requests that are refused here. They end their connection, as in Go. */
const REFUSALS = {
  400: '400 Bad Request: missing, malformed or repeated Host header',
  417: '417 Expectation Failed',
  431: '431 Request Header Fields Too Large',
  505: '505 HTTP Version Not Supported: unsupported protocol version',
} as const;

type Refusal = keyof typeof REFUSALS;

/** Returns the status for a request that must not be served: headers are missing or ambiguous. */
function refusalOf({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): Refusal | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) return 431;
  if (httpVersionMajor !== 1) return 505;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (++hosts > 1 || !isHost(rawHeaders[i + 1]!)) return 400;
  }
  if (hosts === 0 && httpVersionMinor > 0) return 400;
  return undefined;
}

function isWatchUpgrade(request: IncomingMessage): boolean {
  const headers = readRawHeaders(request.rawHeaders);
  if (request.method !== 'GET' || hasBody(request) || !isWebSocketUpgrade({ headers })) return false;
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  try {
    return readRequestInfo({ method: 'GET', path }, new URLSearchParams(query)).verb === 'watch';
  } catch {
    return false;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

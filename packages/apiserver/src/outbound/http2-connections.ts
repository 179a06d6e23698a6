import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { constants, connect as startHttp2 } from 'node:http2';
import type { ConnectionOptions } from 'node:tls';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { abortable, onAbort } from '@pintle/async';
import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import { interimCounter, StaleConnection, sendBody } from './exchange.ts';

interface Http2Target {
  /** Requests to targets of the same identity share connections. */
  readonly identity: string;
  readonly authority: string;
  readonly tls: ConnectionOptions;
}

/** A connection, with the number of its open streams. */
interface Shared {
  readonly session: ClientHttp2Session;
  streams: number;
}

interface Server {
  /** True when the server supports HTTP/1.1 only. */
  isHttp1Only: boolean;
  readonly sessions: Set<Shared>;
  dialing: Dial | undefined;
}

/** A connection that is being opened. It ends when the last request that waits for it does. */
interface Dial {
  readonly opened: Promise<Shared | undefined>;
  readonly stop: AbortController;
  waiting: number;
}

const DEFAULT_MAX_STREAMS = 100;
const MAX_SERVERS = 1_000;
/** Idle connections to one server that are kept. */
const MAX_IDLE = 4;

/** HTTP/2 connections to servers. Requests share one until its streams are used up, then another is opened. */
export class Http2Connections {
  readonly #servers = new Map<string, Server>();

  /** Returns `undefined` when the server supports HTTP/1.1 only. Rejects when it cannot be reached. */
  async send(target: Http2Target, request: OutboundRequest): Promise<OutboundResponse | undefined> {
    const server = this.#serverOf(target.identity);
    if (server.isHttp1Only) return undefined;
    const shared = freeOf(server) ?? (await this.#dialed(server, target, request.signal));
    return shared && (await exchange(server, shared, target.authority, request));
  }

  /** Tries HTTP/2 again after a failure of the server. */
  forget(identity: string): void {
    const server = this.#servers.get(identity);
    if (server !== undefined) server.isHttp1Only = false;
  }

  close(): void {
    for (const { sessions } of this.#servers.values()) for (const { session } of sessions) session.destroy();
  }

  #serverOf(identity: string): Server {
    let server = this.#servers.get(identity);
    if (server === undefined) {
      if (this.#servers.size >= MAX_SERVERS) this.#forgetIdle();
      server = { isHttp1Only: false, sessions: new Set(), dialing: undefined };
      this.#servers.set(identity, server);
    }
    return server;
  }

  #forgetIdle(): void {
    for (const [identity, { sessions, dialing }] of this.#servers) {
      if (sessions.size === 0 && dialing === undefined) this.#servers.delete(identity);
    }
  }

  /** Opens a connection. Concurrent requests wait for the same one, each as long as it may. */
  async #dialed(server: Server, target: Http2Target, signal: AbortSignal): Promise<Shared | undefined> {
    server.dialing ??= this.#dial(server, target);
    const dial = server.dialing;
    dial.waiting++;
    try {
      return await abortable(dial.opened, signal);
    } finally {
      dial.waiting--;
      // One that took too long for a request is not waited for by the next.
      if (signal.aborted && server.dialing === dial) server.dialing = undefined;
      if (dial.waiting === 0) dial.stop.abort(new Error('No request waits for the connection'));
    }
  }

  #dial(server: Server, { authority, tls }: Http2Target): Dial {
    const stop = new AbortController();
    const opened = open(authority, tls, stop.signal)
      .then((session) => {
        if (session === undefined) {
          server.isHttp1Only = true;
          return undefined;
        }
        const shared: Shared = { session, streams: 0 };
        server.sessions.add(shared);
        const leave = (): void => void server.sessions.delete(shared);
        session.once('close', leave).once('goaway', leave);
        session.on('error', leave);
        session.unref();
        return shared;
      })
      .finally(() => {
        if (server.dialing === dial) server.dialing = undefined;
      });
    // When the last request stops waiting, nothing awaits it.
    opened.catch(() => {});
    const dial = { opened, stop, waiting: 0 };
    return dial;
  }
}

function freeOf({ sessions }: Server): Shared | undefined {
  for (const shared of sessions) {
    const { session, streams } = shared;
    const most = session.remoteSettings?.maxConcurrentStreams ?? DEFAULT_MAX_STREAMS;
    if (!session.closed && !session.destroyed && streams < most) return shared;
  }
  return undefined;
}

async function open(
  authority: string,
  tls: ConnectionOptions,
  signal: AbortSignal,
): Promise<ClientHttp2Session | undefined> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const dialed = startTls({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, () => resolve(dialed));
    dialed.once('error', reject);
    const stopping = onAbort(signal, (reason) => dialed.destroy(reason as Error));
    dialed.once('secureConnect', () => stopping[Symbol.dispose]());
  });
  if (socket.alpnProtocol !== 'h2') {
    socket.destroy();
    return undefined;
  }
  socket.removeAllListeners('error');
  return startHttp2(`https://${authority}`, { createConnection: () => socket });
}

function exchange(
  server: Server,
  shared: Shared,
  authority: string,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const { method, path, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      const { host: _host, ...rest } = headers;
      const head = { ...rest, ':method': method, ':path': path, ':authority': authority };
      stream = shared.session.request(head, { endStream: body instanceof Uint8Array && body.length === 0 });
    } catch (cause) {
      return reject(new StaleConnection('The connection was closing', { cause }));
    }
    shared.streams++;
    const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', cancel, { once: true });
    stream.once('close', () => {
      shared.streams--;
      if (shared.streams === 0) closeSurplus(server, shared);
      signal.removeEventListener('abort', cancel);
      reject(unanswered(stream, method));
    });
    stream.on('error', reject);
    stream.on(
      'headers',
      interimCounter((error) => stream.destroy(error)),
    );
    stream.once('response', (answered) => resolve(responseOf(stream, answered)));
    sendBody(stream, body);
  });
}

/** Otherwise a server that allows no streams has a connection for every request that was sent to it. */
function closeSurplus({ sessions }: Server, { session }: Shared): void {
  const idle = [...sessions].filter(({ streams }) => streams === 0);
  if (idle.length > MAX_IDLE) session.close();
}

/** Returns the error of a stream without a response. Reads may be repeated; other requests only if they were refused unread. */
function unanswered({ rstCode }: ClientHttp2Stream, method: string): Error {
  const isUnread = rstCode === constants.NGHTTP2_REFUSED_STREAM || method === 'GET' || method === 'HEAD';
  const error = Object.assign(new Error('The connection was closed before it answered'), { code: 'ECONNRESET' });
  return isUnread ? new StaleConnection(error.message, { cause: error }) : error;
}

function responseOf(stream: ClientHttp2Stream, answered: IncomingHttpHeaders): OutboundResponse {
  const { ':status': status = 502, ...headers } = answered;
  return { status: Number(status), headers, body: stream };
}

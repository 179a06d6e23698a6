import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { constants, connect as startHttp2 } from 'node:http2';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { connect as startTls, type TLSSocket } from 'node:tls';
import type { BackendAnswer, BackendRequest } from './backend-answer.ts';
import { StaleConnection } from './backend-answer.ts';

export interface Http2Target {
  /** Who is spoken to and who is trusted: requests with the same name share connections. */
  readonly name: string;
  readonly authority: string;
  readonly tls: ConnectionOptions;
}

/** One connection, and how many requests are under way on it. */
interface Shared {
  readonly session: ClientHttp2Session;
  streams: number;
}

interface Backend {
  /** The other side speaks only HTTP/1.1. */
  isOld: boolean;
  readonly sessions: Set<Shared>;
  dialing: Promise<Shared | undefined> | undefined;
}

const STREAMS_UNLESS_SAID = 100;
const MAX_BACKENDS = 1_000;

/** Connections to servers that speak HTTP/2: requests share one until it is full of watches, then there is another. */
export class Http2Backends {
  readonly #backends = new Map<string, Backend>();

  /** `undefined` when the other side speaks only HTTP/1.1. Rejects when it cannot be reached. */
  async send(target: Http2Target, request: BackendRequest): Promise<BackendAnswer | undefined> {
    const backend = this.#backendOf(target.name);
    if (backend.isOld) return undefined;
    const shared = freeOf(backend) ?? (await this.#dial(backend, target));
    return shared && (await exchange(shared, target.authority, request));
  }

  /** What was learnt about a server that failed may be wrong by now. */
  forget(name: string): void {
    const backend = this.#backends.get(name);
    if (backend !== undefined) backend.isOld = false;
  }

  close(): void {
    for (const { sessions } of this.#backends.values()) for (const { session } of sessions) session.destroy();
  }

  #backendOf(name: string): Backend {
    let backend = this.#backends.get(name);
    if (backend === undefined) {
      if (this.#backends.size >= MAX_BACKENDS) this.#forgetIdle();
      backend = { isOld: false, sessions: new Set(), dialing: undefined };
      this.#backends.set(name, backend);
    }
    return backend;
  }

  #forgetIdle(): void {
    for (const [name, { sessions, dialing }] of this.#backends) {
      if (sessions.size === 0 && dialing === undefined) this.#backends.delete(name);
    }
  }

  /** Requests that come meanwhile wait for the same connection. */
  #dial(backend: Backend, { authority, tls }: Http2Target): Promise<Shared | undefined> {
    backend.dialing ??= open(authority, tls)
      .then((session) => {
        if (session === undefined) {
          backend.isOld = true;
          return undefined;
        }
        const shared: Shared = { session, streams: 0 };
        backend.sessions.add(shared);
        const leave = (): void => void backend.sessions.delete(shared);
        session.once('close', leave).once('goaway', leave);
        session.on('error', leave);
        session.unref();
        return shared;
      })
      .finally(() => {
        backend.dialing = undefined;
      });
    return backend.dialing;
  }
}

function freeOf({ sessions }: Backend): Shared | undefined {
  for (const shared of sessions) {
    const { session, streams } = shared;
    const most = session.remoteSettings?.maxConcurrentStreams ?? STREAMS_UNLESS_SAID;
    if (!session.closed && !session.destroyed && streams < most) return shared;
  }
  return undefined;
}

async function open(authority: string, tls: ConnectionOptions): Promise<ClientHttp2Session | undefined> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const dialed = startTls({ ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, () => resolve(dialed));
    dialed.once('error', reject);
  });
  if (socket.alpnProtocol !== 'h2') {
    socket.destroy();
    return undefined;
  }
  socket.removeAllListeners('error');
  return startHttp2(`https://${authority}`, { createConnection: () => socket });
}

function exchange(shared: Shared, authority: string, request: BackendRequest): Promise<BackendAnswer> {
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
      signal.removeEventListener('abort', cancel);
      reject(unanswered(stream, method));
    });
    stream.on('error', reject);
    stream.once('response', (answered) => resolve(answerOf(stream, answered)));
    sendBody(stream, body);
  });
}

/** Reads may be asked again; of other requests, only those that were turned away unread. */
function unanswered({ rstCode }: ClientHttp2Stream, method: string): Error {
  const isUnread = rstCode === constants.NGHTTP2_REFUSED_STREAM || method === 'GET' || method === 'HEAD';
  const error = Object.assign(new Error('The connection was closed before it answered'), { code: 'ECONNRESET' });
  return isUnread ? new StaleConnection(error.message, { cause: error }) : error;
}

function sendBody(stream: ClientHttp2Stream, body: BackendRequest['body']): void {
  if (body instanceof Uint8Array) {
    if (body.length > 0) stream.end(body);
    return;
  }
  const source = Readable.from(body, { objectMode: false });
  source.on('error', (error) => stream.destroy(error));
  stream.once('close', () => source.destroy());
  source.pipe(stream);
}

function answerOf(stream: ClientHttp2Stream, answered: IncomingHttpHeaders): BackendAnswer {
  const { ':status': status = 502, ...headers } = answered;
  return { status: Number(status), headers, body: stream };
}

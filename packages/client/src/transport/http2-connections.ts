import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import { dial } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { streamBody } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** So much the server may send before it is told that it was taken: what is smaller makes long lists wait. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** A connection that was silent for so long is asked whether it lives. */
const PROBE_AFTER_MS = 15_000;
/** So long it may take to answer. */
const PROBE_TIMEOUT_MS = 10_000;
/** Streams per connection when the server does not say. */
const DEFAULT_MAX_STREAMS = 100;

/** A few connections that requests share. A new one is opened when the others carry all they may. */
export class Http2Connections implements Connections {
  readonly #options: DialOptions;
  readonly #clock: Clock;
  readonly #sessions = new Set<LiveSession>();
  #opening: Promise<LiveSession> | undefined;

  constructor(options: DialOptions, first: Socket, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#adopt(first);
  }

  async send(request: TransportRequest, target: string): Promise<TransportResponse> {
    const session = await this.#sessionWithRoom();
    request.signal?.throwIfAborted();
    return await session.send(request, target);
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.end();
  }

  async #sessionWithRoom(): Promise<LiveSession> {
    for (;;) {
      for (const session of this.#sessions) if (session.hasRoom) return session;
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined;
      });
      const opened = await this.#opening;
      if (opened.hasRoom) return opened;
    }
  }

  async #open(): Promise<LiveSession> {
    return this.#adopt(await dial(this.#options));
  }

  #adopt(socket: Socket): LiveSession {
    const session = new LiveSession(this.#options.server, socket, this.#clock, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }
}

class LiveSession {
  readonly #server: URL;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #streams = 0;
  #heardAt: number;
  #probe: Timer | undefined;
  #isUsable = true;

  constructor(server: URL, socket: Socket, clock: Clock, onClose: () => void) {
    this.#server = server;
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    this.#session = connect(server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    this.#session.unref();
    const retire = (): void => {
      this.#isUsable = false;
      onClose();
    };
    this.#session.on('error', retire).on('goaway', retire);
    this.#session.once('close', () => {
      retire();
      this.#probe?.cancel();
    });
    socket.on('data', () => this.#hear());
    this.#watchOver();
  }

  get hasRoom(): boolean {
    const allowed = this.#session.remoteSettings?.maxConcurrentStreams ?? DEFAULT_MAX_STREAMS;
    return this.#isUsable && !this.#session.destroyed && !this.#session.closed && this.#streams < allowed;
  }

  send(request: TransportRequest, target: string): Promise<TransportResponse> {
    const { signal, body } = request;
    return new Promise((resolve, reject) => {
      const stream = this.#start(request, target);
      const onAbort = (): void => stream.close(constants.NGHTTP2_CANCEL);
      signal?.addEventListener('abort', onAbort);
      stream.once('close', () => {
        signal?.removeEventListener('abort', onAbort);
        this.#leave();
        reject(signal?.aborted ? signal.reason : this.#broken(stream));
      });
      let failure: unknown;
      stream.on('error', (error) => {
        failure ??= error;
        reject(signal?.aborted ? signal.reason : this.#broken(stream, failure));
      });
      stream.once('response', (headers) => {
        this.#hear();
        resolve({
          status: headers[':status'] ?? 0,
          headers: plain(headers),
          body: streamBody(stream, this.#server.origin, signal),
        });
      });
      if (body !== undefined) stream.end(body);
    });
  }

  end(): void {
    this.#isUsable = false;
    this.#session.destroy();
  }

  #start({ method, headers, body }: TransportRequest, target: string): ClientHttp2Stream {
    this.#streams++;
    this.#session.ref();
    const length = body && { 'content-length': String(body.length) };
    try {
      return this.#session.request(
        { ...headers, ...length, ':method': method, ':path': target } as Record<string, string>,
        { endStream: body === undefined },
      );
    } catch (cause) {
      this.#leave();
      throw new ClientError({ code: 'Unreachable', server: this.#server.origin, isSent: false }, { cause });
    }
  }

  #leave(): void {
    this.#streams--;
    if (this.#streams === 0) this.#session.unref();
  }

  #broken(stream: ClientHttp2Stream, cause?: unknown): ClientError {
    const isSent = stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM;
    return new ClientError({ code: 'Unreachable', server: this.#server.origin, isSent }, { cause });
  }

  #hear(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /** A peer that is gone without a word would leave watches waiting for ever. */
  #watchOver(): void {
    const silentMs = this.#clock.monotonic() - this.#heardAt;
    this.#probe = this.#clock.setTimer(Math.max(PROBE_AFTER_MS - silentMs, 1), () => {
      if (this.#session.destroyed) return;
      if (this.#clock.monotonic() - this.#heardAt < PROBE_AFTER_MS) this.#watchOver();
      else this.#ask();
    });
  }

  #ask(): void {
    const asked = this.#clock.monotonic();
    this.#session.ping(() => this.#hear());
    this.#probe = this.#clock.setTimer(PROBE_TIMEOUT_MS, () => {
      if (this.#heardAt >= asked) this.#watchOver();
      else this.#session.destroy(new Error(`no answer to a ping for ${PROBE_TIMEOUT_MS} ms`));
    });
  }
}

function plain(headers: IncomingHttpHeaders): TransportResponse['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}

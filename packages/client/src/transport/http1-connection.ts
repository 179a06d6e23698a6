import type { Socket } from 'node:net';
import { ClientError } from '../errors.ts';
import type { ResponseHead } from './response-reader.ts';
import { ResponseReader } from './response-reader.ts';
import type { ByteSink, ByteSource } from './stream-body.ts';
import { bodyOf } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import type { Wire } from './wire.ts';

export interface Http1ConnectionOptions {
  readonly server: URL;
  /** The last response is complete, and another request may be sent. `keptMs`: so long the server keeps it, if it said. */
  readonly onIdle: (connection: Http1Connection, keptMs: number | undefined) => void;
  readonly onClose: (connection: Http1Connection) => void;
}

/** One connection, which carries one request at a time. */
export class Http1Connection {
  readonly #options: Http1ConnectionOptions;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #failure: unknown;
  #isClosed = false;

  constructor(options: Http1ConnectionOptions) {
    this.#options = options;
  }

  open({ socket, listen }: Wire): void {
    this.#socket = socket;
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.once('end', () => this.#end());
    socket.once('close', () => this.#close());
    listen((bytes) => this.#read(bytes));
    if (socket.destroyed) this.#close();
  }

  get isUsable(): boolean {
    return !this.#isClosed && this.#exchange === undefined && this.#socket?.writable === true;
  }

  /** `head`: as `requestHeadOf` makes it. */
  send(request: TransportRequest, head: string): Promise<TransportResponse> {
    const server = this.#options.server.origin;
    const socket = this.#socket!;
    if (this.#isClosed) {
      const cause = this.#failure ?? new Error('the connection was closed at once');
      return Promise.reject(new ClientError({ code: 'Unreachable', server, isSent: false }, { cause }));
    }
    socket.ref();
    socket.resume();
    return new Promise((resolve, reject) => {
      this.#exchange = new Exchange({
        request,
        socket,
        server,
        resolve,
        reject,
        onEnd: (answered) => this.#finish(answered),
      });
      socket.cork();
      socket.write(head, 'latin1');
      if (request.body !== undefined && request.body.length > 0) socket.write(request.body);
      socket.uncork();
    });
  }

  /** Keeps no program running while nothing is asked, and notices when it is closed. */
  rest(): void {
    this.#socket?.unref();
    this.#socket?.resume();
  }

  destroy(): void {
    this.#socket?.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#exchange !== undefined) {
      this.#exchange.read(bytes);
      return;
    }
    // The next answer might be taken for another's.
    this.#failure ??= new Error('the server answered unasked');
    this.destroy();
  }

  #finish({ headers, isKeptAlive }: ResponseHead): void {
    this.#exchange = undefined;
    const socket = this.#socket!;
    if (!isKeptAlive || socket.writableLength > 0 || socket.destroyed) {
      this.destroy();
      return;
    }
    this.#options.onIdle(this, keptMs(headers));
  }

  #end(): void {
    this.#exchange?.close();
    this.#exchange = undefined;
    this.destroy();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.fail(this.#failure ?? new Error('the connection was closed before the response was complete'));
    this.#options.onClose(this);
  }
}

interface ExchangeOptions {
  readonly request: TransportRequest;
  readonly socket: Socket;
  readonly server: string;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
  /** The response is complete. */
  readonly onEnd: (head: ResponseHead) => void;
}

/**
 * One request and its response. A short response is given whole; of a longer one nothing more is read until somebody
 * wants its body.
 */
class Exchange implements ByteSource {
  readonly isLending = true;
  readonly #options: ExchangeOptions;
  readonly #reader: ResponseReader;
  #head: ResponseHead | undefined;
  /** Came with the head. */
  #early: Buffer[] = [];
  #sink: ByteSink | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#reader = new ResponseReader(options.request.method, {
      head: (head) => {
        this.#head = head;
      },
      chunk: (bytes) => {
        if (this.#sink === undefined) this.#early.push(Buffer.from(bytes));
        else this.#sink.chunk(bytes);
      },
      end: () => this.#end(),
    });
    options.request.signal?.addEventListener('abort', this.#onAbort);
  }

  read(bytes: Buffer): void {
    if (this.#failure !== undefined) return;
    const isNew = this.#head === undefined;
    try {
      const used = this.#reader.read(bytes);
      if (used < bytes.length) this.#options.socket.destroy();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (isNew && this.#head !== undefined) this.#answer(this.#head);
  }

  /** The server has said all it will; the response may be complete by that. */
  close(): void {
    try {
      this.#reader.close();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The response will never be complete. Told again, or too late, it changes nothing. */
  fail(cause: unknown): void {
    if (this.#failure !== undefined || this.#reader.isDone) return;
    this.#failure = { cause };
    this.#leave();
    const { reject, request, server, socket } = this.#options;
    socket.destroy();
    this.#sink?.fail(cause);
    reject(
      request.signal?.aborted
        ? request.signal.reason
        : new ClientError({ code: 'Unreachable', server, isSent: true }, { cause }),
    );
  }

  start(sink: ByteSink): void {
    this.resume();
    for (const bytes of this.#early) sink.chunk(bytes);
    this.#early = [];
    this.#sink = sink;
    if (this.#failure !== undefined) sink.fail(this.#failure.cause);
    else if (this.#reader.isDone) sink.end();
  }

  pause(): void {
    if (!this.#reader.isDone) this.#options.socket.pause();
  }

  resume(): void {
    if (!this.#reader.isDone) this.#options.socket.resume();
  }

  destroy(): void {
    if (!this.#reader.isDone) this.fail(new Error('nobody wants the rest of the response'));
  }

  #answer({ status, headers }: ResponseHead): void {
    const { resolve, request, server, socket } = this.#options;
    if (this.#reader.isDone) {
      resolve({ status, headers, body: this.#early.length === 1 ? this.#early[0]! : Buffer.concat(this.#early) });
      return;
    }
    socket.pause();
    resolve({ status, headers, body: bodyOf(this, server, request.signal) });
  }

  #end(): void {
    this.#leave();
    this.#sink?.end();
    this.#options.onEnd(this.#head!);
  }

  readonly #onAbort = (): void => this.fail(this.#options.request.signal!.reason);

  #leave(): void {
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** `Keep-Alive: timeout=5`. */
function keptMs({ 'keep-alive': said = '' }: TransportResponse['headers']): number | undefined {
  const seconds = /(?:^|[ ,])timeout=(\d{1,6})(?:$|[ ,])/i.exec(String(said))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

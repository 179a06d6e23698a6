import { abortable, type Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import type { DialedSocket } from './dialed-socket.ts';
import { dialSocket } from './dialed-socket.ts';
import type { Connections } from './http-transport.ts';
import { Http2Connection } from './http2/http2-connection.ts';
import { requestFieldsOf } from './http2/request-fields.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** A few connections that requests share. Opens a new one when the others have no free stream. */
export class Http2Connections implements Connections {
  readonly #options: DialOptions;
  readonly #clock: Clock;
  readonly #open = new Set<Http2Connection>();
  #opening: Promise<Http2Connection> | undefined;
  #isClosed = false;

  constructor(options: DialOptions, first: DialedSocket, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#adopt(first);
  }

  async send(request: TransportRequest, target: string): Promise<TransportResponse> {
    const fields = requestFieldsOf(request, target, this.#options.server);
    const connection = this.#findFree() ?? (await this.#openFor(request));
    return await connection.send(request, fields);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#open) connection.close();
  }

  #findFree(): Http2Connection | undefined {
    for (const connection of this.#open) if (connection.hasFreeStream) return connection;
    return undefined;
  }

  /** Requests share one connection attempt; those that find no free stream on it wait for the next. */
  async #openFor({ signal }: TransportRequest): Promise<Http2Connection> {
    for (;;) {
      this.#opening ??= this.#dial().finally(() => {
        this.#opening = undefined;
      });
      const opened = await abortable(this.#opening, signal);
      signal?.throwIfAborted();
      const connection = this.#findFree();
      if (connection !== undefined) return connection;
      if (opened.isIdle) throw this.#unreachable(new Error('the server allows no concurrent streams'));
    }
  }

  async #dial(): Promise<Http2Connection> {
    const dialed = await dialSocket(this.#options);
    if (dialed.protocol === 'h2') return this.#adopt(dialed);
    dialed.socket.destroy();
    throw this.#unreachable(new Error('the server no longer negotiates HTTP/2'));
  }

  #adopt(dialed: DialedSocket): Http2Connection {
    if (this.#isClosed) {
      dialed.socket.destroy();
      throw new ClientError({ code: 'Closed', what: 'the transport' });
    }
    const connection = new Http2Connection({
      server: this.#options.server,
      dialed,
      clock: this.#clock,
      onClose: (closed) => this.#open.delete(closed),
    });
    this.#open.add(connection);
    connection.open();
    return connection;
  }

  #unreachable(cause: Error): ClientError {
    return new ClientError({ code: 'Unreachable', server: this.#options.server.origin, isSent: false }, { cause });
  }
}

import { abortable, type Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { Http2Connection } from './http2/http2-connection.ts';
import { requestFieldsOf } from './http2/request-fields.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import type { Wire } from './wire.ts';
import { openWire } from './wire.ts';

/** A few connections that requests share. A new one is opened when the others carry all they may. */
export class Http2Connections implements Connections {
  readonly #options: DialOptions;
  readonly #clock: Clock;
  readonly #open = new Set<Http2Connection>();
  #opening: Promise<Http2Connection> | undefined;
  #isClosed = false;

  constructor(options: DialOptions, first: Wire, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#adopt(first);
  }

  async send(request: TransportRequest, target: string): Promise<TransportResponse> {
    const fields = requestFieldsOf(request, target, this.#options.server);
    const connection = this.#withRoom() ?? (await this.#openFor(request));
    return await connection.send(request, fields);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#open) connection.close();
  }

  #withRoom(): Http2Connection | undefined {
    for (const connection of this.#open) if (connection.hasRoom) return connection;
    return undefined;
  }

  /** Many may wait for the same one: those for whom it has no room wait for the next. */
  async #openFor({ signal }: TransportRequest): Promise<Http2Connection> {
    for (;;) {
      this.#opening ??= this.#dial().finally(() => {
        this.#opening = undefined;
      });
      const opened = await abortable(this.#opening, signal);
      signal?.throwIfAborted();
      const connection = this.#withRoom();
      if (connection !== undefined) return connection;
      if (opened.isIdle) throw this.#unreachable(new Error('the server takes no requests'));
    }
  }

  async #dial(): Promise<Http2Connection> {
    const wire = await openWire(this.#options);
    if (wire.protocol === 'h2') return this.#adopt(wire);
    wire.socket.destroy();
    throw this.#unreachable(new Error('the server no longer speaks HTTP/2'));
  }

  #adopt(wire: Wire): Http2Connection {
    if (this.#isClosed) {
      wire.socket.destroy();
      throw new ClientError({ code: 'Closed', what: 'the transport' });
    }
    const connection = new Http2Connection({
      server: this.#options.server,
      wire,
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
